"""From settings to stages: the only folder that chooses implementations."""
