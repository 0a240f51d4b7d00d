"""Language models, in this process or on a server."""
