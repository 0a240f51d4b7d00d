"""One table over many documents: what is asked of each, its cells, and its files."""
