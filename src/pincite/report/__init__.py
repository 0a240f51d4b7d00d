"""Reports: a list of questions answered in one document, with every sentence cited."""
