"""Proof that nothing leaves the machine: a trial where no network is, and what it tried."""
