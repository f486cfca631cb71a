"""The encoder: one vector of length 1 per text; texts with similar meanings are close.

A model that was trained for late interaction also has a vector for each token of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trackdown.errors import ModelError
from trackdown.models.batches import TOKENS, Numbers, run_in_batches
from trackdown.models.manifest import Role
from trackdown.models.onnx_session import OnnxSession, padded_mask
from trackdown.models.tokenizer import TextTokenizer


@dataclass(frozen=True, slots=True)
class Reading:
    """What the encoder makes of a text: its vector, and a row for each token, none from a model without them.

    The length of a token's row is what the token weighs in a query.
    """

    vector: Numbers
    tokens: Numbers


class Encoder:
    """Vectors of normalized texts. It reads the first `longest` tokens of a text, and more of a query."""

    def __init__(self, model_id: str, role: Role, session: OnnxSession, tokens: TextTokenizer) -> None:
        """Raises ModelError when the graph has no such output."""
        if session.outputs.get(role.output) != (3 if role.pooling else 2):
            raise ModelError(f"{session.path} has no vector output {role.output!r}: export it with one")
        if role.tokens and session.outputs.get(role.tokens) != 3:
            raise ModelError(f"{session.path} has no output {role.tokens!r} with a vector per token: export it again")
        self.model_id = model_id
        self.dimensions = role.dimensions
        self.token_dimensions = role.token_dimensions if role.tokens else 0
        self.longest = role.longest
        self.longest_query = role.longest_query or role.longest
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
        found = self._read(texts, min(longest or self.longest, self.longest), apart, [self._role.output])
        return np.array([one.vector for one in found], np.float32).reshape(len(texts), self.dimensions)

    def read(self, texts: Sequence[str]) -> list[Reading]:
        """A reading of each text, which depends on nothing else. Raises ModelError as `encode` does."""
        return self._read(texts, self.longest, True, self._outputs)

    def read_query(self, text: str) -> Reading:
        """A reading of a query: more of it is read than of a text."""
        return self._read([text], self.longest_query, True, self._outputs)[0]

    @property
    def _outputs(self) -> list[str]:
        return [self._role.output, *([self._role.tokens] if self._role.tokens else [])]

    def _read(self, texts: Sequence[str], longest: int, apart: bool, outputs: list[str]) -> list[Reading]:
        most = longest - len(self._tokens.before) - len(self._tokens.after)
        rows: list[list[int]] = []
        places: list[int] = []
        for place, text in enumerate(texts):
            if ids := self._tokens.ids(text, max(most, 1)):
                rows.append([*self._tokens.before, *ids, *self._tokens.after])
                places.append(place)
        nothing = Reading(np.zeros(self.dimensions, np.float32), np.zeros((0, self.token_dimensions), np.float32))
        found = [nothing] * len(texts)
        made = run_in_batches(
            list(map(len, rows)),
            lambda batch: self._run([rows[row] for row in batch], outputs),
            tokens=1 if apart else TOKENS,
            threads=self.threads,
            spread=self._session.spread,
        )
        for place, reading in zip(places, made, strict=True):
            found[place] = reading
        return found

    def _run(self, rows: list[list[int]], outputs: list[str]) -> list[Reading]:
        output, *more = self._session.run(outputs, rows)
        if self._role.pooling == "cls":
            output = output[:, 0]
        elif self._role.pooling:
            mask = padded_mask(rows)
            output = (output * mask).sum(axis=1) / mask.sum(axis=1)
        vectors: Numbers = output / np.maximum(np.linalg.norm(output, axis=1, keepdims=True), 1e-12)
        tokens = more[0] if more else np.zeros((len(rows), 0, self.token_dimensions), np.float32)
        return [Reading(vectors[place], tokens[place, : len(row)]) for place, row in enumerate(rows)]
