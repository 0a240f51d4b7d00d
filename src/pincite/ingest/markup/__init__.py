"""Markup written by hand: Org, AsciiDoc and TeX, read by way of the web page that it describes."""
