"""Detects the encoding of text files."""
