"""Pincite beside other retrieval systems: the same passages, questions, weights and cores for all.

Start with `run.py`; README.md has the commands.
"""
