"""Does a quote carry this statement?"""
