"""A conversation: questions that are understood with those before them, kept in the library."""
