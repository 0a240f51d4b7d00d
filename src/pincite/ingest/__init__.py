"""Reads files into documents: their text, its structure and its position on the page."""
