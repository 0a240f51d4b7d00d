"""Bundles for machines without a network, and the proof that nothing connects outside."""
