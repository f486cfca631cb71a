"""Messages of the program that the query quotes: string literals, found by the words that they say in a row.

A literal that defines a constant, or an entry of a table or catalogue, leads to the units that use its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from trackdown.index import CodeIndex, Floats
from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.message_users import NameUsers
from trackdown.retrieve.quoting import Quoted, quoted_messages
from trackdown.retrieve.wording import RANKED, part_of
from trackdown.types import FUNCTION_KINDS, Level, Match

SIGNAL = "messages"
_USES, _USES_OF_SAID = 0.9, 0.6
"""What a message counts for those who use its constant: if nobody else says it, and if a function does, too."""
_MOST_USERS = 40
_IN_A_ROW, _MOST_OF_QUERY = 4, 0.6
"""Words in a row, and the share of the query, that make it worth telling that no candidate says a message."""


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates by the messages that their units say, or whose constants they use."""
    pool, code = request.candidates, request.corpus.code
    found = quoted_messages(code, request.query.text)
    if not found:
        return None
    evidence = _Evidence(len(code.unit_file))
    users = NameUsers(request.corpus)
    saying = cache(lambda text: [same.unit for same in quoted_messages(code, text)])
    for quoted in found:
        evidence.say(quoted)
        if name := code.messages.name(quoted.message):
            # The key of a translation is the text that units say.
            using = (saying(name) if " " in name else []) or users.of(name, quoted.unit)
            _lead_to_users(code, quoted, name, using, evidence)

    def reasons(chosen: Sequence[int]) -> list[Match]:
        units = pool.best_units(chosen, evidence.scores)
        return [
            Match(part_of(code, pool, candidate, unit) + evidence.details.get(unit, ""), evidence.numbers(unit))
            for candidate, unit in zip(chosen, units, strict=True)
        ]

    @cache
    def views() -> dict[str, Floats]:
        return {name: pool.from_units(values) for name, values in evidence.views.items()}

    scores = np.minimum(pool.from_units(evidence.scores), 1.0)
    elsewhere = _said_elsewhere(code, pool.level, found, scores.max(initial=0.0)) if pool.level != "file" else ""
    return Channel(
        SIGNAL, scores, reasons, 1.0, evidence.scores, views=views, elsewhere=elsewhere, names=evidence.names
    )


def _said_elsewhere(code: CodeIndex, level: Level, found: Sequence[Quoted], best_score: float) -> str:
    """Where the message is said that makes up most of a query, in words; empty if a candidate says one as good. Of
    several files, the project's own come first.
    """
    how = found[0].how
    if how.run < _IN_A_ROW or how.share < _MOST_OF_QUERY or best_score >= how.score / 2:
        return ""
    best = [quoted for quoted in found if quoted.how == how]
    files = sorted({int(code.unit_file[quoted.unit]) for quoted in best}, key=lambda file: _by_role(code, file))
    others = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f'"{how.text}" is in {code.path(files[0])}{others}, outside any {RANKED[level]}'


def _by_role(code: CodeIndex, file: int) -> tuple[int, str]:
    return int(code.file_role[file]), code.path(file)


class _Evidence:
    """The best message of each unit, as arrays over all units."""

    def __init__(self, units: int) -> None:
        self.scores: Floats = np.zeros(units)
        self.views: dict[str, Floats] = {name: np.zeros(units) for name in ("coverage", "run", "share", "constant")}
        self.details: dict[int, str] = {}
        self.names: dict[int, str] = {}

    def say(self, quoted: Quoted) -> None:
        """A unit says the message itself."""
        self._take(quoted.unit, quoted.how.score, quoted, f'says "{quoted.how.text}"')

    def use(self, unit: int, name: str, share: float, quoted: Quoted) -> None:
        """A unit uses the name that stands for the message."""
        score = share * quoted.how.score
        if self._take(unit, score, quoted, f'uses {name}, which says "{quoted.how.text}"'):
            self.names[unit] = name
        self.views["constant"][unit] = max(self.views["constant"][unit], score)

    def numbers(self, unit: int) -> dict[str, float]:
        """How much of the message the query quotes, how many words in a row, and how much of the query that is."""
        return {name: float(self.views[name][unit]) for name in ("coverage", "run", "share")}

    def _take(self, unit: int, score: float, quoted: Quoted, detail: str) -> bool:
        """Keep a message if it is better than the unit's others. Returns whether it is."""
        if score <= self.scores[unit]:
            return False
        self.scores[unit] = score
        self.details[unit] = detail
        for name, value in (
            ("coverage", quoted.how.coverage),
            ("run", float(quoted.how.run)),
            ("share", quoted.how.share),
        ):
            self.views[name][unit] = value
        return True


def _lead_to_users(code: CodeIndex, quoted: Quoted, name: str, using: Sequence[int], evidence: _Evidence) -> None:
    """A message that is defined under a name is evidence for those who use the name."""
    users = [unit for unit in using if unit != quoted.unit]
    if not 0 < len(users) <= _MOST_USERS:
        return
    share = _USES_OF_SAID if code.kind(quoted.unit) in FUNCTION_KINDS else _USES
    for unit in users:
        evidence.use(unit, name, share / len(users) ** 0.25, quoted)
