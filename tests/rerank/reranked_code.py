"""A small snapshot whose source is at hand, for stages that read units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.index.segments import corpus_of, index_of
from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.errors import ModelError
from trackdown.index.code import CodeIndex
from trackdown.index.corpus import Corpus
from trackdown.models.cross_encoder import CrossEncoder
from trackdown.models.encoder import Encoder
from trackdown.models.registry import Models


class Snapshot:
    """Files with their index. A unit is named by its symbol; files in `gone` cannot be read any more."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.code: CodeIndex = index_of(files)
        self.files = dict(files)
        self.gone: set[str] = set()
        self.read: list[int] = []
        self.problems: list[str] = []

    def unit(self, symbol: str) -> int:
        """The row of a function or class."""
        rows = range(len(self.code.unit_file))
        return next(row for row in rows if self.code.symbol(row) == symbol and self.code.kind(row) != "window")

    def texts(self, units: Sequence[int]) -> list[str | None]:
        """The source of units."""
        self.read += units
        return [self._text(unit) for unit in units]

    def _text(self, unit: int) -> str | None:
        path = self.code.path(int(self.code.unit_file[unit]))
        lines = self.files[path].split("\n")[int(self.code.unit_start[unit]) - 1 : int(self.code.unit_end[unit])]
        return None if path in self.gone else "\n".join(lines)

    def corpus(self, models: Models | None, facts: StoreFacts, messages: Sequence[str] = ()) -> Corpus:
        """The snapshot with models that read it."""
        return corpus_of(
            self.code,
            models=GivenModels(models, self.problems),
            texts=self.texts,
            messages=lambda positions: [messages[position] for position in positions],
            facts=facts,
        )


class GivenModels:
    """Models that are open already, or none. What fails is written down."""

    def __init__(self, models: Models | None, problems: list[str]) -> None:
        self._models = models
        self._problems = problems

    def encoder(self) -> Encoder | None:
        return self._models.encoder if self._models else None

    def cross_encoder(self) -> CrossEncoder | None:
        return self._models.cross_encoder if self._models else None

    def failed(self, error: ModelError) -> None:
        self._problems.append(str(error))


def function(name: str, *words: str) -> str:
    return f"def {name}():\n    return {' '.join(words)}\n\n\n"
