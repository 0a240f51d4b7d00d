"""Checks answers against their sources; the only package that builds an `Answer`."""
