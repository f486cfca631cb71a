"""Completions as facts, keyed by the digest of their prompt, so that no question is asked twice."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from trackdown.models.llm.prompt import Completion
from trackdown.types import FactCache

COMPLETIONS = "llm"
FORMAT = 1


class _StoredCompletion(msgspec.Struct, frozen=True, array_like=True):
    format: int
    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    complete: bool


class CompletionCache:
    """Completions in a cache of facts. A damaged one, or one of another format, counts as missing.

    Facts never change, so a new completion cannot replace an unreadable one: it is written beside it, under a key that
    carries the format.
    """

    def __init__(self, facts: FactCache) -> None:
        self._facts = facts
        self._unreadable: set[str] = set()

    def read(self, keys: Iterable[str]) -> dict[str, Completion]:
        """The completions of those keys that have one."""
        stored_under = {stored: key for key in keys for stored in (key, _second_key(key))}
        found: dict[str, Completion] = {}
        for stored, value in self._facts.read(COMPLETIONS, list(stored_under)).items():
            completion = _decoded(value)
            if completion is None:
                self._unreadable.add(stored)
            else:
                found[stored_under[stored]] = completion
        return found

    def write(self, key: str, completion: Completion) -> None:
        """Store a completion."""
        text = completion.text.encode("utf-8", "replace").decode()
        stored = _StoredCompletion(
            FORMAT, text, completion.tokens_in, completion.tokens_out, completion.seconds, completion.complete
        )
        self._facts.write(
            COMPLETIONS, [(_second_key(key) if key in self._unreadable else key, msgspec.msgpack.encode(stored))]
        )


def _second_key(key: str) -> str:
    return f"{key}.{FORMAT}"


def _decoded(value: bytes) -> Completion | None:
    try:
        stored = msgspec.msgpack.decode(value, type=_StoredCompletion)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    if stored.format != FORMAT:
        return None
    return Completion(stored.text, stored.tokens_in, stored.tokens_out, stored.seconds, stored.complete)
