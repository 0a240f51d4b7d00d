"""Middleware that a request must pass before it is answered."""
