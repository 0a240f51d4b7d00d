"""Which passages might answer this? And counts over all of them."""
