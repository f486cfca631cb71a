"""Python: references → the definitions and files they lead to."""

from trackdown.graph.python.resolver import PythonResolver

__all__ = ["PythonResolver"]
