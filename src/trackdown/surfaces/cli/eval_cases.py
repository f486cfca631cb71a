"""The cases of `trackdown eval`: mined from a history, and written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trackdown.errors import LlmError, UsageError
from trackdown.settings import Settings
from trackdown.surfaces.cli.options import print_json, print_notes
from trackdown.surfaces.cli.terminal_text import one_line
from trackdown.surfaces.drawing import counted
from trackdown.types import Progress

if TYPE_CHECKING:
    from trackdown.lab.mine import MinedCases


def build_cases(path: str, dataset: Path, style: str, mining: dict[str, Any], progress: Progress) -> None:
    """Mine cases and write them, unless that would overwrite what a person wrote; say what came of it."""
    from trackdown.engine import llm_cost
    from trackdown.lab import read_cases, write_cases
    from trackdown.lab.mine import MINED
    from trackdown.surfaces.cli.llm_cost import print_llm_cost

    if dataset.exists():
        kept = read_cases(dataset)
        if kept.problems or any(case.source not in MINED for case in kept.cases):
            raise UsageError(f"{dataset} holds cases that were not mined: name another file, or remove it first")
    mined = mine_cases(path, mining, progress)
    settings: Settings = mining["settings"]
    cost = llm_cost(settings)
    if not settings.llm_dry_run:
        write_cases(dataset, mined)
    if style == "json":
        answer: dict[str, Any] = {
            "dataset": str(dataset),
            "cases": len(mined),
            "commits": mined.looked_at,
            "dropped": dict(mined.dropped),
        }
        answer |= {} if mined.rewriting is None else {"rewriting": mined.rewriting.as_dict()}
        print_json(answer | ({"llm": cost} if cost else {}))
        return
    where = "nothing was written" if settings.llm_dry_run else one_line(str(dataset))
    print(f"{counted(len(mined), 'case')} from {counted(mined.looked_at, 'commit')}: {where}")
    for rule, count in mined.dropped.items():
        print(f"  dropped {count}: {rule}")
    if mined.rewriting is not None and not settings.llm_dry_run:
        for line in mined.rewriting.lines():
            print(f"  {line}")
    print_llm_cost(cost, len(mined))


def mine_cases(path: str, mining: dict[str, Any], progress: Progress) -> MinedCases:
    """Cases as the options of `eval` ask for them; their queries rewritten where they say so.

    Raises LlmError when the model or its budget gave out before all were asked: half a data set measures nothing.
    """
    from contextlib import nullcontext
    from functools import partial

    from trackdown.engine import asking
    from trackdown.lab.mine import IssueWriter, build_from_git

    build = partial(
        build_from_git,
        path,
        max_cases=mining["max_cases"],
        query_from=mining["query_from"],
        protocol=mining["protocol"] or "past",
        max_files=mining["max_files"],
        symbols=mining["symbols"],
        tests=not mining["no_tests"],
        progress=progress,
    )
    with asking(mining["settings"]) if mining["query_from"] == "rewritten" else nullcontext() as desk:
        if desk is None:
            return build()
        mined = build(writer=IssueWriter(desk))
        if desk.stopped is not None:
            raise LlmError(f"{desk.stopped} (answers so far are kept and will not be asked for again)")
        print_notes(desk.notes())
    return mined
