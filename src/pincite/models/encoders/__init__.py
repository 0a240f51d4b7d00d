"""Where does this text lie in meaning space?"""
