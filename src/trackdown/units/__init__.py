"""Blob → units, tokens, references. Splitting by lines, functions, tokens."""
