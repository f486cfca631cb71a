"""Answers as facts: asked once, kept by the digest of their prompt."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from trackdown.models.llm.prompt import Completion
from trackdown.types import FactCache

KIND = "llm"
FORMAT = 1


class _StoredCompletion(msgspec.Struct, frozen=True, array_like=True):
    format: int
    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    whole: bool


class CompletionCache:
    """Answers in a cache of facts. What is damaged or of another format counts as not there: it is asked again.

    Facts never change, so a new answer cannot stand where an unreadable one does: it stands beside it, under a key
    that carries the format.
    """

    def __init__(self, facts: FactCache) -> None:
        self._facts = facts
        self._taken: set[str] = set()

    def read(self, keys: Iterable[str]) -> dict[str, Completion]:
        """The answers to those prompts that have one."""
        places = {place: key for key in keys for place in (key, _beside(key))}
        found: dict[str, Completion] = {}
        for place, value in self._facts.read(KIND, list(places)).items():
            answer = _decoded(value)
            if answer is None:
                self._taken.add(place)
            else:
                found[places[place]] = answer
        return found

    def write(self, key: str, answer: Completion) -> None:
        """Keep an answer."""
        text = answer.text.encode("utf-8", "replace").decode()
        kept = _StoredCompletion(FORMAT, text, answer.tokens_in, answer.tokens_out, answer.seconds, answer.whole)
        self._facts.write(KIND, [(_beside(key) if key in self._taken else key, msgspec.msgpack.encode(kept))])


def _beside(key: str) -> str:
    return f"{key}.{FORMAT}"


def _decoded(value: bytes) -> Completion | None:
    try:
        kept = msgspec.msgpack.decode(value, type=_StoredCompletion)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    if kept.format != FORMAT:
        return None
    return Completion(kept.text, kept.tokens_in, kept.tokens_out, kept.seconds, kept.whole, fresh=False)
