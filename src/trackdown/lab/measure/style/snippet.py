"""A piece of code, read once: what the metrics of style compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from trackdown.errors import UsageError
from trackdown.lab.measure.style.calls import calls
from trackdown.lab.measure.style.dataflow import Flow, dataflow
from trackdown.lab.measure.style.tokens import Token, tokens
from trackdown.lab.measure.style.tree import Tree, tree
from trackdown.lab.measure.style.variables import variables
from trackdown.units.extract import syntax_tree
from trackdown.units.languages import BY_NAME


class Names(NamedTuple):
    """The names of a piece of code, each once. Variables are cut at `_`: `num_set` counts as `num` and `set`."""

    variables: frozenset[str]
    calls: frozenset[str]


@dataclass(frozen=True, slots=True)
class Snippet:
    """What a piece of code holds. `flaw` is the line (from 1) where its grammar first failed to read it, or 0."""

    language: str
    tokens: tuple[Token, ...]
    names: Names
    tree: Tree
    flows: tuple[Flow, ...]
    flaw: int


def read_snippet(text: str, language: str, name: str = "the code") -> Snippet:
    """Read code, which errors call `name`. Raises UsageError for a language without a grammar and where no code is."""
    root = _root(text, language, name)
    found = tokens(root)
    if not found:
        raise UsageError(f"{name} holds no code: nothing but white space and comments")
    return Snippet(language, found, _names(root), tree(root), dataflow(root), _flaw(root))


def read_names(text: str, language: str) -> Names:
    """The names alone, of which code without any has none. Raises UsageError for a language without a grammar."""
    return _names(_root(text, language, "the code"))


def _names(root: Node) -> Names:
    words = (name.strip("_").split("_") if name.strip("_") else [name] for name in variables(root).values())
    return Names(frozenset(word for parts in words for word in parts if word), calls(root))


def _root(text: str, language: str, name: str) -> Node:
    if language not in BY_NAME:
        raise UsageError(f"{name}: no grammar for {language!r}; there are {', '.join(sorted(BY_NAME))}")
    source = text.replace("\r\n", "\n").replace("\r", "\n")
    return syntax_tree(source.encode("utf-8", "replace"), language)


def _flaw(root: Node) -> int:
    """The first line that could not be read, or 0."""
    if not root.has_error:
        return 0
    node = root
    while not (node.is_error or node.is_missing):
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            break
        node = inner
    return node.start_point[0] + 1
