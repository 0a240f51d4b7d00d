"""Readers of data files: JSON, notebooks and XML."""
