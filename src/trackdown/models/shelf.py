"""The models of this process: opened when they are needed. What is missing or broken costs a note, never a search."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from trackdown.errors import ModelError

if TYPE_CHECKING:
    from trackdown.models.cross_encoder import CrossEncoder
    from trackdown.models.encoder import Encoder
    from trackdown.models.registry import Models
    from trackdown.models.static import StaticTable

T = TypeVar("T")
NONE = "none"
"""The setting that does without models."""
_SHELVES = threading.Lock()


class ModelShelf:
    """The parts of one set of models, each opened once. For several threads.

    `name` is what `open_models` takes, or "none". A part that cannot be opened is tried again whenever it is asked for:
    a file may come back.
    """

    def __init__(self, name: str, threads: int) -> None:
        self._name = name
        self._threads = threads
        self._models: Models | None = None
        self._problems: dict[str, str] = {}
        self._opening = threading.Lock()
        # Words are looked up while the encoder is still loading; encoder and cross-encoder may be one file.
        self._words, self._texts = threading.Lock(), threading.Lock()

    def static(self) -> StaticTable | None:
        """The table of word vectors."""
        return self._part("static", self._words, lambda models: models.static)

    def encoder(self) -> Encoder | None:
        """The encoder of texts."""
        return self._part("encoder", self._texts, lambda models: models.encoder)

    def cross_encoder(self) -> CrossEncoder | None:
        """The cross-encoder of pairs."""
        return self._part("cross_encoder", self._texts, lambda models: models.cross_encoder)

    def ids(self) -> tuple[str, ...]:
        """The ids of all models of the set, without opening them: what was measured with them belongs to them."""
        found = self._part("set", self._words, lambda models: models.manifest)
        return () if found is None else tuple(found.model_id(role) for role in sorted(found.roles))

    def encoder_id(self) -> str:
        """The id of the encoder, without opening it; empty if there is none."""
        found = self._part("set", self._words, lambda models: models.manifest)
        return found.model_id("encoder") if found is not None and "encoder" in found.roles else ""

    def warm(self) -> None:
        """Open what judging needs; meant for a thread beside the search that is about to need it."""
        self.encoder()
        self.cross_encoder()

    def notes(self) -> list[str]:
        """What could not be opened or run, each once. What failed to run is told once only."""
        found = list(dict.fromkeys(self._problems.values()))
        self._problems.pop("run", None)
        return found

    def failed(self, error: ModelError) -> None:
        """Note that a model could be opened, but not run."""
        self._problems["run"] = f"{error}; searched without it"

    def _part(self, part: str, lock: threading.Lock, get: Callable[[Models], T | None]) -> T | None:
        if self._name == NONE:
            return None
        with lock:
            try:
                models = self._open()
                found = None if models is None else get(models)
            except ModelError as error:
                self._problems[part] = f"{error}; searched without it"
                return None
            self._problems.pop(part, None)
            return found

    def _open(self) -> Models | None:
        """The set; None where the program came without weights, which is a normal state and no problem."""
        from trackdown.models.registry import PACKAGED, PACKAGED_FOLDER, open_models

        with self._opening:
            if self._models is None and (self._name != PACKAGED or PACKAGED_FOLDER.is_dir()):
                self._models = open_models(self._name, self._threads)
            return self._models


def model_shelf(name: str, threads: int) -> ModelShelf:
    """The shelf of a set of models, which all repositories of this process share."""
    with _SHELVES:
        return _shelf(name, threads)


@lru_cache(maxsize=4)
def _shelf(name: str, threads: int) -> ModelShelf:
    return ModelShelf(name, threads)
