"""How good is it, per question and overall?"""
