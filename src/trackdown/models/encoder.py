"""The encoder: one vector of length 1 per text; texts with similar meanings are close."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trackdown.errors import ModelError
from trackdown.models.batches import TOKENS, Numbers, run_in_batches
from trackdown.models.manifest import Role
from trackdown.models.onnx_session import OnnxSession, padded_mask
from trackdown.models.tokenizer import TextTokenizer


class Encoder:
    """Vectors of normalized texts. It reads the first `longest` tokens of a text."""

    def __init__(self, model_id: str, role: Role, session: OnnxSession, tokens: TextTokenizer) -> None:
        """Raises ModelError when the graph has no such output."""
        if session.outputs.get(role.output) != (3 if role.pooling else 2):
            raise ModelError(f"{session.path} has no vector output {role.output!r}: export it with one")
        self.model_id = model_id
        self.dimensions = role.dimensions
        self.longest = role.longest
        self._role = role
        self._session = session
        self._tokens = tokens

    @property
    def threads(self) -> int:
        """The number of texts read in parallel."""
        return self._session.threads

    def encode(self, texts: Sequence[str], longest: int | None = None, *, apart: bool = False) -> Numbers:
        """A row for each text, in order; zero for a text without words.

        `longest` reads less than the model could, for speed. A quantised model's scales depend on the whole batch; with
        `apart` every text is its own batch, so its row depends on nothing else. Raises ModelError when there is not
        enough memory for one text.
        """
        most = min(longest or self.longest, self.longest) - len(self._tokens.before) - len(self._tokens.after)
        rows: list[list[int]] = []
        places: list[int] = []
        for place, text in enumerate(texts):
            if ids := self._tokens.ids(text, max(most, 1)):
                rows.append([*self._tokens.before, *ids, *self._tokens.after])
                places.append(place)
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        if rows:
            vectors[places] = run_in_batches(
                list(map(len, rows)),
                lambda batch: self._run([rows[row] for row in batch]),
                tokens=1 if apart else TOKENS,
                threads=self.threads,
                spread=self._session.spread,
            )
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
