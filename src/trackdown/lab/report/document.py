"""A report as a JSON document: the numbers of all formats, unrounded. Modes are named by their letters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from trackdown.lab.report.pairs import Pair
from trackdown.lab.report.summary import CaseLine, Group, Mode, Summary

FORMAT = 1


def as_document(summary: Summary) -> dict[str, Any]:
    """The report as values that JSON has."""
    return {
        "format": FORMAT,
        "title": summary.title,
        "metric": summary.metric,
        "ks": list(summary.ks),
        "benches": list(summary.benches),
        "levels": list(summary.levels),
        "remarks": list(summary.remarks),
        "modes": [_mode(mode) for mode in summary.modes],
        "repositories": [_group(summary, group) for group in summary.repositories],
        "categories": [_group(summary, group) for group in summary.categories],
        "pairs": [_pair(summary, pair) for pair in summary.pairs],
        "cases": [_case(summary, case) for case in summary.cases],
    }


def as_json(summary: Summary) -> str:
    """The document as one text with a line's end, in ASCII: a lone surrogate stays an escape."""
    return json.dumps(as_document(summary), indent=1, allow_nan=False) + "\n"


def _mode(mode: Mode) -> dict[str, Any]:
    return {
        "letter": mode.letter,
        "label": mode.label,
        "run": mode.run,
        "mode": mode.mode,
        "scored": mode.scored,
        "total": mode.total,
        "skipped": dict(mode.skipped),
        "scores": {name: asdict(found) for name, found in mode.scores.items()},
        "recall": list(mode.recall),
        "p50_ms": mode.p50_ms,
        "p95_ms": mode.p95_ms,
    }


def _group(summary: Summary, group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "cases": _by_letter(summary, group.cases),
        summary.metric: _by_letter(summary, group.means),
    }


def _pair(summary: Summary, pair: Pair) -> dict[str, Any]:
    return asdict(pair) | {"first": summary.modes[pair.first].letter, "second": summary.modes[pair.second].letter}


def _case(summary: Summary, case: CaseLine) -> dict[str, Any]:
    return {
        "id": case.id,
        "repository": case.repository,
        "category": case.category,
        "gold": [str(place) if place.path else place.symbol for place in case.gold],
        summary.metric: _by_letter(summary, [answer and answer.value for answer in case.answers]),
        "gold_ranks": _by_letter(summary, [answer and list(answer.ranks) for answer in case.answers]),
    }


def _by_letter(summary: Summary, values: Sequence[Any]) -> dict[str, Any]:
    """What each mode has; those that have nothing are left out."""
    return {mode.letter: value for mode, value in zip(summary.modes, values, strict=True) if value is not None}
