"""Channels → one score per candidate: one way of fusing per file."""
