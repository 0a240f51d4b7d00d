"""How do other frameworks look things up here?"""
