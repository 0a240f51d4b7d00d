"""Readers run in child processes that can do little harm."""
