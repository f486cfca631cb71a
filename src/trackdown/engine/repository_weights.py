"""Fusion weights fitted to a repository's history: stored, and used where they beat the default.

A record names the defaults it was compared with. When the program's weights or models have changed since, the
comparison is void, and the record is ignored until the weights are fitted again.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from types import TracebackType

import msgspec

from trackdown.fuse import LearnedFusion, decode_fusions, fusion_for, load_learned, packaged_text
from trackdown.index import repository_id
from trackdown.models import ModelShelf, model_shelf
from trackdown.repository import open_source
from trackdown.settings import Settings
from trackdown.store import Store

WEIGHTS_RECORDS = "own-fusion"
"""The kind of the store's records."""


class WeightsScore(msgspec.Struct, frozen=True):
    """Default and fitted fusion compared at one level, on cases newer than the training cases."""

    level: str
    cases: int
    metric: str
    before: float
    after: float
    chance: float
    won: bool


class WeightsRecord(msgspec.Struct, frozen=True):
    """The stored record: the scores of every level, and the weights of the levels that won, as JSON."""

    repository: str
    date: str
    against: str
    models: tuple[str, ...]
    cases: int
    scores: tuple[WeightsScore, ...]
    fusions: str

    @property
    def won(self) -> bool:
        return any(score.won for score in self.scores)


def default_digest() -> str:
    """A digest of the packaged weights."""
    return hashlib.sha256(packaged_text().encode()).hexdigest()[:12]


def read_weights(store: Store, repository: str) -> WeightsRecord | None:
    """The record of a repository; None if there is none or it is damaged."""
    data = store.database.read_record(WEIGHTS_RECORDS, repository)
    try:
        return msgspec.json.decode(data, type=WeightsRecord) if data is not None else None
    except msgspec.DecodeError:
        return None


def repository_fusion(store: Store, repository: str, level: str, models: tuple[str, ...] = ()) -> LearnedFusion | None:
    """The repository's fitted fusion for a level, if it beat the present defaults.

    `models` are the ids of the models in use. The default's tables follow the fitted ones, for searches in which a
    channel is missing.
    """
    record = read_weights(store, repository)
    if record is None or record.against != default_digest() or record.models != models:
        return None
    try:
        fitted = fusion_for(decode_fusions(record.fusions), level)
    except ValueError:
        return None
    default = load_learned(level)
    if fitted is None or default is None:
        return fitted
    return replace(fitted, tables=(*fitted.tables, *default.tables))


def fusing_models(shelf: ModelShelf) -> tuple[str, ...]:
    """The ids of the models that take part in fusion: the static table, if there is one."""
    table = shelf.static()
    return () if table is None else (table.model_id,)


class RepositoryWeights:
    """Reads, writes and removes a repository's record. A context manager."""

    def __init__(self, place: str | os.PathLike[str], settings: Settings) -> None:
        source = open_source(place)
        self._store = Store(settings.store)
        self.repository = repository_id(self._store, source, source.head())
        self.models = fusing_models(model_shelf(settings.models, settings.thread_count))

    def __enter__(self) -> RepositoryWeights:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def read(self) -> WeightsRecord | None:
        """The stored record, whether it is in use or not."""
        return read_weights(self._store, self.repository)

    def fusion(self, level: str) -> LearnedFusion | None:
        """The fusion that a search would use."""
        return repository_fusion(self._store, self.repository, level, self.models)

    def keep(self, record: WeightsRecord) -> None:
        """Store a record; it replaces the previous one."""
        self._store.database.write_record(WEIGHTS_RECORDS, self.repository, msgspec.json.encode(record))

    def forget(self) -> bool:
        """Remove the record. Returns whether there was one."""
        known = self._store.database.read_record(WEIGHTS_RECORDS, self.repository) is not None
        self._store.database.delete_records(WEIGHTS_RECORDS, [self.repository])
        return known
