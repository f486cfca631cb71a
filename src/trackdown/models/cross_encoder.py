"""The cross-encoder: reads a query and a text together and says how well the text answers it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trackdown.errors import ModelError
from trackdown.models.batches import TOKENS, Numbers, run_in_batches
from trackdown.models.manifest import Role
from trackdown.models.onnx_session import OnnxSession
from trackdown.models.tokenizer import TextTokenizer

LOWEST = -50.0
"""The relevance of a pair with nothing in it: lower than any model says, and its exponential is still a number."""


class CrossEncoder:
    """Relevance of spoken texts to a spoken query, as logits: 0 is even odds."""

    def __init__(self, model_id: str, role: Role, session: OnnxSession, tokens: TextTokenizer) -> None:
        """Raises ModelError when the graph has no such output."""
        if session.outputs.get(role.output) != 1:
            raise ModelError(f"{session.path} has no output {role.output!r} of numbers: export it with one")
        self.model_id = model_id
        self.longest = role.longest
        self._role = role
        self._session = session
        self._tokens = tokens

    @property
    def threads(self) -> int:
        """How many texts are read side by side."""
        return self._session.threads

    def score(self, query: str, texts: Sequence[str], *, apart: bool = False) -> Numbers:
        """One number for each text, in their order; LOWEST where the text or the query holds no word.

        With `apart` no number depends on the other texts, as `Encoder.encode` says. Raises ModelError when there is no
        memory for one pair.
        """
        start, end = self._tokens.before, self._tokens.after
        asked = self._tokens.ids(query, self._role.longest_query)
        first = [*start, *asked, *end]
        most = self.longest - len(first) - len(end)
        rows: list[list[int]] = []
        places: list[int] = []
        for place, text in enumerate(texts if asked else ()):
            if ids := self._tokens.ids(text, most):
                rows.append([*first, *ids, *end])
                places.append(place)
        scores = np.full(len(texts), LOWEST, np.float32)
        order, results = run_in_batches(
            list(map(len, rows)),
            lambda batch: self._session.run(self._role.output, [rows[row] for row in batch], [len(first)] * len(batch)),
            tokens=1 if apart else TOKENS,
            threads=self.threads,
            spread=self._session.spread,
        )
        if results:
            scores[[places[row] for row in order]] = np.concatenate(results)
        return scores
