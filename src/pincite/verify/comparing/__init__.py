"""Compares two documents, statement by statement."""
