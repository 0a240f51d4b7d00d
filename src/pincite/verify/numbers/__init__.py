"""Checks whether quotes state, or imply, the numbers of a claim."""
