"""The small reader: a model that reads question and passage together, and its use for ordering."""
