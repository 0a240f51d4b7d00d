"""What does a question mean after those before it?"""
