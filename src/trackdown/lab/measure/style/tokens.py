"""Code → the tokens that BLEU, ROUGE-L and CodeBLEU count: the leaves of the syntax tree, comments left out.

The papers cut at white space, where `f(x):` is one token and a missing blank another; a lexer's tokens depend on the
code alone. White space inside a token (in a string) becomes `_`, so that a token stays one.
"""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from trackdown.lab.measure.style.syntax import text_of, walk


class Token(NamedTuple):
    """A token, and whether the language reserves it: grammars give reserved words a node without a name."""

    text: str
    keyword: bool


def tokens(root: Node) -> tuple[Token, ...]:
    """The tokens of a syntax tree, in order."""
    found = []
    for place in walk(root):
        if not place.node.child_count:
            text = "_".join(text_of(place.node).split())
            if text:
                found.append(Token(text, not place.node.is_named and text.replace("_", "").isalpha()))
    return tuple(found)
