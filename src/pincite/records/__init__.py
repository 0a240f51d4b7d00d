"""Which values flow between stages?"""
