"""Java: packages, imports, nested classes, hierarchies, overloads by arity."""

from trackdown.graph.java.resolver import JavaResolver

__all__ = ["JavaResolver"]
