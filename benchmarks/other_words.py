"""Questions in other words: is a function found by a question that uses none of its words?

python benchmarks/other_words.py REPOS [--layout '{owner}/{name}'] [--modes balanced,hybrid] [--only flask] [--json …]

Each file of other_words/ has questions about one repository at a pinned commit, and the functions that answer them.
They were written from reading the code, before any model was trained for them; don't change them, and train on nothing
of these repositories. First other_words_check.py checks them: every answer must exist, and no question may use a word
of its answers. With --check, that is all. Then each question is asked. A mode is an effort (fast, balanced, thorough)
or a mode of search (bm25, hybrid, …). With --deep, the deep index is computed first; modes with `shallow` do without.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import keep, new_parser
from other_words_check import QuestionSet, faults, read_questions

import trackdown
from trackdown.errors import QueryError
from trackdown.lab.measure import bootstrap_interval
from trackdown.lab.repositories import find_repository

QUESTIONS = Path(__file__).parent / "other_words"
EFFORTS = ("fast", "balanced", "thorough")
DEPTH = 100
WITHIN = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, what it found first, and the rank of the first function that answers it; 0 if none does."""

    id: str
    rank: int
    first: str


def main() -> int:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repos", type=Path)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--modes", default="balanced", help="modes or efforts, separated by commas")
    parser.add_argument("--only", default="", help="names of question files, separated by commas")
    parser.add_argument("--deep", action="store_true", help="compute the deep indexes first")
    parser.add_argument("--check", action="store_true", help="check the questions and ask none")
    arguments = parser.parse_args()
    sets = [(asked, _clone(asked, arguments.repos, arguments.layout)) for asked in _sets(arguments.only)]
    if wrong := [fault for asked, clone in sets for fault in faults(asked, clone)]:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    count = sum(len(asked.questions) for asked, _ in sets)
    print(f"{count} questions about {len(sets)} repositories are in other words")
    if arguments.check:
        return 0
    report: dict[str, Any] = {"depth": DEPTH, "modes": {}}
    for mode in arguments.modes.split(","):
        if arguments.deep:
            compute_deep_indexes(sets)
        started = time.perf_counter()
        asked = {one.repository: ask(one, clone, mode) for one, clone in sets}
        found = summary(asked)
        print_table(mode, found)
        report["modes"][mode] = {
            "seconds": round(time.perf_counter() - started, 1),
            **found,
            "ranks": {one.id: one.rank for rows in asked.values() for one in rows},
        }
        keep(report, arguments.json)  # after each mode: a slow one may be stopped
    return 0


def _sets(only: str) -> list[QuestionSet]:
    names = only.split(",") if only else sorted(path.stem for path in QUESTIONS.glob("*.json"))
    return [read_questions(QUESTIONS / f"{name}.json") for name in names]


def _clone(asked: QuestionSet, repos: Path, layout: str) -> Path:
    clone = find_repository(repos, layout, asked.repository)
    if clone is None:
        raise SystemExit(f"{repos} has no clone of {asked.repository} by the layout {layout}")
    return clone


def compute_deep_indexes(sets: Sequence[tuple[QuestionSet, Path]]) -> None:
    """Let the encoder read all code of the pinned commits; once is enough."""
    for asked, clone in sets:
        with trackdown.open(str(clone)) as repository:
            repository.index(asked.commit, deep=True)


def ask(asked: QuestionSet, clone: Path, mode: str) -> list[Asked]:
    """Ask all questions about a repository at its pinned commit."""
    options: dict[str, Any] = {"effort": mode} if mode in EFFORTS else {"mode": mode}
    rows = []
    with trackdown.open(str(clone)) as repository:
        for question in asked.questions:
            try:
                found = repository.search(question.text, k=DEPTH, level="function", at=asked.commit, **options)
                places = [(result.path, result.symbol) for result in found]
            except QueryError:
                places = []  # nothing to search for: a miss
            rank = next((rank for rank, place in enumerate(places, 1) if place in question.answers), 0)
            rows.append(Asked(question.id, rank, ":".join(places[0]) if places else ""))
    return rows


def summary(asked: Mapping[str, Sequence[Asked]]) -> dict[str, Any]:
    """Figures for each repository and for all questions together."""
    everything = [row for rows in asked.values() for row in rows]
    return {
        "all": figures(everything),
        "repositories": {name: figures(rows) for name, rows in asked.items()},
    }


def figures(rows: Sequence[Asked]) -> dict[str, Any]:
    """The shares found within the first 1, 5 and 10, and MRR, each with its 95 % interval."""
    values = {f"Hit@{k}": [float(0 < row.rank <= k) for row in rows] for k in WITHIN}
    values["MRR"] = [1 / row.rank if row.rank else 0.0 for row in rows]
    return {
        "questions": len(rows),
        **{name: round(sum(of) / len(of), 4) for name, of in values.items()},
        "intervals": {name: [round(end, 4) for end in bootstrap_interval(of)] for name, of in values.items()},
    }


def print_table(mode: str, found: Mapping[str, Any]) -> None:
    """One line for each repository, then all."""
    names = [*(f"Hit@{k}" for k in WITHIN), "MRR"]
    print(f"\n{mode:24}{'asked':>6}" + "".join(f"{name:>20}" for name in names))
    for name, row in (*found["repositories"].items(), ("all", found["all"])):
        cells = (f"{row[one]:.3f} [{row['intervals'][one][0]:.2f}, {row['intervals'][one][1]:.2f}]" for one in names)
        print(f"{name:24}{row['questions']:>6}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


if __name__ == "__main__":
    sys.exit(main())
