"""The facts of a blob: its units and their words. They depend on content, language, rules and extractor version."""

from __future__ import annotations

import msgspec

from trackdown.repository import DEFAULT_MAX_BYTES

EXTRACTOR_VERSION = 8
"""Part of every key. Raise it when the same blob would give different facts."""


class Unit(msgspec.Struct, array_like=True, frozen=True):
    """A function, class or window of a file. Lines are 1-based, inclusive; `parent` is an index or -1.

    `symbol` is the enclosing names joined by dots. A class's words are those outside its members; a window covers
    lines outside all other units (or, in a text file, any lines). `declares` marks a function without code of its own.
    """

    kind: str
    symbol: str
    start_line: int
    end_line: int
    parent: int
    signature: str
    declares: bool = False


class BlobFacts(msgspec.Struct, array_like=True, frozen=True):
    """The facts of one blob. A blob with a `skip` reason is not indexed and has no units. One that is too hard to parse
    has only windows, and `as_text` says why. `generated` means that its first lines call it the work of a program.

    Unit u has the words `vocabulary[i]` for i in `word_ids[pointers[u]:pointers[u + 1]]`, each `counts` times.
    The three are little-endian uint32 arrays.

    `message_words` are the hashes of the words that the units say, message after message (see `message_words.py`).
    Message m is said by the unit `message_units[m]`, and `message_names[m]` is the constant or key that it defines.
    """

    language: str
    skip: str
    lines: int
    units: list[Unit]
    vocabulary: list[str]
    pointers: bytes
    word_ids: bytes
    counts: bytes
    as_text: str = ""
    message_words: bytes = b""
    message_units: bytes = b""
    message_names: dict[int, str] = {}
    generated: bool = False


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(BlobFacts)


def skipped(language: str, reason: str) -> BlobFacts:
    """The facts of a blob that a rule excludes."""
    return BlobFacts(language, reason, 0, [], [], b"\0\0\0\0", b"", b"")


def encode(facts: BlobFacts) -> bytes:
    """Facts → bytes for the store."""
    return _ENCODER.encode(facts)


def decode(data: bytes) -> BlobFacts:
    """Bytes → facts. Raises msgspec.DecodeError when they are damaged."""
    return _DECODER.decode(data)


def fact_key(oid: str, language: str, forced: bool, max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """The key of a blob's facts. `forced` blobs are indexed even if a rule excludes them, such as that on size."""
    rules = "!" if forced else "" if max_bytes == DEFAULT_MAX_BYTES else f"<{max_bytes}"
    return f"{oid}:{language}:{EXTRACTOR_VERSION}{rules}"


def provisional_key(key: str, day: int) -> str:
    """The key of facts that are good for one day: a clock cut the parsing short, and another day it may not."""
    return f"{key}~{day}"


def final_key(key: str) -> str:
    """The key that a provisional one stands in for; any other key as it is."""
    return key.partition("~")[0]


def oid_of_key(key: str) -> str:
    """The blob id inside a key."""
    return key.split(":", 1)[0]
