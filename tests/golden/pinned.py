"""The pinned questions and ranks. `python -m tests.golden.pinned` asks them anew and writes what it finds."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import trackdown
from trackdown.settings import load_settings

FILE = Path(__file__).with_name("lendery.json")
DEPTH = 8
DEEPEST = 20
MODES: Mapping[str, Mapping[str, Any]] = {"fast": {"effort": "fast"}, f"depth {DEPTH}": {"depth": DEPTH}}


@dataclass(frozen=True)
class Pinned:
    """A question, the place that answers it (path:symbol), and its rank by mode; None is beyond the deepest."""

    query: str
    target: str
    level: str
    ranks: Mapping[str, int | None]


def read_pinned(path: Path = FILE) -> list[Pinned]:
    """The questions as they are recorded."""
    return [Pinned(**one) for one in json.loads(path.read_text("utf-8"))]


def places(found: trackdown.SearchResults) -> list[str]:
    """The results as path:symbol, best first."""
    return [f"{result.path}:{result.symbol}".rstrip(":") for result in found]


def ask(opened: trackdown.Repository, pinned: Pinned, mode: str) -> list[str]:
    """What a question finds now, best first."""
    return places(opened.search(pinned.query, k=DEEPEST, level=pinned.level, **MODES[mode]))


def rank_of(target: str, found: Sequence[str]) -> int | None:
    """Where the answer is, counted from 1."""
    return found.index(target) + 1 if target in found else None


def main() -> None:
    """Record the ranks as they are now."""
    from tests.golden.lendery import build_lendery

    with tempfile.TemporaryDirectory() as folder:
        repo = build_lendery(Path(folder) / "lendery")
        settings = load_settings({"HOME": folder}, store=Path(folder) / "store", models="packaged")
        with trackdown.open(repo.root, settings=settings) as opened:
            rows = []
            for pinned in read_pinned():
                ranks = {mode: rank_of(pinned.target, ask(opened, pinned, mode)) for mode in MODES}
                rows.append(asdict(pinned) | {"ranks": ranks})
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    FILE.write_text(f"[\n{lines}\n]\n", "utf-8")


if __name__ == "__main__":
    main()
