"""One question with what every channel said of its candidates, and files of them: flat arrays in one .npz."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.errors import TrackdownError
from trackdown.lab.cases import Place

Array = npt.NDArray[Any]
_SIGN = "\x1f"


@dataclass(frozen=True, slots=True)
class Example:
    """Row r of `scores` and `ranks` is about `places[r]`; a column is a signal's. `when` is the time of the commit.

    `full` is the score of each channel that counts as 1 when it is scaled; `factors` are what roles multiply by.
    """

    id: str
    when: int
    gold: tuple[Place, ...]
    places: tuple[Place, ...]
    signals: tuple[str, ...]
    scores: Array
    ranks: Array
    full: Array
    factors: Array
    query: Mapping[str, float]

    def labels(self) -> npt.NDArray[np.bool_]:
        """Which candidates are gold."""
        gold = set(self.gold)
        return np.array([place in gold for place in self.places], dtype=bool)


def write_examples(path: Path, examples: Sequence[Example], digest: str) -> None:
    """Write a file, aside first. Raises TrackdownError when it cannot."""
    table = _Places()
    signals = examples[0].signals if examples else ()
    features = tuple(examples[0].query) if examples else ()
    width = len(signals)
    arrays: dict[str, Array] = {
        "digest": np.array(digest),
        "signals": np.array(signals, dtype=np.str_),
        "features": np.array(features, dtype=np.str_),
        "ids": np.array([example.id for example in examples], dtype=np.str_),
        "when": np.array([example.when for example in examples], dtype=np.int64),
        "query": np.array([[example.query[name] for name in features] for example in examples], dtype=np.float64),
        "full": _joined([example.full[None, :] for example in examples], width),
        "candidates": np.array([len(example.places) for example in examples], dtype=np.int64),
        "places": np.array(table.numbers(place for example in examples for place in example.places), dtype=np.int32),
        "scores": _joined([example.scores for example in examples], width),
        "ranks": _joined([example.ranks for example in examples], width).astype(np.int16),
        "factors": np.concatenate([example.factors for example in examples] or [np.zeros(0)]).astype(np.float32),
        "golds": np.array([len(example.gold) for example in examples], dtype=np.int64),
        "gold": np.array(table.numbers(place for example in examples for place in example.gold), dtype=np.int32),
    }
    arrays["names"] = np.frombuffer("\n".join(table.names).encode("utf-8", "surrogateescape"), dtype=np.uint8)
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
        os.replace(part, path)
    except OSError as error:
        raise TrackdownError(f"cannot write {path}: {error.strerror}") from None


def read_examples(path: Path, digest: str = "") -> list[Example] | None:
    """What a file holds; None when there is none, it is damaged, or it was collected in another way."""
    try:
        with np.load(path, allow_pickle=False) as loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        if digest and str(arrays["digest"]) != digest:
            return None
        return _examples(arrays)
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile):
        return None


def _examples(arrays: Mapping[str, Array]) -> list[Example]:
    names = arrays["names"].tobytes().decode("utf-8", "surrogateescape").split("\n")
    places = [Place(*name.split(_SIGN)) for name in names if _SIGN in name]
    signals, features = tuple(map(str, arrays["signals"])), tuple(map(str, arrays["features"]))
    rows = np.concatenate(([0], np.cumsum(arrays["candidates"])))
    golds = np.concatenate(([0], np.cumsum(arrays["golds"])))
    found = []
    for number, id_ in enumerate(arrays["ids"]):
        here = slice(int(rows[number]), int(rows[number + 1]))
        gold = arrays["gold"][int(golds[number]) : int(golds[number + 1])]
        found.append(
            Example(
                str(id_),
                int(arrays["when"][number]),
                tuple(places[one] for one in gold),
                tuple(places[one] for one in arrays["places"][here]),
                signals,
                arrays["scores"][here].astype(np.float64),
                arrays["ranks"][here].astype(np.float64),
                arrays["full"][number].astype(np.float64),
                arrays["factors"][here].astype(np.float64),
                dict(zip(features, map(float, arrays["query"][number]), strict=True)),
            )
        )
    return found


class _Places:
    """Numbers for places, the same place always the same one. Line breaks in names, which git allows, become spaces."""

    def __init__(self) -> None:
        self._known: dict[Place, int] = {}
        self.names: list[str] = []

    def numbers(self, places: Iterable[Place]) -> list[int]:
        found = []
        for place in places:
            if place not in self._known:
                self._known[place] = len(self.names)
                self.names.append(_SIGN.join(text.replace("\n", " ") for text in (place.path, place.symbol)))
            found.append(self._known[place])
        return found


def _joined(blocks: Sequence[Array], width: int) -> Array:
    return np.concatenate([*blocks, np.zeros((0, width))]).astype(np.float32)
