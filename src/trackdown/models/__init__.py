"""Weights → numbers: a static table, an encoder, a cross-encoder, and the registry that finds them."""
