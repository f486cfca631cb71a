"""The cross-encoder reads a query and a text together and scores how well the text answers the query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trackdown.errors import ModelError
from trackdown.models.batches import TOKENS, Numbers, run_in_batches
from trackdown.models.manifest import Role
from trackdown.models.onnx_session import OnnxSession
from trackdown.models.tokenizer import TextTokenizer

LOWEST = -50.0
"""The relevance of an empty pair: lower than any model's output, yet its exponential is not 0."""


class CrossEncoder:
    """Relevance of normalized texts for a normalized query, as logits: 0 means even odds."""

    def __init__(self, model_id: str, role: Role, session: OnnxSession, tokens: TextTokenizer) -> None:
        """Raises ModelError when the graph has no such output."""
        if session.outputs.get(role.output) != 1:
            raise ModelError(f"{session.path} has no scalar output {role.output!r}: export it with one")
        self.model_id = model_id
        self.longest = role.longest
        self._role = role
        self._session = session
        self._tokens = tokens

    @property
    def threads(self) -> int:
        """The number of texts read in parallel."""
        return self._session.threads

    def score(self, query: str, texts: Sequence[str], *, apart: bool = False) -> Numbers:
        """A logit for each text, in order; LOWEST if the text or the query has no word.

        With `apart` a logit doesn't depend on the other texts (see `Encoder.encode`). Raises ModelError when there is
        not enough memory for one pair.
        """
        start, end = self._tokens.before, self._tokens.after
        query_ids = self._tokens.ids(query, self._role.longest_query)
        first = [*start, *query_ids, *end]
        most = self.longest - len(first) - len(end)
        rows: list[list[int]] = []
        places: list[int] = []
        for place, text in enumerate(texts if query_ids else ()):
            if ids := self._tokens.ids(text, most):
                rows.append([*first, *ids, *end])
                places.append(place)
        scores = np.full(len(texts), LOWEST, np.float32)
        if rows:
            scores[places] = run_in_batches(
                list(map(len, rows)),
                lambda batch: self._session.run(
                    [self._role.output], [rows[row] for row in batch], [len(first)] * len(batch)
                )[0].tolist(),
                tokens=1 if apart else TOKENS,
                threads=self.threads,
                spread=self._session.spread,
            )
        return scores
