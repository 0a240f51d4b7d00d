"""Spreadsheets and presentations, and the archive checks shared by all office formats."""
