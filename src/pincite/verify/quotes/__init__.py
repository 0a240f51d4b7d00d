"""Checks quotes against stored texts and files, and describes their table cells and lists."""
