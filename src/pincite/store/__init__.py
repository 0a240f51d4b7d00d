"""Storage of a library: the catalog, and the indexes derived from it."""
