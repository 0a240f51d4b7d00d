"""Cleans documents and flags text that may be meant to deceive."""
