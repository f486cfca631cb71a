"""The encoder: one vector of length 1 for a text, so that texts that mean the same lie close."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trackdown.errors import ModelError
from trackdown.models.batches import TOKENS, Numbers, run_in_batches
from trackdown.models.manifest import Role
from trackdown.models.onnx_session import OnnxSession, padded_mask
from trackdown.models.tokenizer import TextTokenizer


class Encoder:
    """Vectors of spoken texts. `longest` is how many tokens of a text it reads."""

    def __init__(self, model_id: str, role: Role, session: OnnxSession, tokens: TextTokenizer) -> None:
        """Raises ModelError when the graph has no such output."""
        if session.outputs.get(role.output) != (3 if role.pooling else 2):
            raise ModelError(f"{session.path} has no output {role.output!r} of vectors: export it with one")
        self.model_id = model_id
        self.dimensions = role.dimensions
        self.longest = role.longest
        self._role = role
        self._session = session
        self._tokens = tokens

    @property
    def threads(self) -> int:
        """How many texts are read side by side."""
        return self._session.threads

    def encode(self, texts: Sequence[str], longest: int | None = None, *, apart: bool = False) -> Numbers:
        """One row for each text, in their order; zero for a text without a word.

        `longest` reads less than the model could, for speed. A quantised model scales by what is in a batch: with
        `apart` every text is a batch of its own, and its row depends on nothing else. Raises ModelError when there is
        no memory for one text.
        """
        most = min(longest or self.longest, self.longest) - len(self._tokens.before) - len(self._tokens.after)
        rows: list[list[int]] = []
        places: list[int] = []
        for place, text in enumerate(texts):
            if ids := self._tokens.ids(text, max(most, 1)):
                rows.append([*self._tokens.before, *ids, *self._tokens.after])
                places.append(place)
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        order, results = run_in_batches(
            list(map(len, rows)),
            lambda batch: self._run([rows[row] for row in batch]),
            tokens=1 if apart else TOKENS,
            threads=self.threads,
            spread=self._session.spread,
        )
        if results:
            vectors[[places[row] for row in order]] = np.concatenate(results)
        return vectors

    def _run(self, rows: list[list[int]]) -> Numbers:
        output = self._session.run(self._role.output, rows)
        if self._role.pooling == "cls":
            output = output[:, 0]
        elif self._role.pooling:
            mask = padded_mask(rows)
            output = (output * mask).sum(axis=1) / mask.sum(axis=1)
        vectors: Numbers = output / np.maximum(np.linalg.norm(output, axis=1, keepdims=True), 1e-12)
        return vectors
