"""What does a passage say to a question, when a model reads both together?"""
