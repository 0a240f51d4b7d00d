"""The truth: everything a library holds, in SQL."""
