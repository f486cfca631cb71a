"""Faults that were tried, for `fleet_object_store.py`: what came of each, as JSON, as a line and as a table."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.fleet.faulty_proxy import Fault

OUTCOMES = ("finished", "partly", "ended", "hung")


class Case(NamedTuple):
    """A fault, when it was, and what came of it: one of OUTCOMES, and what was wrong."""

    during: str
    fault: Fault
    reached: bool
    outcome: str
    said: str
    seconds: float
    problems: list[str]


def as_json(case: Case) -> dict[str, Any]:
    """A case for the report."""
    fault = case.fault
    lasts = fault.seconds if math.isfinite(fault.seconds) else "to the end"
    about = {"kind": fault.kind, "request": fault.at, "lasts": lasts}
    return {**case._asdict(), "fault": about, "seconds": round(case.seconds, 1), "said": case.said[:200]}


def line_of(case: Case) -> str:
    """A case as a line."""
    about = as_json(case)
    fault = "{kind} at request {request}, {lasts}".format(**about["fault"])
    said = f" ({about['said']})" if case.outcome == "ended" else ""
    return f"{case.during}: {fault}: {case.outcome} in {case.seconds:.1f} s{said}: {'; '.join(case.problems) or 'ok'}"


def table_of(cases: Sequence[Case]) -> str:
    """How often each fault was tried, what came of it, and how long the longest took."""
    rows: list[tuple[str, ...]] = [("during", "fault", "tried", "reached", *OUTCOMES, "longest", "problems")]
    for during, kind in dict.fromkeys((case.during, case.fault.kind) for case in cases):
        own = [case for case in cases if (case.during, case.fault.kind) == (during, kind)]
        counts = [sum(case.outcome == outcome for case in own) for outcome in OUTCOMES]
        longest, wrong = max(case.seconds for case in own), sum(bool(case.problems) for case in own)
        numbers = [len(own), sum(case.reached for case in own), *counts, f"{longest:.1f} s", wrong]
        rows.append((during, kind, *map(str, numbers)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
