"""What a Go file refers to."""

from trackdown.units.references.go.reader import read

__all__ = ["read"]
