"""Finds, checks and runs models."""
