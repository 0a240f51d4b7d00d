"""What a request must pass before it is answered."""
