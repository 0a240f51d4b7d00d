"""Saved answers, checked again years later."""
