"""Everything that an installation without a network needs, in one file that can be checked."""
