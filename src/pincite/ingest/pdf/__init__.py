"""PDF files: words, lines, tables and headings of each page."""
