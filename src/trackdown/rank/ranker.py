"""The fitted ranker: one set of trees for functions and classes, one for files, and the names of their features."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError
from trackdown.plain_files import open_plain, read_plain
from trackdown.rank.features import FeatureTable
from trackdown.rank.trees import NODE, Trees

Floats = npt.NDArray[np.float64]
FORMAT = 1
START = "start"
"""The part that every candidate's score begins with."""
_RANKED_LIKE = {"symbol": "function", "class": "function"}


@dataclass(frozen=True, slots=True)
class Ranker:
    """Scores candidates of one level. `trained` says from what it was fitted."""

    level: str
    features: tuple[str, ...]
    trees: Trees
    trained: Mapping[str, Any] = field(default_factory=dict)

    def scores(self, table: FeatureTable) -> Floats:
        """The score of each row; higher is better, and only their order within one query has a meaning."""
        return self.trees.scores(table.columns(self.features))

    def parts(self, table: FeatureTable) -> dict[str, Floats]:
        """Signal → what it adds to the score of each row. The parts of a row add up to its score."""
        by_feature = self.trees.parts(table.columns(self.features))
        found: dict[str, Floats] = {START: by_feature[:, -1].copy()}
        for number, name in enumerate(self.features):
            signal = name.partition(".")[0]
            found[signal] = found.get(signal, 0.0) + by_feature[:, number]
        return found


def write_ranker(folder: Path, ranker: Ranker) -> None:
    """Write a ranker's two files into a folder, each aside first."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {
        "format": FORMAT,
        "level": ranker.level,
        "features": list(ranker.features),
        "roots": ranker.trees.roots.tolist(),
        "depth": ranker.trees.depth,
        "trained": dict(ranker.trained),
    }
    nodes = folder / f".{ranker.level}.npy.part"
    with nodes.open("wb") as stream:
        np.save(stream, ranker.trees.nodes)
    os.replace(nodes, folder / f"{ranker.level}.npy")
    text = folder / f".{ranker.level}.json.part"
    text.write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    os.replace(text, folder / f"{ranker.level}.json")


def load_ranker(folder: Path, level: str) -> Ranker | None:
    """The ranker of a level in a folder; None if there is none. Raises ModelError when it is damaged."""
    try:
        about = json.loads(read_plain(folder / f"{level}.json"))
        with open_plain(folder / f"{level}.npy") as stream:
            nodes = np.load(stream, allow_pickle=False)
        if about["format"] != FORMAT or nodes.dtype != NODE:
            raise ValueError(f"written in format {about['format']!r}, not {FORMAT}")
        roots = np.array(about["roots"], dtype=np.int64)
        return Ranker(level, tuple(about["features"]), Trees(nodes, roots, int(about["depth"])), about["trained"])
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"the ranker in {folder} is damaged ({error}): run `trackdown train ranker` again") from None


@lru_cache(maxsize=4)
def fitted_ranker(folder: Path, level: str) -> Ranker:
    """The ranker of a level in a folder. Classes and symbols are ranked like functions. Raises ModelError."""
    known = _RANKED_LIKE.get(level, level)
    found = load_ranker(folder, known)
    if found is None:
        raise ModelError(f"{folder} has no ranker for {known}s: run `trackdown train ranker --level {known}`")
    return found
