"""Which language models can write?"""
