"""Blob → what it refers to, one reader per language."""
