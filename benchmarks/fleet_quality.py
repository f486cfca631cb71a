"""Issues asked of a whole fleet: is the right repository first, and are all right functions among ten?

python benchmarks/fleet_quality.py DATA.jsonl… --repos FOLDER [--layout …] --fleet FOLDER [--others PATH …]
    [--issues 150] [--efforts fast,balanced] [--one-by-one 50] [--after FILE] [--json FILE]

The fleet has the repositories of the issues, and the others at their heads. It is asked in rounds: in each, every
repository with an issue left is synced at that issue's base commit, and those issues are asked without naming the
repository, once as they are and once with the repository's and its owner's name masked in the text. Beside it each
issue is asked of its own repository alone and, for some of them without models, of every repository one by one. An
issue whose base commit cannot be published is left out.
--after takes an earlier report: what its issues were asked is not asked again, and the new report has them too.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measure import keep, name_of, new_parser

from trackdown.engine import merged
from trackdown.fleet import (
    ClusterOptions,
    FleetReader,
    FleetRepositories,
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

TEXTS = ("as they are", "masked")
ONE_BY_ONE = "one by one fast"
Row = dict[str, Any]


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--fleet", type=Path, required=True)
    parser.add_argument("--others", type=Path, nargs="*", default=[])
    parser.add_argument("--issues", type=int, default=150)
    parser.add_argument("--efforts", default="fast,balanced")
    parser.add_argument("--one-by-one", type=int, default=50, metavar="ISSUES")
    parser.add_argument("--after", type=Path, metavar="REPORT")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    tasks = [
        task for file in arguments.data for task in read_swe(file, arguments.repos, arguments.layout, "function").tasks
    ]
    quality = Quality(arguments.fleet, tasks, arguments.others, arguments.efforts.split(","), arguments.workers)
    before = json.loads(arguments.after.read_text("utf-8")) if arguments.after else {"rows": [], "syncs": []}
    rows: dict[str, Row] = {row["id"]: row for row in before["rows"]}
    quality.syncs += before["syncs"]
    left = arguments.one_by_one - sum(ONE_BY_ONE in row[TEXTS[0]] for row in rows.values())
    for round_ in rounds(tasks, arguments.issues):
        without = [task for task in round_ if task.id not in rows or ONE_BY_ONE not in rows[task.id][TEXTS[0]]]
        new, alone = [task for task in round_ if task.id not in rows], without[: max(0, left)]
        if not new and not alone:
            continue
        with quality.at(round_) as (fleet, there):
            rows |= quality.asked(fleet, [task for task in new if task.id in there])
            alone = [task for task in alone if task.id in there]
            quality.ask_one_by_one(fleet, alone, rows)
            left -= len(alone)
    told = list(rows.values())
    report = {"issues": len(rows), "repositories": len(quality.places), "syncs": quality.syncs, **means(told)}
    print({name: value for name, value in report.items() if name != "syncs"})
    keep({**report, "rows": told}, arguments.json)


def rounds(tasks: Sequence[Task], most: int) -> Iterator[list[Task]]:
    """The first issue of every repository, then the second ones, and so on; so many in all."""
    waiting: dict[str, list[Task]] = {}
    for task in sorted(tasks, key=lambda task: task.id):
        waiting.setdefault(task.repository, []).append(task)
    left = most
    while left > 0 and any(waiting.values()):
        taken = [own.pop(0) for own in waiting.values() if own][:left]
        left -= len(taken)
        yield taken


class Quality:
    """A fleet whose repositories move to the base commits of issues."""

    def __init__(
        self, folder: Path, tasks: Sequence[Task], others: Sequence[Path], efforts: Sequence[Effort], workers: int
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "fleet.toml"
        self.efforts = efforts
        self.workers = workers
        self.places = {task.repository: str(Path(task.place).resolve()) for task in tasks}
        known = set(self.places.values())
        for path in others:
            if str(path.resolve()) not in known:
                self.places.setdefault(name_of(path).replace("+", "/"), str(path.resolve()))
        self.settings = load_settings(store=folder / "store")
        self.syncs: list[dict[str, Any]] = []

    @contextmanager
    def at(self, round_: Sequence[Task]) -> Iterator[tuple[FleetRepositories, set[str]]]:
        """The fleet with these issues' repositories at their base commits, and the issues whose commit is there."""
        commits = {task.repository: task.at for task in round_}
        entries = [
            f'[[repositories]]\npath = "{path}"\nname = "{name}"\nat = "{commits.get(name) or "HEAD"}"\n'
            for name, path in self.places.items()
        ]
        self.file.write_text('place = "place"\ngrace_hours = 0.1\n' + "".join(entries), "utf-8")
        done = sync(read_fleet(self.file), self.settings, SyncOptions(ClusterOptions(workers=self.workers)))
        self.syncs.append(
            {"built": len(done.built), "units": done.units, "seconds": done.seconds, "problems": dict(done.problems)}
        )
        print(self.syncs[-1], flush=True)
        self.reader = FleetReader(Place(read_fleet(self.file).address), self.settings)
        published = self.reader.published()  # a repository that failed is in the state that an earlier round published
        there = {t.id for t in round_ if t.repository in published and published[t.repository].built.commit == t.at}
        with FleetRepositories(self.reader, self.settings) as fleet:
            yield fleet, there

    def asked(self, fleet: FleetRepositories, tasks: Sequence[Task]) -> dict[str, Row]:
        """What the fleet and the issues' own repositories answer."""
        rows: dict[str, Row] = {}
        for task in tasks:
            rows[task.id] = {"id": task.id}
            for text, query in texts_of(task):
                started = time.perf_counter()
                ranked = list(self.reader.candidates(understand(query), (), list(self.reader.published())))
                told: dict[str, Any] = {"rank": place_in(ranked, task.repository)}
                told["candidates_s"] = round(time.perf_counter() - started, 3)
                for effort in self.efforts:
                    told[f"fleet {effort}"] = found(fleet.search(query, effort=effort), task)
                    own = fleet.search(query, effort=effort, repository=task.repository)
                    told[f"alone {effort}"] = found(own, task)
                rows[task.id][text] = told
            print(rows[task.id], flush=True)
        return rows

    def ask_one_by_one(self, fleet: FleetRepositories, tasks: Sequence[Task], rows: dict[str, Row]) -> None:
        """Ask every repository, each of them everything while it is open, and merge answers by probability."""
        answers: dict[tuple[str, str], list[SearchResults]] = {}
        for name in fleet.names if tasks else ():
            for task in tasks:
                for text, query in texts_of(task):
                    answer = fleet.search(query, effort="fast", repository=name)
                    answers.setdefault((task.id, text), []).append(answer)
            print(f"{len(tasks)} issues asked of {name}", flush=True)
        for task in tasks:
            for text in TEXTS:
                rows[task.id][text][ONE_BY_ONE] = found(merged(answers[task.id, text], 10), task)


