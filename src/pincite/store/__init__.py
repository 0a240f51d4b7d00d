"""What does a library hold, and how is it looked up?"""
