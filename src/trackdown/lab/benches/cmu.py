"""System 1's protocol: an issue-like query, the commit that resolved it, and the files which that commit changed.

Gandhi, Gao and Callan, "Repository-level code search with neural retrieval methods". The state searched is the commit's
parent: only its ancestors are visible (time masking), and files have the names they had then. All files count, tests
and documents too. In the oracle setting a ranking of the given depth is made that holds all gold files, at random
places among the files that come first without them, and a mode orders these: it judges the second stage alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab import Bench, CodeLocation, Row, Skipped, Task, is_commit_id
from trackdown.lab.benches.records import Record, Refusals, read_parquet, texts
from trackdown.repository import Git, open_source

QUERY = "transformed_message_gpt4"
METRICS = ("MAP", "MAP-cmu", "MRR", "P@1", "P@5", "P@10", "P@20", "R@1", "R@10", "R@20", "R@100", "R@500", "R@1000")
_DEPTH = 1000


def read_cmu(data: Path, place: Path, *, query: str = QUERY, strict: bool = False) -> Bench:
    """The rows of a Parquet file as tasks. Raises UsageError for a file or a repository that cannot be read."""
    rows = read_parquet(data, ("commit_id", "actual_files_modified", query))
    source = open_source(place)
    if source.git is None:
        raise UsageError(f"{place} is not a git repository")
    refusals = Refusals(data, strict=strict)
    parents = _parents(source.git, [row["commit_id"] for row in rows if isinstance(row["commit_id"], str)])
    tasks = []
    for number, row in enumerate(rows, 1):
        task = _task(row, number, query, parents, str(place), source.name, refusals)
        if task is not None:
            tasks.append(task)
    return Bench("cmu", "file", tuple(tasks), tuple(refusals.skipped), METRICS)


def _task(
    row: Record, number: int, query: str, parents: dict[str, str], place: str, name: str, refusals: Refusals
) -> Task | None:
    commit, text = row["commit_id"], row[query]
    if not isinstance(commit, str) or not commit or not isinstance(text, str) or not text.strip():
        refusals.skip(f"row {number}", "missing value", f"commit_id or {query} is empty")
        return None
    if not refusals.is_new(commit, name):
        return None
    try:
        gold = tuple(dict.fromkeys(texts(row["actual_files_modified"])))
    except ValueError as error:
        refusals.withdraw(commit, "unreadable gold", f"actual_files_modified {error}", name)
        return None
    if not gold:
        refusals.withdraw(commit, "empty gold", repository=name)
        return None
    if commit not in parents:
        refusals.withdraw(commit, "commit not in the clone", "or it has no parent", name)
        return None
    return Task(
        commit, text, tuple(map(CodeLocation, gold)), place, name, "file", at=parents[commit], roles=False, depth=_DEPTH
    )


def _parents(git: Git, commits: Sequence[str]) -> dict[str, str]:
    """Commit → first parent, of those that have one here."""
    wanted = list(filter(is_commit_id, commits))
    asked = "".join(f"{commit}^1\n" for commit in wanted)
    answer = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked.encode("ascii"))
    found = {}
    for commit, line in zip(wanted, answer.decode("ascii", "replace").splitlines(), strict=True):
        oid, _, kind = line.partition(" ")
        if kind == "commit":
            found[commit] = oid
    return found


def oracle(bench: Bench, first_stage: Sequence[Row], depth: int, seed: int = 0) -> tuple[Bench, list[Row]]:
    """The oracle setting at a depth: tasks among `depth` files that hold all gold, and the shuffled rankings as rows.

    `first_stage` are the rows of the mode whose best files surround the gold ones; what it could not search is left
    out here, too. The shuffled rows are those of a mode of their own, `shuffled`.
    """
    if depth > _DEPTH:
        raise UsageError(f"the oracle setting goes {_DEPTH} deep at most, not {depth}")
    ranked = {row.id: row for row in first_stage}
    tasks, rows = [], []
    skipped = list(bench.skipped)
    for task in bench.tasks:
        row = ranked[task.id]
        if row.skipped:
            skipped.append(Skipped(task.id, row.skipped, repository=task.repository))
            continue
        gold = [place.path for place in task.gold]
        others = [place.path for place in row.ranked if place.path not in set(gold)]
        files = [*gold, *others[: max(0, depth - len(gold))]]
        random.Random(f"{seed} {depth} {task.id}").shuffle(files)
        tasks.append(replace(task, among=tuple(files)))
        places = tuple(map(CodeLocation, files))
        rows.append(replace(row, mode="shuffled", ranked=places, scores=(0.0,) * len(places), ms=0.0))
    return replace(bench, tasks=tuple(tasks), skipped=tuple(skipped)), rows
