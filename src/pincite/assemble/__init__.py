"""Which implementation of each stage do these settings mean?"""
