"""What a Java file refers to."""

from trackdown.units.references.java.reader import read

__all__ = ["read"]
