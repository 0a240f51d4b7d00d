"""For authors of stages: deterministic stand-ins, and the suites every implementation must pass."""
