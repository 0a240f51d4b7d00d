"""Which words and numbers does this text hold? Shared by search, evidence and verification."""
