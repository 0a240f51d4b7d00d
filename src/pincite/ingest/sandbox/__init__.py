"""Runs readers in confined child processes."""
