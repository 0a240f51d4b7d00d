"""How do people and programs ask?"""
