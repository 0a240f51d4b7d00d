"""Files that are kept elsewhere: copied into a folder, which is then ingested like any other."""
