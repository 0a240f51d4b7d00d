"""How is a model's file prepared and run on this machine?"""
