"""Which encoding is a text file in?"""
