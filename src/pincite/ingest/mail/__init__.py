"""E-mail messages."""
