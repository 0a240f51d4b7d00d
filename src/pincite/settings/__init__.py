"""Settings: the values that can be set, where each comes from, and which need approval."""
