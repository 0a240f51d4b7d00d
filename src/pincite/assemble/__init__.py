"""Builds the stages that the settings ask for."""
