"""The server: its API and its page."""
