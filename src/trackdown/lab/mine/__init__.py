"""Histories → cases: which commits make one, what they edited, and the files that cases are kept in."""
