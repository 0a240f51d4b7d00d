"""Retrievers and plugins for other frameworks."""
