"""One library: opening it, changing it, asking it."""
