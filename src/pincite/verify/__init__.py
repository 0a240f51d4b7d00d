"""Does the source say so? The only folder that builds an `Answer`."""
