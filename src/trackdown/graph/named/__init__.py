"""Scala, Swift, Lua, shell scripts and Elixir: references → the definitions that have their names."""

from trackdown.graph.named.resolver import NamedResolver

__all__ = ["NamedResolver"]
