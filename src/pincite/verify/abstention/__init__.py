"""Decides whether evidence is enough to answer, and explains what is missing."""
