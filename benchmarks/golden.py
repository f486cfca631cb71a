"""Golden rankings: questions on a pinned commit of a real repository, with the rank of the first right answer.

python benchmarks/golden.py benchmarks/golden/flask.json REPOSITORY [--json FILE] [--against FILE]

With --against, a question whose answer ranks lower than in an earlier result is named, and the exit code is 1.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from measure import keep, new_parser

import trackdown

DEPTH = 20


def main() -> int:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("golden", type=Path)
    parser.add_argument("repository")
    parser.add_argument("--against", type=Path)
    arguments = parser.parse_args()
    golden = json.loads(arguments.golden.read_text("utf-8"))
    report = rank_answers(golden, arguments.repository)
    for row in report["questions"]:
        print(f"{row['rank'] or '-':>3}  {row['query'].splitlines()[-1][:90]}  → {row['first']}")
    print(f"MRR {report['MRR']:.3f}, first {report['first']} of {len(report['questions'])}")
    keep(report, arguments.json)
    return compare(report, json.loads(arguments.against.read_text("utf-8"))) if arguments.against else 0


def rank_answers(golden: dict[str, Any], place: str) -> dict[str, Any]:
    """Ask every question at the pinned commit."""
    repository = trackdown.open(place)
    rows = []
    for question in golden["questions"]:
        found = repository.search(question["query"], k=DEPTH, level=question["level"], at=golden["commit"])
        places = [f"{result.path}:{result.symbol}".rstrip(":") for result in found]
        rank = next((rank for rank, place in enumerate(places, 1) if place in question["answers"]), None)
        rows.append({"query": question["query"], "rank": rank, "first": places[0] if places else None})
    ranks = [row["rank"] for row in rows]
    return {
        "repository": golden["repository"],
        "commit": golden["commit"],
        "MRR": round(sum(1 / rank for rank in ranks if rank) / len(ranks), 4),
        "first": ranks.count(1),
        "questions": rows,
    }


def compare(now: dict[str, Any], before: dict[str, Any]) -> int:
    """Name what fell. Returns the exit code."""
    old = {row["query"]: row["rank"] or DEPTH + 1 for row in before["questions"]}
    fell = [row for row in now["questions"] if (row["rank"] or DEPTH + 1) > old.get(row["query"], DEPTH + 1)]
    for row in fell:
        print(f"fell from {old[row['query']]} to {row['rank']}: {row['query'].splitlines()[-1]}", file=sys.stderr)
    return 1 if fell else 0


if __name__ == "__main__":
    sys.exit(main())
