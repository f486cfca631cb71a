"""The tables of a report, as all formats print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trackdown.lab.report.summary import CaseLine, Group, Mode, ModePair, Summary
from trackdown.lab.report.wording import NONE, counted, milliseconds, named, probability, reasons, score, signed

EXTREMES = 5
REASONS = "reasons"
_NAMED_MODES = 5
_SHORT_LABEL = 16


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure: its text, its interval, and whether it is the best of its column or row."""

    text: str
    interval: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings. The first `names` columns hold names, the others figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    names: int = 1


def called(mode: Mode) -> str:
    """A mode with its letter, as tables and legends name it."""
    return f"{mode.letter} {mode.label}".rstrip()


def by_letters(summary: Summary) -> Summary:
    """The same, with letters for the names of modes in all tables."""
    return replace(summary, modes=tuple(replace(mode, label="") for mode in summary.modes))


def scores_table(summary: Summary, *, intervals: bool = True) -> Table:
    """Every mode with its metrics and times. Without `intervals` only the chosen metric has one."""
    best = {name: _top(mode.scores[name].mean for mode in summary.modes) for name in summary.metrics}
    top_macro = _top(mode.scores[summary.metric].macro for mode in summary.modes)
    rows = []
    for mode in summary.modes:
        cells = [Cell(called(mode)), Cell(f"{mode.scored}/{mode.total}")]
        for name in summary.metrics:
            found = mode.scores[name]
            interval = f"{score(found.low)}{NONE}{score(found.high)}" if intervals or name == summary.metric else ""
            cells.append(Cell(score(found.mean), interval, score(found.mean) == best[name]))
            if name == summary.metric:
                cells.append(Cell(score(found.macro), best=score(found.macro) == top_macro))
        rows.append((*cells, Cell(milliseconds(mode.p50_ms)), Cell(milliseconds(mode.p95_ms))))
    heads = [head for name in summary.metrics for head in (name, "macro")[: 1 + (name == summary.metric)]]
    return Table("Scores by mode", ("mode", "cases", *heads, "p50 ms", "p95 ms"), tuple(rows))


def at_k_table(summary: Summary, *names: str, intervals: bool = True) -> Table:
    """Metrics within the first k: R, the share of gold that is found, or Acc, of cases with all gold found, or both."""
    columns = [f"{name}@{k}" for name in names for k in summary.ks]
    best = {name: _top(mode.scores[name].mean for mode in summary.modes) for name in columns}
    rows = []
    for mode in summary.modes:
        cells = [Cell(called(mode))]
        for name in columns:
            found = mode.scores[name]
            interval = f"{score(found.low)}{NONE}{score(found.high)}" if intervals else ""
            cells.append(Cell(score(found.mean), interval, score(found.mean) == best[name]))
        rows.append(tuple(cells))
    title = " and ".join({"R": "recall", "Acc": "accuracy"}[name] for name in names)
    return Table(f"{title.capitalize()} within the first k", ("mode", *columns), tuple(rows))


def times_table(summary: Summary) -> Table:
    """How long a search took, beside how good it was."""
    rows = (
        (
            Cell(called(mode)),
            Cell(milliseconds(mode.p50_ms)),
            Cell(milliseconds(mode.p95_ms)),
            Cell(score(mode.scores[summary.metric].mean)),
        )
        for mode in summary.modes
    )
    return Table("Time of a search", ("mode", "p50 ms", "p95 ms", summary.metric), tuple(rows))


def cases_table(summary: Summary) -> Table:
    """How many cases each mode scored, and why the others were skipped."""
    rows = (
        (
            Cell(called(mode)),
            Cell(str(mode.scored)),
            Cell(str(mode.total)),
            Cell(str(mode.total - mode.scored)),
            Cell(reasons(mode.skipped) or NONE),
        )
        for mode in summary.modes
    )
    return Table("Cases scored and skipped", ("mode", "scored", "of", "skipped", REASONS), tuple(rows))


