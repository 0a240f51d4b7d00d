"""The HTTP server: its API and its web page."""
