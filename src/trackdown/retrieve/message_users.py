"""The units that use a constant, or a key of a catalogue, by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cache

from trackdown.index import CodeIndex, Corpus, is_letter
from trackdown.types import CLASS_KINDS
from trackdown.units import TEXT, words

_MOST_READ = 100
"""A name that more units have is too common to say anything."""
_SHARING_NAMES: tuple[Set[str], ...] = (
    {"javascript", "typescript", "tsx"},
    {"java", "kotlin", "scala"},
    {"c", "cpp"},
)
"""Languages whose programs use each other's constants."""
_COMPONENTS = (".vue", ".svelte", ".astro")
"""Files without a grammar that contain JavaScript."""
_WINDOW = "window"


class NameUsers:
    """Finds the users of names in a corpus, each name of a language once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._using = cache(self._read_using)
        self._using_letter = cache(self._read_using_letter)

    def of(self, name: str, definer: int) -> list[int]:
        """The other units that use a name which a unit defines; none for a very common name.

        The case of its words must be the same. The constant of a program is used in its own language, the key of a
        catalogue in any; one of a single capital letter only in its own file. Of a class or a window, and what is
        inside it, only the inner one is a user.
        """
        code = self._corpus.code
        file = int(code.unit_file[definer])
        using = self._using_letter(name, file) if is_letter(name) else self._using(name, code.language(file))
        return _innermost(code, [unit for unit in using if unit != definer])

    def _read_using(self, name: str, language: str) -> list[int]:
        code = self._corpus.code
        holders = [unit for unit in code.units_using(name) if _may_use(code, unit, language)]
        if len(holders) > _MOST_READ:
            return []
        texts = self._corpus.texts(holders)
        return [unit for unit, text in zip(holders, texts, strict=True) if text is None or _has(text, name)]

    def _read_using_letter(self, name: str, file: int) -> list[int]:
        """No index has single letters, so all units of the file are read."""
        units = self._corpus.code.units_of(file)
        if not name.isupper() or len(units) > _MOST_READ:
            return []
        texts = self._corpus.texts(units)
        return [unit for unit, text in zip(units, texts, strict=True) if text is not None and _has(text, name)]


def _may_use(code: CodeIndex, unit: int, language: str) -> bool:
    """Whether a unit can use what is defined in a language."""
    file = int(code.unit_file[unit])
    if language in (TEXT, code.language(file)):
        return True
    family = next((family for family in _SHARING_NAMES if language in family), set())
    return code.language(file) in family or ("javascript" in family and code.path(file).endswith(_COMPONENTS))


def _has(text: str, name: str) -> bool:
    """Whether a text has all words of a name, with their case."""
    return all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words(name))


def _innermost(code: CodeIndex, users: Sequence[int]) -> list[int]:
    """The users without the classes that enclose another one, and without the windows beside one in their file."""

    def gives_way(outer: int) -> bool:
        others = [unit for unit in users if unit != outer and code.unit_file[unit] == code.unit_file[outer]]
        others = [unit for unit in others if code.kind(unit) != _WINDOW]
        if code.kind(outer) in CLASS_KINDS:  # which comes before what it encloses
            return any(unit > outer and code.unit_end[unit] <= code.unit_end[outer] for unit in others)
        return code.kind(outer) == _WINDOW and bool(others)

    return [unit for unit in users if not gives_way(unit)]
