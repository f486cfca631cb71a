"""Chooses the lines of a unit that speak for a query.

A line is worth the weights of the query's words that it has. Each next line is chosen for what those before it do not
say (maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998). Comments count less than code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trackdown.excerpts.line_roles import BLANK, CODE, IMPORT, PROSE, line_roles, signature_line
from trackdown.excerpts.sought import LONGEST_READ, Sought, Span, words_of
from trackdown.types import LineMatch

MOST_LINES = 5
"""How many lines an excerpt has beside the signature."""
_MOST_READ = 3000
"""Lines of a unit that are looked at."""
_MOST_LEADING = 200
"""Lines of comments and decorators that may stand above a definition."""
_MOST_WEIGHED = 200
_LONGEST_SHOWN, _BEFORE_MATCH = 240, 60
_FACTORS = {CODE: 1.0, IMPORT: 0.4, PROSE: 0.4, BLANK: 0.0}
_SAID_BEFORE = 0.3
"""What a word counts that a chosen line has already."""
_LEAST_GAIN = 0.3
"""What a further line must add, compared with the best one."""
_NAMED, _POINTED_AT = 2.0, 1.0
"""What a name or a line that the query points at counts, compared with its heaviest term."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines to show of a result, the signature first, then the best first; and the number of the best."""

    matches: tuple[LineMatch, ...]
    line: int


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that has something sought: what it matches, what its role takes from it, and what else it is worth."""

    place: int
    matched: Mapping[int, float]
    factor: float
    extra: float

    def gain(self, said: Mapping[int, float]) -> float:
        """What the line adds to lines that have `said` some words already."""
        fresh = sum(
            weight * (_SAID_BEFORE if said.get(head, 0.0) >= weight else 1.0) for head, weight in self.matched.items()
        )
        return self.factor * fresh + self.extra


def best_lines(lines: Sequence[str], first: int, symbol: str, language: str, sought: Sought) -> Excerpt:
    """The signature of a unit and its best lines. `lines` are the unit's, numbered from `first`; without a symbol there
    is no signature. A unit without any of the words has only its signature, or else its first line.
    """
    lines = lines[:_MOST_READ]
    roles = line_roles(lines, language)
    signature = signature_line(lines, roles, symbol)
    found = {line.place: line for line in _matching(lines, first, roles, sought)}
    head = found.pop(signature, None) if symbol else None
    chosen = _chosen(list(found.values()), dict(head.matched) if head is not None else {})
    shown = [signature] if signature >= 0 and (symbol or not chosen) else []
    places = [*shown, *(line.place for line in chosen)] or ([0] if lines else [])
    best = max([*([head] if head is not None else []), *chosen[:1]], key=lambda line: line.gain({}), default=None)
    matches = tuple(_shown(lines[place], first + place, sought) for place in places)
    return Excerpt(matches, first + (best.place if best is not None else max(signature, 0)))


def definition(lines: Sequence[str], first: int, symbol: str, language: str, sought: Sought) -> LineMatch | None:
    """The line that defines a symbol, for a class whose excerpt is one of its methods. None if there is no code."""
    lines = lines[:_MOST_LEADING]
    place = signature_line(lines, line_roles(lines, language), symbol)
    return _shown(lines[place], first + place, sought) if place >= 0 else None


def _matching(lines: Sequence[str], first: int, roles: Sequence[str], sought: Sought) -> list[_Line]:
    """The lines that have something sought, those that are worth most."""
    words = [words_of(line) for line in lines]
    wanted = sought.terms.among(set().union(*words))
    heaviest = sought.terms.heaviest or 1.0
    found = []
    for place, line in enumerate(lines):
        extra = _NAMED * heaviest if sought.names and sought.name_spans(line) else 0.0
        extra += _POINTED_AT * heaviest if first + place in sought.lines else 0.0
        if extra or not wanted.isdisjoint(words[place]):
            matched = sought.terms.worth(sorted(wanted.intersection(words[place])))
            found.append(_Line(place, matched, _FACTORS[roles[place]], extra))
    return sorted(found, key=lambda line: (-line.gain({}), line.place))[:_MOST_WEIGHED]


def _chosen(candidates: list[_Line], said: dict[int, float]) -> list[_Line]:
    """The best lines, each for what those before it do not say. `said` is what the signature says."""
    chosen: list[_Line] = []
    least = 0.0
    while candidates and len(chosen) < MOST_LINES:
        best = max(candidates, key=lambda line: (line.gain(said), -line.place))
        if best.gain(said) <= least:
            break
        least = least or _LEAST_GAIN * best.gain(said)
        chosen.append(best)
        candidates.remove(best)
        for head, weight in best.matched.items():
            said[head] = max(weight, said.get(head, 0.0))
    return chosen


def _shown(line: str, number: int, sought: Sought) -> LineMatch:
    """A line with its spans. Of a very long line, the part around its first span is shown."""
    text = line.rstrip()
    spans = _joined([*sought.terms.spans(text[:LONGEST_READ]), *sought.name_spans(text[:LONGEST_READ])])
    if len(text) <= _LONGEST_SHOWN:
        return LineMatch(number, text, tuple(spans))
    start = max(0, spans[0][0] - _BEFORE_MATCH) if spans and spans[0][1] > _LONGEST_SHOWN else 0
    end = start + _LONGEST_SHOWN
    before, after = "…" if start else "", "…" if end < len(text) else ""
    moved = [(at - start + len(before), to - start + len(before)) for at, to in spans if start <= at and to <= end]
    return LineMatch(number, f"{before}{text[start:end]}{after}", tuple(moved))


def _joined(spans: list[Span]) -> list[Span]:
    """Spans in order; those that overlap or touch become one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
