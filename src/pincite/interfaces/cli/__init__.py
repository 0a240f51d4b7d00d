"""The `pincite` command."""
