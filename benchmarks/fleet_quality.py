"""Issues asked of a whole fleet: is the right repository first, and how many right functions does the answer have?

python benchmarks/fleet_quality.py DATA.jsonl --repos FOLDER [--layout …] --fleet FOLDER [--others PATH …]
    [--issues 150] [--effort balanced] [--mask] [--one-by-one] [--json FILE]

The fleet has the repositories of the issues and the others, at their heads. For each issue its own repository is synced
at the issue's base commit, and the issue's text is asked without naming the repository: with --mask, the repository's
and its owner's name are taken out of the text. Beside it the same issue is asked of its own repository alone, and with
--one-by-one of every repository.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import keep, new_parser

from trackdown.errors import TrackdownError
from trackdown.fleet import (
    ClusterOptions,
    FleetReader,
    FleetRepositories,
    FleetSearch,
    Place,
    SyncOptions,
    read_fleet,
    sync,
)
from trackdown.lab.benches.swe import read_swe
from trackdown.lab.tasks import Task
from trackdown.query import understand
from trackdown.settings import load_settings
from trackdown.types import Effort, SearchResults


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--fleet", type=Path, required=True)
    parser.add_argument("--others", type=Path, nargs="*", default=[])
    parser.add_argument("--issues", type=int, default=150)
    parser.add_argument("--effort", choices=["fast", "balanced", "thorough"], default="balanced")
    parser.add_argument("--mask", action="store_true")
    parser.add_argument("--one-by-one", action="store_true")
    arguments = parser.parse_args()
    tasks = read_swe(arguments.data, arguments.repos, arguments.layout, "function").tasks
    chosen = sorted(tasks, key=lambda task: task.id)[:: max(1, len(tasks) // arguments.issues)][: arguments.issues]
    quality = Quality(arguments.fleet, chosen, arguments.others, arguments.effort)
    rows = []
    for number, task in enumerate(chosen, 1):
        try:
            rows.append(quality.asked(task, mask=arguments.mask, one_by_one=arguments.one_by_one))
        except TrackdownError as error:
            print(f"{task.id} is left out: {error}")
            continue
        print(f"{number}/{len(chosen)} {rows[-1]}", flush=True)
    report = {"issues": len(rows), "masked": arguments.mask, "effort": arguments.effort, **means(rows)}
    print(report)
    keep({**report, "rows": rows}, arguments.json)


class Quality:
    """A fleet whose repositories move to the base commits of issues."""

    def __init__(self, folder: Path, tasks: Sequence[Task], others: Sequence[Path], effort: Effort) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "fleet.toml"
        self.effort = effort
        self.places = {task.repository: str(Path(task.place).resolve()) for task in tasks}
        for path in others:
            name = path.name if path.name not in ("repo", ".git") else path.parent.name
            self.places.setdefault(name.replace("+", "/"), str(path.resolve()))
        self.settings = load_settings(store=folder / "store")

    def asked(self, task: Task, *, mask: bool, one_by_one: bool) -> dict[str, Any]:
        """Ask an issue of the fleet and of its own repository."""
        entries = []
        for name, path in self.places.items():
            at = task.at if name == task.repository else "HEAD"
            entries.append(f'[[repositories]]\npath = "{path}"\nname = "{name}"\nat = "{at}"\n')
        self.file.write_text('place = "place"\ngrace_hours = 0.1\n' + "".join(entries), "utf-8")
        sync(read_fleet(self.file), self.settings, SyncOptions(ClusterOptions(workers=0)))
        reader = FleetReader(Place(read_fleet(self.file).address), self.settings, fresh_seconds=0.0)
        text = masked(task.query, task.repository) if mask else task.query
        ranked = reader.candidates(understand(text), ())
        row: dict[str, Any] = {"id": task.id, "rank": place_in(ranked, task.repository)}
        with FleetRepositories(reader, self.settings) as fleet:
            row["fleet"] = found(fleet.search(text, effort=self.effort), task)
            own = fleet.search(text, effort=self.effort, repository=task.repository)
            row["alone"] = found(own, task)
            if one_by_one:
                limit = FleetSearch(look_into=min(100, len(self.places)))
                row["one by one"] = found(fleet.search(text, effort=self.effort, fleet=limit), task)
        return row


def place_in(ranked: Sequence[str], name: str) -> int:
    """The place of a name in a ranking, from 1; 0 if it is not there."""
    return ranked.index(name) + 1 if name in ranked else 0


def masked(text: str, repository: str) -> str:
    """A text without the names of a repository and its owner."""
    for name in repository.split("/"):
        text = re.sub(re.escape(name), "project", text, flags=re.IGNORECASE)
    return text


def found(answer: SearchResults, task: Task) -> bool:
    """Whether all right functions are among the first ten."""
    places = {(one.repository, one.path, one.symbol) for one in answer[:10]}
    return all((task.repository, gold.path, gold.symbol) in places for gold in task.gold)


def means(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Shares over all issues."""
    count = max(1, len(rows))
    shares = {
        "repository first": sum(row["rank"] == 1 for row in rows) / count,
        "repository among three": sum(1 <= row["rank"] <= 3 for row in rows) / count,
    }
    for name in ("fleet", "alone", "one by one"):
        if rows and name in rows[0]:
            shares[f"{name} Acc@10"] = sum(row[name] for row in rows) / count
    return {name: round(value, 4) for name, value in shares.items()}


if __name__ == "__main__":
    main()
