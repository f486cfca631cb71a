"""Run files that nobody measured: rankings drawn at random, as modes of different quality and speed would give them.

As a program it writes one to look at: `python -m tests.lab.report.made_runs FILE --modes 8 --repositories 15`.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from trackdown.lab.cases import CodeLocation
from trackdown.lab.runs import Row, encode_row

MODES = (
    "bm25",
    "commits",
    "hybrid",
    "hybrid+graph",
    "hybrid+rerank",
    "hybrid+graph+rerank",
    "semantic-minilm-l12-v2",
    "a-mode-with-quite-a-long-name+rrf+adaptive",
)
REPOSITORIES = (
    "django/django",
    "pallets/flask",
    "psf/requests",
    "pytest-dev/pytest",
    "scikit-learn/scikit-learn",
    "sympy/sympy",
    "matplotlib/matplotlib",
    "sphinx-doc/sphinx",
    "astropy/astropy",
    "pydata/xarray",
    "mwaskom/seaborn",
    "pylint-dev/pylint",
    "a-rather-long-organisation-name/and-a-repository-whose-name-goes-on-and-on",
    "redis/redis",
    "facebook/react",
)
CATEGORIES = ("Bug report", "Feature request", "Performance issue", "Security vulnerability")
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    '"><img src=x onerror=alert(3)>',
    "']];alert(4)//",
    "| a | b |\n|---|---|",
    "**bold** [link](https://example.org) `code` @someone",
    "\x1b[31mred\x1b[0m\x07",
    "\u202egnorw\u2066",
    "line\u2028break\u2029end",
    "lone \ud800 surrogate",
    "nul\x00byte",
    "&lt;b&gt; &amp; <b>",
    "-->",
    "<!--",
    "]]>",
    "漢字の課題 — ünïcödé 🙂",
)
_WORDS = (
    "cookie session parser header render template cache migration query index widget token stream filter socket crash "
    "wrong missing slow empty unicode timezone encoding nested recursion default option"
).split()


def make_rows(
    *,
    modes: Sequence[str] = MODES[:3],
    repositories: Sequence[str] = REPOSITORIES[:4],
    categories: Sequence[str] = CATEGORIES,
    cases: int = 60,
    depth: int = 100,
    skipped: int = 4,
    seed: int = 7,
    hostile: bool = False,
    level: str = "function",
) -> list[Row]:
    """Rows of all modes for so many cases, of which some are skipped. Later modes rank better and take longer."""
    source = random.Random(seed)
    rows = []
    for number in range(cases):
        repository = repositories[min(int(source.expovariate(3.0) * len(repositories)), len(repositories) - 1)]
        words = source.sample(_WORDS, 6)
        bad = HOSTILE[number % len(HOSTILE)] if hostile else ""
        gold = tuple(_place(source, bad) for _ in range(source.choice((1, 1, 1, 2, 3))))
        facts = {
            "gold": gold,
            "bench": "made up",
            "level": level,
            "repository": repository + bad,
            "category": source.choice(categories) if categories else "",
            "config": "made",
            "query": f"{' '.join(words).capitalize()} {bad}\n\nSteps:\n1. {' '.join(source.sample(_WORDS, 9))}\n",
        }
        name = f"{repository.rpartition('/')[2][:30]}-{1000 + 37 * number}{bad}"
        hard = source.random()
        pool = [_place(source, bad) for _ in range(depth + 40)]
        for place, mode in enumerate(modes):
            if number < skipped:
                reason = "commit not in the clone" if number % 2 else "query holds no word"
                rows.append(Row(name, mode, **{**facts, "gold": (), "skipped": reason}))  # type: ignore[arg-type]
                continue
            chance = max(0.02, min(0.97, 0.25 + 0.5 * (place / max(1, len(modes) - 1)) - 0.6 * (hard - 0.5)))
            ranked = _ranking(source, pool, gold, depth, chance)
            ms = 3.0 * 2.1**place * source.lognormvariate(0.0, 0.5)
            scores = tuple(1.0 / rank for rank in range(1, len(ranked) + 1))
            rows.append(Row(name, mode, ranked, scores, ms, **facts))  # type: ignore[arg-type]
    return rows


def _ranking(
    source: random.Random, pool: Sequence[CodeLocation], gold: Sequence[CodeLocation], depth: int, chance: float
) -> tuple[CodeLocation, ...]:
    """The pool in an order that modes roughly share, with gold somewhere in it or not at all."""
    noise = [number + source.gauss(0.0, 3.0) for number in range(len(pool))]
    places = [pool[number] for number in sorted(range(len(pool)), key=noise.__getitem__)][:depth]
    for wanted in gold:
        rank = int(source.expovariate(chance * 0.4))
        if source.random() < 0.35 + 0.6 * chance and rank < depth:
            places[rank] = wanted
    return tuple(dict.fromkeys(places))


def _place(source: random.Random, bad: str) -> CodeLocation:
    folders = source.sample(_WORDS, 3)
    symbol = f"{source.choice(_WORDS).capitalize()}.{source.choice(_WORDS)}_{source.randrange(400)}{bad}"
    return CodeLocation(f"src/{'/'.join(folders)}.py", symbol)


def write_run(path: Path, rows: Sequence[Row]) -> Path:
    """Write rows as a run file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{encode_row(row)}\n" for row in rows), "utf-8")
    return path


def main() -> None:
    """Write one as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    for name, default in (("modes", 3), ("repositories", 4), ("cases", 60), ("depth", 100), ("seed", 7)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--hostile", action="store_true")
    asked = parser.parse_args()
    rows = make_rows(
        modes=MODES[: asked.modes],
        repositories=REPOSITORIES[: asked.repositories],
        cases=asked.cases,
        depth=asked.depth,
        seed=asked.seed,
        hostile=asked.hostile,
    )
    write_run(asked.file, rows)


if __name__ == "__main__":
    main()
