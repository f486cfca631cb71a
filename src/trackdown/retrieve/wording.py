"""What matched, in plain words: terms and where they stand, and which part of a class or file is meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from trackdown.index import CodeIndex
from trackdown.retrieve.candidate_pool import Candidates
from trackdown.types import Level

Field = Literal["name", "body", "path"]
_VERBS: Mapping[Field, str] = {"name": "name has", "body": "mentions", "path": "path has"}
RANKED: Mapping[Level, str] = {"function": "function", "class": "class", "symbol": "function or class", "file": "file"}
_MOST_TERMS = 4
_ENDING = 3


def terms_in_words(terms: Mapping[str, Field]) -> str:
    """Terms, strongest first, each with the field where it stands.

    Repetitions are left out: a part of a term that is there, and a term that only adds an ending to one.
    """
    shown: list[str] = []
    for term, field in terms.items():
        wholes = [other for other in terms if other != term and term in other and terms[other] == field]
        if not wholes and not term.isdigit() and not any(_repeats(term, other) for other in shown):
            shown.append(term)
    said = []
    for field, verb in _VERBS.items():
        found = [term for term in shown[:_MOST_TERMS] if terms[term] == field]
        said += [f"{verb} {', '.join(found)}"] if found else []
    return "; ".join(said)


def part_of(code: CodeIndex, pool: Candidates, candidate: int, unit: int) -> str:
    """How to introduce a match in a part of a class or file: `in load: `. Empty if the candidate itself matched."""
    if unit < 0 or unit == int(pool.units[candidate]):
        return ""
    symbol = code.symbol(unit).rsplit(".", 1)[-1]
    return f"in {symbol}: " if symbol else ""


def _repeats(term: str, other: str) -> bool:
    return term in other or (term.startswith(other) and len(term) - len(other) <= _ENDING)
