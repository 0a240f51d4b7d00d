"""How is a model's file found, prepared and run on this machine?"""
