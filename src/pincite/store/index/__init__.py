"""Search indexes derived from the catalog: dense (vectors) and lexical (words)."""
