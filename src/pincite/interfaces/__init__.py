"""Interfaces for people and programs: commands, HTTP, MCP, and plugins for frameworks."""
