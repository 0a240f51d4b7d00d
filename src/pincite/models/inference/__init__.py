"""Prepares and runs model files on this machine."""
