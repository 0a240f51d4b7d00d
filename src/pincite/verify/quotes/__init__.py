"""Are these exact words there?"""
