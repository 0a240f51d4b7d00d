"""Which passages can be found on their own?"""
