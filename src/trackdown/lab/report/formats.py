"""A report as Markdown, for an issue or a pull request, and as a JSON document with unrounded numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from trackdown.lab.report.summary import CaseLine, Group, ModePair, Summary
from trackdown.lab.report.tables import (
    Cell,
    Table,
    at_k_table,
    cases_sentence,
    cases_table,
    extremes_table,
    groups_table,
    pairs_table,
    scores_table,
)
from trackdown.lab.report.wording import clean_line

_SPECIAL = re.compile(r"([\\`*_\[\]#|~$])")
_ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("://", "&colon;//"), ("www.", "www&period;"))
_MENTION = re.compile(r"@(?=[A-Za-z])")

INTERVALS = "Brackets hold 95 % bootstrap intervals; macro is the mean over repositories; the best figure is bold."
P_VALUES = "p-values are two-sided and not corrected for the number of pairs."


def as_markdown(summary: Summary) -> str:
    """The report as one text with a line's end."""
    return "\n\n".join(_blocks(summary)) + "\n"


def _blocks(summary: Summary) -> Iterator[str]:
    yield f"# {_text(summary.title)}"
    yield _text(cases_sentence(summary))
    if summary.remarks:
        yield "\n".join(f"- {_text(remark)}" for remark in summary.remarks)
    yield _table(scores_table(summary))
    yield INTERVALS
    yield _table(at_k_table(summary, "R"))
    yield _table(at_k_table(summary, "Acc"))
    yield _table(cases_table(summary))
    if len(summary.repositories) > 1:
        yield _table(groups_table(summary, "repository", summary.repositories))
    if summary.categories:
        yield _table(groups_table(summary, "category", summary.categories))
    if summary.pairs:
        yield _table(pairs_table(summary, summary.pairs))
        yield P_VALUES
        yield _table(extremes_table(summary))


def _table(table: Table) -> str:
    lines = [
        [_text(column) for column in table.columns],
        [":---" if number < table.names else "---:" for number in range(len(table.columns))],
        *([_cell(cell) for cell in row] for row in table.rows),
    ]
    return f"## {_text(table.title)}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    text = _text(cell.text)
    if cell.best:
        text = f"**{text}**"
    return f"{text} \\[{_text(cell.interval)}\\]" if cell.interval else text


def _text(text: str) -> str:
    """Text that Markdown prints as it is: no markup, no link, no mention."""
    text = _SPECIAL.sub(r"\\\1", clean_line(text))
    for sign, entity in _ENTITIES:
        text = text.replace(sign, entity)
    return _MENTION.sub("&commat;", text)


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
        "modes": [asdict(mode) for mode in summary.modes],
        "repositories": [_group(summary, group) for group in summary.repositories],
        "categories": [_group(summary, group) for group in summary.categories],
        "pairs": [_pair(summary, pair) for pair in summary.pairs],
        "cases": [_case(summary, case) for case in summary.cases],
    }


def as_json(summary: Summary) -> str:
    """The document as one text with a line's end, in ASCII: a lone surrogate stays an escape."""
    return json.dumps(as_document(summary), indent=1, allow_nan=False) + "\n"


def _group(summary: Summary, group: Group) -> dict[str, Any]:
    return {
        "name": group.name,
        "cases": _by_letter(summary, group.cases),
        summary.metric: _by_letter(summary, group.means),
    }


def _pair(summary: Summary, pair: ModePair) -> dict[str, Any]:
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
