"""Splits documents into passages, the unit of retrieval."""