def texts_of(task: Task) -> Iterator[tuple[str, str]]:
    """The ways to ask an issue, and its text for each."""
    return zip(TEXTS, (task.query, masked(task.query, task.repository)), strict=True)


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


def means(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Shares over all issues, for both texts. What was asked of some issues only says of how many."""
    report: dict[str, dict[str, float]] = {}
    for text in TEXTS:
        told = [row[text] for row in rows]
        shares = {
            "repository first": share([one["rank"] == 1 for one in told]),
            "repository among three": share([1 <= one["rank"] <= 3 for one in told]),
            "repository among five": share([1 <= one["rank"] <= 5 for one in told]),
        }
        names = [name for name in told[0] if name.startswith(("fleet", "alone"))] if told else []
        for name in names:
            shares[f"{name} Acc@10"] = share([one[name] for one in told])
        every = [one for one in told if ONE_BY_ONE in one]
        shares["asked one by one"] = len(every)
        for name in (ONE_BY_ONE, "fleet fast", "alone fast") if every else ():
            shares[f"of those, {name} Acc@10"] = share([one[name] for one in every if name in one])
        report[text] = shares
    return report


def share(values: Sequence[bool]) -> float:
    """The share of those that are true."""
    return round(sum(values) / max(1, len(values)), 4)


if __name__ == "__main__":
    main()
