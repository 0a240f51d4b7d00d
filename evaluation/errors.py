"""Errors that are raised while judging answers."""


class EvaluationError(Exception):
    """The questions, the files or the arguments are not as they must be; the message says how."""
