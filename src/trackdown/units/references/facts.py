"""What a blob refers to: imports, calls, base classes, and what its names mean. Facts of content, like its units.

Names are as written. Nothing here looks at another file: resolving is the graph's work.
"""

from __future__ import annotations

import msgspec

REFERENCES_VERSION = 5
"""Part of every key. Raise it when the same blob would now give other references."""

CALL, NEW, BASE, IMPLEMENTS, DECORATOR = "call", "new", "base", "implements", "decorator"
UNKNOWN = ""
"""The type of a name that is bound to something unknown: it hides the name's outer meaning."""


class Import(msgspec.Struct, array_like=True, frozen=True):
    """An import of a name. `unit` is the index of the unit that it is in, -1 outside all units.

    `module` is as written (`..pkg.mod`, `./cart`, `java.util.List`, `crate::a::b`). `name` is what is taken from it:
    empty for the module itself, `*` for all. `alias` is the name it has here, empty where it binds none.
    """

    unit: int
    line: int
    module: str
    name: str
    alias: str


class Reference(msgspec.Struct, array_like=True, frozen=True):
    """A use of something: a call, a construction, a base class, a decorator.

    `chain` is what is called, its parts joined by dots: `run`, `self.save`, `a.b.c`. A part that is the result of a
    call ends with `()`: `super().save`, `Cart().add`, `get().x`. What is neither a name nor a call on one is `?`.
    `arity` is the number of arguments, -1 where it is unknown.
    """

    unit: int
    line: int
    kind: str
    chain: str
    arity: int


class Binding(msgspec.Struct, array_like=True, frozen=True):
    """What a name means in a unit: a parameter, local, field or attribute with its type, as far as the code says it.

    `name` is `x`, `self.x` (any attribute of the instance, whatever the language calls it), or `->` for what the unit
    returns. `type` is a chain as in Reference: `Cart` for an annotation, `Cart()` for the result of a call, `other` for
    another name, UNKNOWN if the code doesn't say.
    """

    unit: int
    name: str
    type: str


class Export(msgspec.Struct, array_like=True, frozen=True):
    """What a module offers under `name` (`default`, `*`): its own `local`, or `local` of another `module`."""

    name: str
    local: str
    module: str


class BlobReferences(msgspec.Struct, array_like=True, frozen=True):
    """All references of one blob. `package` is the package or namespace it declares itself to be in."""

    package: str = ""
    imports: list[Import] = []
    references: list[Reference] = []
    bindings: list[Binding] = []
    exports: list[Export] = []


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(BlobReferences)


def encode_references(references: BlobReferences) -> bytes:
    """References → bytes for the store."""
    return _ENCODER.encode(references)


def decode_references(data: bytes) -> BlobReferences:
    """Bytes → references. Raises msgspec.DecodeError when they are damaged."""
    return _DECODER.decode(data)
