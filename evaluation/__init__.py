"""Judged questions: does an answer show what a careful person would show, and nothing else?"""
