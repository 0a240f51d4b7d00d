"""For authors of stages: deterministic fakes, and test suites for all implementations."""
