"""Go: packages and modules, methods by receiver, embedded types."""

from trackdown.graph.go.resolver import GoResolver

__all__ = ["GoResolver"]
