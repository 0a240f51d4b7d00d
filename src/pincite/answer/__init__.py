"""Selects the evidence for an answer and drafts the answer from it alone."""
