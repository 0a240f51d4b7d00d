"""What in a document may be meant to deceive?"""
