"""Which units carry the answer, and what can be said from them alone?"""
