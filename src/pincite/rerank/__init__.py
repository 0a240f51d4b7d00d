"""Reorders candidates by how well they answer the question."""
