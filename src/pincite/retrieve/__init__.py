"""Finds passages that might answer a question, and counts over all of them."""
