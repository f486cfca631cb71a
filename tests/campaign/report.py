"""The table of a run: how many cases of each class fired, and how they ended."""

from __future__ import annotations

from collections.abc import Iterable

from tests.campaign.classes import CLASSES
from tests.campaign.judge import Verdict
from tests.campaign.outcomes import AT_THE_END, Outcome

_COLUMNS = ("cases", "fired", "survived", "equal", "partial", "refused", "failed")
_WIDTHS = (6, 6, 9, 6, 8, 8, 7)
_HEAD = f"{'class':12} {' '.join(f'{name:>{width}}' for name, width in zip(_COLUMNS, _WIDTHS, strict=True))}  seeds"


def table(outcomes: Iterable[Outcome]) -> tuple[str, dict[str, dict[str, object]]]:
    """Return one row per class as text and as values, and the failures with their seeds below the text.

    Only cases whose fault fired count as survived. How cases ended is counted over all of them.
    """
    rows: dict[str, list[Outcome]] = {kind: [] for kind in CLASSES}
    for outcome in outcomes:
        rows.setdefault(outcome.kind, []).append(outcome)
    every = [one for many in rows.values() for one in many]
    lines, values = [_HEAD], dict[str, dict[str, object]]()
    for kind, ended in {**rows, "all": every}.items():
        values[kind] = _row(ended)
        if kind == "all":
            values[kind]["seeds"] = []
        if ended:
            lines.append(_line(kind, values[kind]))
    lines += [
        f"FAILED {one.kind} {one.seed or 'at the end'} ({one.what}): {'; '.join(one.problems)}"
        for one in every
        if one.problems
    ]
    lines += [f"not run: {kind}: {note}" for kind, of in CLASSES.items() if (note := of.lacks())]
    return "\n".join(lines), values


def _row(ended: list[Outcome]) -> dict[str, object]:
    cases = [one for one in ended if one.seed != AT_THE_END]
    row: dict[str, object] = {
        "cases": len(cases),
        "fired": sum(one.fired for one in cases),
        "survived": sum(one.fired and not one.problems for one in cases),
        "seeds": sorted(one.seed for one in ended if one.problems),
    }
    row |= {verdict.value: sum(one.verdict is verdict for one in ended) for verdict in Verdict}
    row["seconds"] = round(sum(one.seconds for one in ended), 1)
    return row


def _line(kind: str, row: dict[str, object]) -> str:
    seeds = row["seeds"]
    assert isinstance(seeds, list)
    numbers = " ".join(f"{row[name]:{width}}" for name, width in zip(_COLUMNS, _WIDTHS, strict=True))
    return f"{kind:12} {numbers}  {' '.join(map(str, seeds))}".rstrip()
