"""Evaluation on labelled sets, per question and overall."""
