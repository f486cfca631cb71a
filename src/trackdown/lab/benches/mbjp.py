"""MBJP: MBPP's problems solved in Java.

Athiwaratkun et al., "Multi-lingual Evaluation of Code Generation Models" (2022). ReCo has 374 training and 500 test
pairs; its published code takes them in the order of the file, so that the test pairs are those from MBJP/404 on. Their
solutions are all the candidates. A comment in a solution that repeats the problem would give it away: it is taken out.
"""

from __future__ import annotations

from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab.benches.records import read_records
from trackdown.lab.benches.rows import Refusals
from trackdown.lab.benches.snippets import SnippetSet, field_text, find_file
from trackdown.lab.benches.strip_prose import without_comments_like

_FIRST_OF_TEST = 404


def read_mbjp(data: Path, refusals: Refusals) -> SnippetSet:
    """Items with `task_id`, `description` and `canonical_solution`, of mbjp.json or its folder. Raises UsageError."""
    path = find_file(data, "mbjp.json", "mbjp.jsonl")
    found = SnippetSet(".java")
    for number, record in read_records(path):
        if isinstance(record, str):
            refusals.skip(f"item {number}", "malformed row", f"{path.name}, item {number}: {record}")
            continue
        task = _number(record.get("task_id"))
        query, code = field_text(record, "description"), field_text(record, "canonical_solution")
        if task is None:
            refusals.skip(f"item {number}", "missing field", f"{path.name}, item {number}: no task_id like MBJP/404")
        elif task < _FIRST_OF_TEST:
            found.remarks["not of the test split"] += 1
        elif query is None or code is None:
            wanting = "description" if query is None else "canonical_solution"
            refusals.skip(f"mbjp/{task}", "missing field", f"{path.name}, item {number}: no {wanting}")
        else:
            stripped, comments = without_comments_like(code, query)
            found.remarks["comments that repeat the query"] += comments
            found.add_pair(f"mbjp/{task}", query, stripped, refusals)
    if not found.questions and not refusals.skipped:
        raise UsageError(f"{path} holds no item of the test split (MBJP/{_FIRST_OF_TEST} and up)")
    return found


def _number(task: object) -> int | None:
    text = task.rpartition("/")[2] if isinstance(task, str) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None
