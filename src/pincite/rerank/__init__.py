"""Which candidates really answer?"""
