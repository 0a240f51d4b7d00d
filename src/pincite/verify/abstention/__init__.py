"""Is this enough to answer, and what is missing?"""
