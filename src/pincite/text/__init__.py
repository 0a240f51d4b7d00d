"""Words, numbers and structure of texts; shared by search, evidence and verification."""
