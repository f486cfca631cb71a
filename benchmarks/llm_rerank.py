"""What does a language model add, what does it cost, and how many of its answers are of use? Issues, functions.

python benchmarks/llm_rerank.py DATA.jsonl --repos FOLDER [--layout …] [--issues 10] [--llm embedded] [--json RESULT]

Searches some issues of a SWE-bench-shaped file, spread evenly over it, with and without the stages that ask a language
model: the listwise reranker, the best three of twenty, and SpIDER's selector. With --history REPO it also lets the
model write issues for the newest commits of a repository, and says how much of the change these give away.

Answers are kept in the store (TRACKDOWN_STORE), so an interrupted run goes on; their tokens and seconds are those of
the time when they were asked for. An issue with a question that has no answer is left out and counted: with
TRACKDOWN_LLM_TOKENS=0 what was measured so far is reported.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from measure import describe_run

from trackdown.engine import default_plan, rank, with_mode
from trackdown.engine import open as open_repository
from trackdown.engine.llm.configured import asking, open_desk
from trackdown.lab.benches.swe import read_swe
from trackdown.lab.cases import Place
from trackdown.lab.mine.dataset import build_from_git
from trackdown.lab.mine.issue_style import IssueWriter
from trackdown.lab.runs import Row
from trackdown.lab.summary import summarise
from trackdown.lab.tasks import Bench, Task
from trackdown.models.llm.prompt import Completion, LanguageModel, Prompt
from trackdown.settings import Settings, load_settings
from trackdown.types import Progress, no_progress

PLAIN = ("hybrid", "hybrid+spider", "hybrid+rerank")
ASKING = ("hybrid+llm-rerank", "hybrid+llm-top", "hybrid+spider-llm", "hybrid+rerank+llm-rerank")
METRICS = ("Acc@1", "Acc@5", "Acc@10", "R@20", "MRR")


@dataclass
class Counted:
    """A model whose answers are added up, whether they are new or had been kept."""

    desk: LanguageModel
    questions: int = 0
    unanswered: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.desk.name

    @property
    def context(self) -> int:
        return self.desk.context

    def ask(self, stage: str, prompts: Sequence[Prompt], progress: Progress = no_progress) -> list[Completion | None]:
        """Ask, and count."""
        found = self.desk.ask(stage, prompts, progress)
        self.questions += len(found)
        for answer in found:
            self.unanswered += answer is None
            self.tokens_in += answer.tokens_in if answer is not None else 0
            self.tokens_out += answer.tokens_out if answer is not None else 0
            self.seconds += answer.seconds if answer is not None else 0.0
        return found

    def cost(self) -> dict[str, float]:
        """What was counted."""
        names = ("questions", "tokens_in", "tokens_out", "seconds")
        return {name: round(getattr(self, name), 1) for name in names}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--issues", type=int, default=10)
    parser.add_argument("--llm", default="embedded")
    parser.add_argument("--modes", default=",".join(ASKING), help="those that ask the model")
    parser.add_argument("--history", type=Path)
    parser.add_argument("--commits", type=int, default=20)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    bench = read_swe(arguments.data, arguments.repos, arguments.layout, "function")
    bench = replace(bench, tasks=spread(bench.tasks, arguments.issues))
    settings = load_settings(llm=arguments.llm)
    report = measure(bench, [mode for mode in arguments.modes.split(",") if mode], settings)
    if arguments.history is not None:
        report["rewriting"] = rewritten(arguments.history, arguments.commits, settings)
    text = json.dumps(report | {"run": describe_run()}, indent=1)
    print(text)
    if arguments.json is not None:
        arguments.json.write_text(text + "\n")


def spread(tasks: Sequence[Task], count: int) -> tuple[Task, ...]:
    """So many tasks, as far apart in the file as they can be."""
    return tuple(tasks[number * len(tasks) // count] for number in range(min(count, len(tasks))))


def measure(bench: Bench, asking: Sequence[str], settings: Settings) -> dict[str, Any]:
    """Every issue in every mode: figures, and for modes that ask a model its cost and what became of its answers."""
    rows: list[Row] = []
    heard: dict[str, list[Counted]] = {mode: [] for mode in asking}
    left_out = 0
    for task in bench.tasks:
        print(task.id, file=sys.stderr, flush=True)
        found, counts = search(task, asking, settings)
        if any(count.unanswered for count in counts.values()):
            left_out += 1
            continue
        rows += found
        for mode, count in counts.items():
            heard[mode].append(count)
    if not rows:
        raise SystemExit("no issue has all of its answers")
    summary = summarise(rows)
    searched = {row.id for row in rows}
    first = heard[asking[0]][0]
    return {
        "issues": len(searched), "left_out": left_out,
        "repositories": len({row.repository for row in rows}), "level": "function",
        "model": first.name, "context": first.context,
        "rows": [
            {"mode": mode, **{name: round(summary["modes"][mode][name], 4) for name in METRICS}}
            for mode in (*PLAIN, *asking)
        ],
        "cost": {mode: added(counts) for mode, counts in heard.items()},
        "notes": {mode: counted([note for count in counts for note in count.notes]) for mode, counts in heard.items()},
    }  # fmt: skip


def search(task: Task, asking: Sequence[str], settings: Settings) -> tuple[list[Row], dict[str, Counted]]:
    """One issue in every mode."""
    rows, counts = [], {}
    with open_repository(task.place, settings=settings) as opened:
        prepared = opened.prepared(task.at)
        for mode in (*PLAIN, *asking):
            options = replace(with_mode(default_plan(settings), mode), k=100)
            desk = open_desk(settings, prepared.facts)
            assert desk is not None
            asker = Counted(desk) if mode in asking else None
            started = time.perf_counter()
            found = rank(prepared, task.query, options, asker=asker, tell=asker.notes.append if asker else print)
            ranked = tuple(Place(place.path, place.symbol) for place in found)
            rows.append(Row(task.id, mode, gold=task.gold, bench="swe", level="function", repository=task.repository,
                            ranked=ranked, ms=(time.perf_counter() - started) * 1000))  # fmt: skip
            if asker is not None:
                counts[mode] = asker
    return rows, counts


def added(counts: Sequence[Counted]) -> dict[str, Any]:
    """What a mode cost, all issues together and each."""
    total = {name: round(sum(count.cost()[name] for count in counts), 1) for name in counts[0].cost()}
    return total | {"per_issue": {name: round(value / len(counts), 1) for name, value in total.items()}}


def counted(notes: Sequence[str]) -> dict[str, int]:
    """How often each note was told."""
    return {note: notes.count(note) for note in dict.fromkeys(notes)}


def rewritten(place: Path, commits: int, settings: Settings) -> dict[str, Any]:
    """What the model makes of the newest commits' messages, with some examples."""
    with asking(settings) as desk:
        asker = Counted(desk)
        writer = IssueWriter(asker)
        mined = build_from_git(place, max_cases=commits, query_from="rewritten", writer=writer)
    plain = build_from_git(place, max_cases=commits)
    shown = [
        {"subject": old.query, "issue": new.query}
        for old, new in zip(plain, mined, strict=True)
        if old.query != new.query
    ]
    return writer.done.as_dict() | {"examples": shown[:5], "cost": asker.cost()}


if __name__ == "__main__":
    main()
