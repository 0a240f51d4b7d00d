"""What the exit codes mean."""

DONE = 0
ERROR = 1
USAGE = 2
ABSTAINED = 3
VERIFICATION_FAILED = 4
WORSE = 5
"""`eval compare --fail-if-worse`: the second run is clearly worse."""
INTERRUPTED = 130
"""128 + SIGINT, as shells count it."""
