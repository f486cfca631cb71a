"""Chains: how references and bindings write expressions and types, as one short text.

A chain is its parts joined by dots: `run`, `self.save`, `a.b.c`. Behind its name, a part has suffixes: `()` for the
result of a call, `(2)` for its second result, `[]` for an element. So `get().items[]` is an element of what `get`
returns has as `items`. Leading brackets are for types that hold others: `[][]Cart` is a list of lists of carts. A part
that cannot be told is `?`, and only the first part ever is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

NOTHING = "?"
"""The first part of a chain whose beginning is unknown."""
CALLED, ELEMENT = "()", "[]"
_SUFFIX = re.compile(r"\(\d*\)|\[\]")
_NAME_END = re.compile(r"[(\[]")


class ChainPart(NamedTuple):
    """A name and what follows it: `b()[]` is the name `b` with the suffixes `()` and `[]`."""

    name: str
    suffixes: tuple[str, ...] = ()

    @property
    def is_called(self) -> bool:
        """Whether the part is the result of a call."""
        return bool(self.suffixes) and self.suffixes[0] == CALLED


class Chain(NamedTuple):
    """A parsed chain. `depth` is the number of leading brackets."""

    depth: int
    parts: tuple[ChainPart, ...]


@lru_cache(maxsize=1 << 16)
def parse_chain(text: str) -> Chain:
    """Parse a chain. Never raises: any text has at least one part."""
    plain = text.lstrip(ELEMENT)
    return Chain((len(text) - len(plain)) // 2, tuple(map(parse_part, plain.split("."))))


def parse_part(text: str) -> ChainPart:
    """Parse one part of a chain."""
    name = bare_name(text)
    return ChainPart(name, tuple(_SUFFIX.findall(text, len(name))) if len(name) < len(text) else ())


def bare_name(part: str) -> str:
    """The name in a part, without its suffixes."""
    return _NAME_END.split(part, maxsplit=1)[0]


def last_name(chain: str) -> str:
    """The text behind the last dot of a chain."""
    return chain.rpartition(".")[2]


def many_of(chain: str) -> str:
    """The type of a container of something, and the chain of an element."""
    return NOTHING if chain.startswith(NOTHING) or not chain else f"{chain}{ELEMENT}"


def instance_of(chain: str) -> str:
    """The chain of an instance of a type."""
    return chain if chain.startswith(NOTHING) or chain.endswith("]") else f"{chain}{CALLED}"
