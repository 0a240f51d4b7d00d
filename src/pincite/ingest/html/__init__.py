"""Web pages and e-books."""
