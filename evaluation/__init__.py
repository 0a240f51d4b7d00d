"""Judged questions: checks that an answer shows what a careful person would show, and nothing else."""
