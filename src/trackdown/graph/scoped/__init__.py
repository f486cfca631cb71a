"""Rust, C, C++, C#, Ruby, PHP and Kotlin: references → the definitions and files they lead to."""

from trackdown.graph.scoped.resolver import ScopedResolver

__all__ = ["ScopedResolver"]
