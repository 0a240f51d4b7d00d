"""The values that flow between stages."""
