"""MBPP: short Python problems in a sentence each, with a solution.

Austin et al., "Program Synthesis with Large Language Models" (2021). As ReCo uses it, the 500 test items (task_id 11 to
510) are the questions, and their solutions are all the candidates.
"""

from __future__ import annotations

from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab.benches.records import read_records
from trackdown.lab.benches.rows import Refusals
from trackdown.lab.benches.snippets import SnippetSet, field_text, find_file

_TEST = range(11, 511)


def read_mbpp(data: Path, refusals: Refusals) -> SnippetSet:
    """Lines with `task_id`, `text` and `code`, of mbpp.jsonl or the folder that holds it. Raises UsageError."""
    path = find_file(data, "mbpp.jsonl")
    found = SnippetSet(".py")
    for number, record in read_records(path):
        if isinstance(record, str):
            refusals.skip(f"line {number}", "malformed row", f"{path.name}, line {number}: {record}")
            continue
        task, query, code = record.get("task_id"), field_text(record, "text"), field_text(record, "code")
        if not isinstance(task, int):
            refusals.skip(f"line {number}", "missing field", f"{path.name}, line {number}: no task_id")
        elif task not in _TEST:
            found.remarks["not of the test split"] += 1
        elif query is None or code is None:
            wanting = "text" if query is None else "code"
            refusals.skip(f"mbpp/{task}", "missing field", f"{path.name}, line {number}: no {wanting}")
        else:
            found.add_pair(f"mbpp/{task}", query, code, refusals)
    if not found.questions and not refusals.skipped:
        raise UsageError(f"{path} holds no item of the test split (task_id {_TEST[0]} to {_TEST[-1]})")
    return found
