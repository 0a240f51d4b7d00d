"""Where in the whole collection does it say this?"""
