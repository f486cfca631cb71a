"""Messages of the program that the query quotes: string literals, found by the words that they say in a row.

A literal that defines a constant, or an entry of a table or catalogue, leads to the units that use its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from trackdown.index import CodeIndex, Floats
from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.quoting import Quoted, quoted_messages
from trackdown.retrieve.wording import part_of
from trackdown.types import FUNCTION_KINDS, Match

SIGNAL = "messages"
_USES, _USES_OF_SAID = 0.9, 0.6
"""What a message counts for those who use its constant: if nobody else says it, and if a function does, too."""
_MOST_USERS = 40


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates by the messages that their units say, or whose constants they use."""
    pool, code = request.candidates, request.corpus.code
    found = quoted_messages(code, request.query.text)
    if not found:
        return None
    evidence = _Evidence(len(code.unit_file))
    users_of = cache(lambda name: _users(code, name))
    for quoted in found:
        evidence.say(quoted)
        if name := code.messages.name(quoted.message):
            _lead_to_users(code, quoted, name, users_of(name), evidence)

    def reasons(chosen: Sequence[int]) -> list[Match]:
        units = pool.best_units(chosen, evidence.scores)
        return [
            Match(part_of(code, pool, candidate, unit) + evidence.details.get(unit, ""), evidence.numbers(unit))
            for candidate, unit in zip(chosen, units, strict=True)
        ]

    @cache
    def views() -> dict[str, Floats]:
        return {name: pool.from_units(values) for name, values in evidence.views.items()}

    return Channel(
        SIGNAL, np.minimum(pool.from_units(evidence.scores), 1.0), reasons, 1.0, evidence.scores, views=views
    )


class _Evidence:
    """The best message of each unit, as arrays over all units."""

    def __init__(self, units: int) -> None:
        self.scores: Floats = np.zeros(units)
        self.views: dict[str, Floats] = {name: np.zeros(units) for name in ("coverage", "run", "share", "constant")}
        self.details: dict[int, str] = {}

    def say(self, quoted: Quoted) -> None:
        """A unit says the message itself."""
        self._take(quoted.unit, quoted.how.score, quoted, f'says "{quoted.how.text}"')

    def use(self, unit: int, name: str, share: float, quoted: Quoted) -> None:
        """A unit uses the name that stands for the message."""
        score = share * quoted.how.score
        self._take(unit, score, quoted, f'uses {name}, which says "{quoted.how.text}"')
        self.views["constant"][unit] = max(self.views["constant"][unit], score)

    def numbers(self, unit: int) -> dict[str, float]:
        """How much of the message the query quotes, how many words in a row, and how much of the query that is."""
        return {name: float(self.views[name][unit]) for name in ("coverage", "run", "share")}

    def _take(self, unit: int, score: float, quoted: Quoted, detail: str) -> None:
        if score <= self.scores[unit]:
            return
        self.scores[unit] = score
        self.details[unit] = detail
        for name, value in (
            ("coverage", quoted.how.coverage),
            ("run", float(quoted.how.run)),
            ("share", quoted.how.share),
        ):
            self.views[name][unit] = value


def _users(code: CodeIndex, name: str) -> Sequence[int]:
    """The units that use a constant or a key. The key of a translation is the text that units say."""
    saying = [same.unit for same in quoted_messages(code, name)] if " " in name else []
    return saying or code.units_using(name)


def _lead_to_users(code: CodeIndex, quoted: Quoted, name: str, using: Sequence[int], evidence: _Evidence) -> None:
    """A message that is defined under a name is evidence for those who use the name."""
    users = [unit for unit in using if unit != quoted.unit]
    if not 0 < len(users) <= _MOST_USERS:
        return
    share = _USES_OF_SAID if code.kind(quoted.unit) in FUNCTION_KINDS else _USES
    for unit in users:
        evidence.use(unit, name, share / len(users) ** 0.25, quoted)
