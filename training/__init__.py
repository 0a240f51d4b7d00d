"""Trains the model that reads a question and a passage together. No part of the package."""

import os

# Threads of a matrix product that wait for each other must not hold the processor meanwhile: beside
# other work, that cost three quarters of the speed. Read when torch is first imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "0")
