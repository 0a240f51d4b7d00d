"""What do we hold? The record of truth."""
