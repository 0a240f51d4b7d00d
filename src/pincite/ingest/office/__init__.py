"""Spreadsheets and presentations, and the checked archives of all office formats."""
