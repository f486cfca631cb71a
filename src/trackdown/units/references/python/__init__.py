"""Python: a syntax tree → what it refers to."""

from trackdown.units.references.python.reader import read

__all__ = ["read"]
