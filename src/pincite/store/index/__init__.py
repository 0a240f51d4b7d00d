"""Derived from the catalog: vectors and words to search."""
