"""Files of issues → questions for confidence: the issues, at both levels, and questions without an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from trackdown.lab import Bench, Task
from trackdown.lab.benches import read_swe
from trackdown.lab.train.unanswerable import ELSEWHERE, NONSENSE, OFF_TOPIC, unanswerable
from trackdown.types import Level

LEVELS: tuple[Level, ...] = ("function", "file")
QUESTIONS = {NONSENSE: 50, OFF_TOPIC: 50, ELSEWHERE: 100}
"""How many questions without an answer an evaluation asks."""


def read_questions(
    files: Sequence[Path], repos: Path, layout: str, counts: Mapping[str, int] | None = None
) -> list[Task]:
    """The issues of SWE-bench-shaped files at both levels, then `counts` of each kind without an answer.

    Without counts there is one question without an answer for two issues. Raises UsageError for unreadable files.
    """
    found: list[Task] = []
    for level in LEVELS:
        benches = [read_swe(file, repos, layout, level) for file in files]
        tasks = _all(benches)
        wanted = counts or {kind: max(1, len(tasks) * many // 400) for kind, many in QUESTIONS.items()}
        found += tasks
        found += unanswerable(tasks, wanted)
    return found


def _all(benches: Sequence[Bench]) -> list[Task]:
    """The tasks of all benches, each once."""
    found: dict[str, Task] = {}
    for bench in benches:
        for task in bench.tasks:
            found.setdefault(task.id, replace(task, category=""))
    return list(found.values())
