"""What does a machine without a network need, and does anything leave it?"""
