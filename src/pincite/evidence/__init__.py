"""Which exact sentences may be quoted?"""
