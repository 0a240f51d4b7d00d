"""One library: open, change, ask."""
