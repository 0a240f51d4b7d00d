"""One module for each group of addresses."""
