"""Saves answers, and checks them again years later."""
