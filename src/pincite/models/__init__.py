"""How are model files found, checked and run?"""
