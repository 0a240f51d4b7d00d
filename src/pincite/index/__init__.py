"""How is it looked up? Derived from the catalog, always rebuildable."""
