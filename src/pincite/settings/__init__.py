"""Which values can be set, and where does each come from?"""