def groups_table(summary: Summary, title: str, groups: Sequence[Group]) -> Table:
    """The chosen metric by repository or category."""
    rows = []
    for group in groups:
        top = _top(group.means)
        cells = (Cell(score(mean), best=score(mean) == top) for mean in group.means)
        rows.append((Cell(named(group.name)), Cell(_count(group)), *cells))
    return Table(f"{summary.metric} by {title}", (title, "cases", *_heads(summary)), tuple(rows))


def pairs_table(summary: Summary, pairs: Iterable[ModePair]) -> Table:
    """Wins and losses of the first of two modes, with the p-value of a permutation test."""
    rows = tuple(
        (
            Cell(called(summary.modes[pair.first])),
            Cell(called(summary.modes[pair.second])),
            Cell(str(pair.cases)),
            Cell(str(pair.wins)),
            Cell(str(pair.losses)),
            Cell(str(pair.ties)),
            Cell(signed(pair.difference), f"{signed(pair.low)} to {signed(pair.high)}"),
            Cell(probability(pair.p_permutation)),
        )
        for pair in pairs
    )
    columns = ("first", "second", "cases", "wins", "losses", "equal", "difference", "p")
    return Table(f"Wins and losses by {summary.metric}", columns, rows, names=2)


def extremes_table(summary: Summary) -> Table:
    """The cases on which the first and the last mode lie farthest apart, either way."""
    found = sorted(
        (
            (case.answers[0].value - case.answers[-1].value, case)
            for case in summary.cases
            if case.answers[0] is not None and case.answers[-1] is not None
        ),
        key=lambda item: (-item[0], item[1].id),
    )
    wins = [item for item in found[:EXTREMES] if item[0] > 0]
    losses = [item for item in found[-EXTREMES:] if item[0] < 0]
    first, last = summary.modes[0], summary.modes[-1]
    rows = tuple(
        (
            Cell(named(case.id)),
            Cell(named(case.repository)),
            Cell(signed(difference)),
            Cell(_first_rank(case, 0)),
            Cell(_first_rank(case, -1)),
        )
        for difference, case in [*wins, *losses]
    )
    columns = ("case", "repository", "difference", f"first gold in {called(first)}", f"first gold in {called(last)}")
    return Table("Largest differences", columns, rows, names=2)


def cases_sentence(summary: Summary) -> str:
    """How many cases were scored out of how many, and why not all: one sentence for all modes that agree."""
    said: dict[str, list[str]] = {}
    for mode in summary.modes:
        said.setdefault(_scored(mode), []).append(mode.letter)
    if len(said) == 1:
        return next(iter(said))
    return " ".join(f"{', '.join(letters)}: {sentence}" for sentence, letters in said.items())


def _heads(summary: Summary) -> list[str]:
    """Modes as headings: with their names if those leave room for each other."""
    roomy = len(summary.modes) <= _NAMED_MODES and all(len(mode.label) <= _SHORT_LABEL for mode in summary.modes)
    return [called(mode) if roomy else mode.letter for mode in summary.modes]


def _scored(mode: Mode) -> str:
    text = f"{mode.scored:,} of {counted(mode.total, 'case')} scored"
    return f"{text}; skipped: {reasons(mode.skipped)}." if mode.skipped else f"{text}."


def _top(values: Iterable[float | None]) -> str:
    """The best of several figures as far as the digits show; nothing when all are equal."""
    shown = {score(value) for value in values if value is not None}
    return max(shown) if len(shown) > 1 else ""


def _count(group: Group) -> str:
    low, high = min(group.cases), max(group.cases)
    return str(low) if low == high else f"{low}{NONE}{high}"


def _first_rank(case: CaseLine, number: int) -> str:
    answer = case.answers[number]
    return str(answer.ranks[0]) if answer is not None and answer.ranks else "not found"
