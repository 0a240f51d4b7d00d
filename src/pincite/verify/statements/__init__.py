"""Checks whether quotes support a statement."""
