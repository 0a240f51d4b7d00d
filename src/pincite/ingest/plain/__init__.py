"""Plain text and CSV."""
