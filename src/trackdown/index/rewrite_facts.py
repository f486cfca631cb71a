"""Rewrites of units (ReCo) as facts, keyed by the rewriter and the digest of the unit's text.

The digests of a file's units are facts of its content as well. So we know which units of a snapshot have a rewrite
without reading source.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec
import numpy as np

from trackdown.errors import StoreError
from trackdown.index.code import CodeIndex
from trackdown.index.corpus import Texts
from trackdown.store import Store

REWRITES, UNIT_TEXTS = "rewrite", "unit-texts"
"""Kinds of facts."""
REWRITERS = "rewriter"
"""Records: a rewriter's id → its name."""
REWRITE_VERSION = 1
_DIGEST_BYTES = 16
_FILES_AT_ONCE = 500


class Rewrite(msgspec.Struct, array_like=True, frozen=True):
    """A model's summary of a unit, and the code that it wrote from the summary alone."""

    version: int
    summary: str
    code: str


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Rewrite)


def rewriter_id(*made_by: str) -> str:
    """The id of a rewriter: a model and how it is asked, or a file of rewrites made elsewhere."""
    content = "\0".join((str(REWRITE_VERSION), *made_by))
    return hashlib.blake2b(content.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()


def text_digest(text: str) -> str:
    """The digest of a unit's text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=_DIGEST_BYTES).hexdigest()


def write_rewrites(store: Store, rewriter: str, name: str, rows: Iterable[tuple[str, int, str, str]]) -> None:
    """Store rows (digest of the text, number, summary, code) of a rewriter called `name`. Raises StoreError."""
    facts = [
        (_key(rewriter, digest, number), _ENCODER.encode(Rewrite(REWRITE_VERSION, summary, code)))
        for digest, number, summary, code in rows
    ]
    if facts:
        store.database.write_record(REWRITERS, rewriter, name.encode("utf-8", "replace"))
        store.database.write_facts(REWRITES, facts)


def rewriters(store: Store) -> dict[str, str]:
    """The rewriters in the store: id → name. One whose name is lost is called by its id."""
    found = {key.partition(":")[0]: key.partition(":")[0] for key in store.database.fact_keys(REWRITES)}
    return found | {key: value.decode("utf-8", "replace") for key, value, _ in store.database.records(REWRITERS)}


def rewritten_numbers(store: Store, rewriter: str) -> dict[str, tuple[int, ...]]:
    """Digest of a text → the numbers of its rewrites."""
    found: dict[str, list[int]] = {}
    for key in store.database.fact_keys(REWRITES, f"{rewriter}:"):
        digest, _, number = key.removeprefix(f"{rewriter}:").partition(":")
        if number.isdecimal():  # a damaged key is nobody's
            found.setdefault(digest, []).append(int(number))
    return {digest: tuple(sorted(numbers)) for digest, numbers in found.items()}


def read_rewrites(store: Store, rewriter: str, wanted: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Rewrite]:
    """Rewrites by (digest, number), without those that are gone or damaged."""
    keys = {_key(rewriter, digest, number): (digest, number) for digest, number in wanted}
    found = {}
    for key, value in store.database.read_facts(REWRITES, keys).items():
        with suppress(msgspec.DecodeError):
            rewrite = _DECODER.decode(value)
            if rewrite.version == REWRITE_VERSION:
                found[keys[key]] = rewrite
    return found


def are_rewritten(store: Store, rewriter: str, wanted: Iterable[tuple[str, int]]) -> bool:
    """Whether the store has something, readable or not, for every (digest, number)."""
    keys = {_key(rewriter, digest, number) for digest, number in wanted}
    return store.database.known_facts(REWRITES, keys) == keys


def digest_of_key(key: str) -> str:
    """The text's digest in a rewrite's key."""
    return key.partition(":")[2].partition(":")[0]


def _key(rewriter: str, digest: str, number: int) -> str:
    return f"{rewriter}:{digest}:{number}"


def unit_digests(store: Store, code: CodeIndex, texts: Texts) -> list[str]:
    """The digest of every unit's text; empty for a unit without a known digest whose source cannot be read.

    `texts` reads the source of live units in files without digests, which are then stored.
    """
    digests = [""] * len(code.unit_file)
    files = np.flatnonzero(np.bincount(code.unit_file, minlength=len(code.file_alive))).tolist()
    for start in range(0, len(files), _FILES_AT_ONCE):
        some = files[start : start + _FILES_AT_ONCE]
        keys = {file: code.fact_key(file) for file in some}
        known = store.database.read_facts(UNIT_TEXTS, keys.values())
        new: dict[str, bytes] = {}
        for file in some:
            units = code.units_of(file)
            value = known.get(keys[file]) or new.get(keys[file])
            if value is None or len(value) != _DIGEST_BYTES * len(units):
                value = _digested(texts(units)) if code.file_alive[file] else None
                if value is None:
                    continue
                new[keys[file]] = value
            for place, unit in enumerate(units):
                digests[unit] = value[_DIGEST_BYTES * place : _DIGEST_BYTES * (place + 1)].hex()
        if new and not store.read_only:
            with suppress(StoreError):  # a full disk must not end a search: the source is read again next time
                store.database.write_facts(UNIT_TEXTS, new.items())
    return digests


def digests_in(value: bytes) -> list[str]:
    """The digests in the fact about a file's units."""
    return [value[start : start + _DIGEST_BYTES].hex() for start in range(0, len(value), _DIGEST_BYTES)]


def _digested(sources: Sequence[str | None]) -> bytes | None:
    if any(source is None for source in sources):
        return None
    return b"".join(bytes.fromhex(text_digest(source)) for source in sources if source is not None)
