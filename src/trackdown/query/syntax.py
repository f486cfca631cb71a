"""The syntax of code hosts in a query: `path:`, `lang:`, `kind:`, `symbol:`, their negations, and exact phrases.

An issue is somebody's text, and `path:` in its prose is not meant for us. So a filter counts only in a query of one
line, which somebody typed, and there only at the start of a word and outside quotes and backquotes. A prefix that is
not known, or that nothing follows, is a plain word; the engine tells of the latter. Nothing here raises: the engine
checks the values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from trackdown.units import terms, words

LONGEST_LINE = 1000
"""A longer line is prose."""
_PREFIXES = {"path": "paths", "lang": "languages", "language": "languages", "kind": "kinds", "symbol": "symbols"}
_WRITTEN = {"paths": "path", "languages": "lang", "kinds": "kind", "symbols": "symbol"}
_EITHER = {"languages", "kinds"}
"""Values that may be joined: `lang:python,ruby`, `kind:class|enum`."""
_TOKEN = re.compile(
    r"(?P<code>`[^`]*`)"
    rf"|(?<!\S)(?P<minus>-?)(?P<prefix>{'|'.join(_PREFIXES)}):(?:\"(?P<quoted>[^\"]*)\"|(?P<value>[^\s\"`]\S*))(?!\S)"
    r"|\"(?P<straight>[^\"]*)\"|“(?P<curly>[^”]*)”"
    r"|\S+"
)
_VALUELESS = re.compile(rf"(-?(?:{'|'.join(_PREFIXES)}):)(?:\"\s*\")?")
_NAME_SEPARATORS = re.compile(r"::|#|->")


@dataclass(frozen=True, slots=True)
class Filters:
    """What an answer is limited to. Of several values of one kind one must match, and of each kind one.

    What matches a `without_…` never counts. Paths are patterns like those of .gitignore.
    """

    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    without_paths: tuple[str, ...] = ()
    without_languages: tuple[str, ...] = ()
    without_kinds: tuple[str, ...] = ()
    without_symbols: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) for one in fields(self))

    def __str__(self) -> str:
        """The filters as they are written in a query."""
        return " ".join(
            f"{'-' if one.name.startswith('without_') else ''}{_WRITTEN[one.name.removeprefix('without_')]}:"
            + (f'"{value}"' if " " in value else value)
            for one in fields(self)
            for value in getattr(self, one.name)
        )


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A query without its filters. `phrases` are those in quotes; `has_words` says whether there is anything else.

    `valueless` are prefixes of filters that nothing follows, such as `path:`. They stay in the text.
    """

    text: str
    filters: Filters = NO_FILTERS
    phrases: tuple[str, ...] = ()
    has_words: bool = True
    valueless: tuple[str, ...] = ()


def read_syntax(text: str) -> TypedLine:
    """Take the filters and phrases from a query of one line. Any other query is returned as it is."""
    line = text.strip()
    if "\n" in line or len(line) > LONGEST_LINE:
        return TypedLine(text)
    values: dict[str, list[str]] = {}
    rest: list[str] = []
    phrases: list[str] = []
    valueless: list[str] = []
    has_words = False
    for token in _TOKEN.finditer(line):
        if token["prefix"] and (token["quoted"] is None or token["quoted"].strip()):
            name = _PREFIXES[token["prefix"]]
            found = values.setdefault(f"without_{name}" if token["minus"] else name, [])
            found += _values(name, (token["quoted"] or token["value"]).strip())
            continue
        valueless += [match[1]] if (match := _VALUELESS.fullmatch(token[0])) else []
        phrase = (token["straight"] or token["curly"] or "").strip()
        phrases += [phrase] if phrase else []
        has_words = has_words or not phrase
        rest.append(token[0])
    filters = Filters(**{name: tuple(dict.fromkeys(found)) for name, found in values.items()})
    rest_of_text = " ".join(rest) if filters else text
    return TypedLine(rest_of_text, filters, tuple(dict.fromkeys(phrases)), has_words, tuple(dict.fromkeys(valueless)))


def words_of_phrases(phrases: Sequence[str]) -> list[str]:
    """The terms that a text with all these phrases has."""
    return list(dict.fromkeys(term for phrase in phrases for word in words(phrase) for term in terms(word)[:1]))


def _values(name: str, value: str) -> list[str]:
    """The values of one filter."""
    if name in _EITHER:
        return [one for one in re.split(r"[,|]", value) if one] or [value]
    return [_NAME_SEPARATORS.sub(".", value) if name == "symbols" else value]
