"""Does a quote state this number?"""
