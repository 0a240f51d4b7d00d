"""Opens, changes and queries one library on disk or in a database."""
