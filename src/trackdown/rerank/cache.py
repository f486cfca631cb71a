"""A cache of what models computed, as facts keyed by digest and model id."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from trackdown.types import FactCache

VECTORS, TOKENS, QUERIES, RELEVANCE = "vector", "tokens", "query", "relevance"
MODEL_OUTPUTS = (VECTORS, TOKENS, QUERIES, RELEVANCE)
"""Kinds of facts: the encoder's vector of a text, the same with vectors of its tokens, both of a query; relevance."""
_WRITE_BATCH = 200


def digest(*texts: str) -> str:
    """A digest of texts in their order."""
    found = hashlib.blake2b(digest_size=16)
    for text in texts:
        found.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return found.hexdigest()


def vector_key(of_text: str, model_id: str) -> str:
    """The key of a text's vector, by the digest of the text."""
    return f"{of_text}:{model_id}"


class ModelOutputCache:
    """What a model makes of texts, in bytes: read from facts, or computed and written by `flush`.

    `key` names a text. `compute` makes the rows of some texts; a row may depend on its own text only. A row has `size`
    bytes, and any number of times `step` more. It is used as it is stored, so the first answer equals later ones.
    """

    def __init__(
        self,
        kind: str,
        facts: FactCache,
        key: Callable[[str], str],
        compute: Callable[[list[str]], list[bytes]],
        size: int,
        step: int = 0,
    ) -> None:
        self._kind = kind
        self._facts = facts
        self._key = key
        self._compute = compute
        self._size = size
        self._step = step
        self._new: list[tuple[str, bytes]] = []

    def rows(self, texts: Sequence[str]) -> list[bytes]:
        """A row for each text."""
        keys = [self._key(text) for text in texts]
        known = {key: row for key, row in self._facts.read(self._kind, keys).items() if self._is_whole(row)}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = list(zip(missing, self._compute(list(missing.values())), strict=True))
            known.update(made)
            self._new += made
            if len(self._new) >= _WRITE_BATCH:
                self.flush()
        return [known[key] for key in keys]

    def _is_whole(self, row: bytes) -> bool:
        more = len(row) - self._size
        return more >= 0 and more % self._step == 0 if self._step else more == 0

    def flush(self) -> None:
        """Write the rows computed since the last flush."""
        if self._new:
            self._facts.write(self._kind, self._new)
            self._new = []
