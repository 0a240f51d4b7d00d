"""Which text does this file hold, and where on the page?"""
