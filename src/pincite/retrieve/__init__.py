"""Which passages might answer this?"""
