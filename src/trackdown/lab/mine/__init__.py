"""Histories → cases to measure with, and files to train on: which commits count, and what they edited."""
