"""Conversations: follow-up questions are resolved with the earlier ones."""
