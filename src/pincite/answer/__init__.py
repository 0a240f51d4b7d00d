"""What can be said from this evidence alone?"""
