"""Promotes code near a ranking's best results."""
