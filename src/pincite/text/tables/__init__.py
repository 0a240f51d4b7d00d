"""Tables as values: their rows and columns, and questions that a table answers exactly."""
