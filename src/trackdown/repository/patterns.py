"""The patterns of .gitignore files, matched in time that is linear in the path.

A repository's patterns are untrusted. Python's regular expressions backtrack, so `*a*a*a*b` would take forever if every
star became `.*`. But only the last star of a name needs to backtrack: an earlier one may commit to the first place
where the text after it fits. The same holds for all `**` of a path but the last. Atomic groups say just that. Most
patterns are plain names or endings such as `*.log`; these are looked up, whatever their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

MAX_WILDCARDS = 1000
"""The most names with wildcards in one file, counting each part of a path. Patterns beyond it are not obeyed."""
_LONGEST_PATTERN = 4096  # no path is longer
_MOST_WILDCARDS_IN_ALL = 4000
_MOST_CHARACTERS_IN_ALL = 1 << 16
_MOST_PARTS = 32
_WILD = re.compile(r"[*?\[\\]")
_POSIX = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": " \\t\\n\\r\\f\\v",
    "blank": " \\t",
    "punct": "!-/:-@\\[-`{-~",
    "xdigit": "0-9a-fA-F",
    "cntrl": "\\x00-\\x1f\\x7f",
    "print": " -~",
    "graph": "!-~",
}


class PatternBudget:
    """What the patterns with wildcards of all ignore files of a snapshot may take together, so that compiling them
    takes a second at most.
    """

    def __init__(self) -> None:
        self._wildcards = _MOST_WILDCARDS_IN_ALL
        self._characters = _MOST_CHARACTERS_IN_ALL

    def allows(self, wildcards: int, characters: int) -> bool:
        """Whether a pattern still fits. If so, it is charged."""
        if wildcards > self._wildcards or characters > self._characters:
            return False
        self._wildcards -= wildcards
        self._characters -= characters
        return True


class _Wildcard(NamedTuple):
    """A pattern that is neither a plain name nor an ending. Without a slash it is compared with the last name only."""

    number: int
    matches: re.Pattern[str]
    name_only: bool
    folders_only: bool


class IgnorePatterns:
    """The patterns of one ignore file. Like git, it skips lines that are not patterns.

    `dropped` counts the patterns that are not obeyed: lines that are too long, and wildcards beyond the limit of the
    file or beyond the budget of all files.
    """

    def __init__(self, text: str, budget: PatternBudget | None = None) -> None:
        self.dropped = 0
        self._budget = budget or PatternBudget()
        self._tried = 0
        self._brings_back: list[bool] = []
        # For files and for folders: what matches → the number of the last such pattern.
        self._names: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._paths: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._endings: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._lengths: tuple[int, ...] = ()
        self._wildcards: list[_Wildcard] = []
        self._known_folders: dict[str, int] = {"": -1}
        for line in text.removeprefix("\ufeff").split("\n"):
            if line and line[0] != "#":
                self._add(_without_trailing_spaces(line.removesuffix("\r")))
        self._lengths = tuple({len(ending) for ending in self._endings[True]})
        self._wildcards.reverse()

    @property
    def obeyed(self) -> int:
        """How many patterns there are, without those that are broken or dropped."""
        return len(self._brings_back)

    @property
    def brings_back(self) -> bool:
        """Whether any pattern begins with `!`."""
        return any(self._brings_back)

    def ignores(self, path: str, *, is_folder: bool = False) -> bool | None:
        """True if the last pattern that matches a path ignores it, False if it is a `!` pattern, None without a match.

        A pattern that matches the path itself outweighs all that match a folder above it.
        """
        found = self._last(path, is_folder=is_folder)
        if found < 0:
            found = self._last_above(path.rpartition("/")[0])
        return None if found < 0 else not self._brings_back[found]

    def _last_above(self, folder: str) -> int:
        """The number of the last pattern that matches a folder or one above it, or -1."""
        above = []
        while folder not in self._known_folders:
            above.append(folder)
            folder = folder.rpartition("/")[0]
        found = self._known_folders[folder]
        for inner in reversed(above):
            found = max(found, self._last(inner, is_folder=True))
            self._known_folders[inner] = found
        return found

    def _last(self, path: str, *, is_folder: bool) -> int:
        """The number of the last pattern that matches just this path, or -1."""
        name = path.rpartition("/")[2]
        found = max(self._names[is_folder].get(name, -1), self._paths[is_folder].get(path, -1))
        for length in self._lengths:
            found = max(found, self._endings[is_folder].get(name[-length:], -1))
        for pattern in self._wildcards:
            if pattern.number < found:
                break
            if (is_folder or not pattern.folders_only) and pattern.matches.match(name if pattern.name_only else path):
                return pattern.number
        return found

    def _add(self, line: str) -> None:
        if len(line) > _LONGEST_PATTERN:
            self.dropped += 1
            return
        pattern = line.removeprefix("!")
        folders_only = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        name_only = "/" not in pattern
        pattern = pattern.removeprefix("/")
        if not pattern:
            return
        number = len(self._brings_back)
        if not _WILD.search(pattern):
            self._look_up(self._names if name_only else self._paths, pattern, number, folders_only)
        elif name_only and pattern[0] == "*" and len(pattern) > 1 and not _WILD.search(pattern, 1):
            self._look_up(self._endings, pattern[1:], number, folders_only)
        elif not self._may_compile(pattern):
            self.dropped += 1
            return
        else:
            try:
                expression = _name(pattern) if name_only else _path(pattern)
                matches = re.compile(f"{expression}\\Z", re.DOTALL)
            except (ValueError, re.error):
                return  # an open bracket, or a backslash at the end: it matches nothing
            self._wildcards.append(_Wildcard(number, matches, name_only, folders_only))
        self._brings_back.append(line[0] == "!")

    def _may_compile(self, pattern: str) -> bool:
        """Whether a pattern with wildcards is within all limits. If so, it is counted."""
        parts = pattern.count("/") + 1
        if parts > min(_MOST_PARTS, MAX_WILDCARDS - self._tried) or not self._budget.allows(parts, len(pattern)):
            return False
        self._tried += parts
        return True

    @staticmethod
    def _look_up(tables: tuple[dict[str, int], dict[str, int]], key: str, number: int, folders_only: bool) -> None:
        tables[True][key] = number
        if not folders_only:
            tables[False][key] = number


class PathPatterns:
    """Patterns that somebody typed to name files: `*.py`, `src/web/`, `tests/**/data`.

    They are those of an ignore file, except that one with a slash matches at any depth, too; a slash at its beginning
    ties it to the root. Brackets stand for themselves, too: `app/[slug]` is also a folder's name. `broken` are those
    that can match nothing.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        lines = {pattern: _at_any_depth(pattern) for pattern in patterns}
        self.broken = [pattern for pattern, line in lines.items() if not IgnorePatterns(line).obeyed]
        to_the_letter = (line.replace("[", "\\[") for line in lines.values() if "[" in line and "\\" not in line)
        self._patterns = IgnorePatterns("\n".join([*lines.values(), *to_the_letter]))

    def matches(self, path: str) -> bool:
        """Whether a pattern matches the path of a file, or a folder above it."""
        return self._patterns.ignores(path) is not None


def _at_any_depth(pattern: str) -> str:
    """The line of an ignore file for a pattern that somebody typed."""
    pattern = " ".join(pattern.removeprefix("./").splitlines())
    if pattern.startswith("/") or not pattern.strip("/"):
        return pattern
    is_name = "/" not in pattern.removesuffix("/")
    return pattern if is_name and pattern[0] not in "#!" else f"**/{pattern}"


def _without_trailing_spaces(line: str) -> str:
    """A line without the spaces at its end, except one after a backslash."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if backslashes % 2 and bare != line else bare


def _path(pattern: str) -> str:
    """The expression for a pattern with slashes. `**` as a whole name stands for any number of folders."""
    chunks: list[list[str]] = [[]]
    for name in pattern.split("/"):
        if len(name) > 1 and not name.strip("*"):
            chunks.append([])
        else:
            chunks[-1].append(_name(name))
    if len(chunks) == 1:
        return "/".join(chunks[0])
    first, *middle, last = chunks
    found = "".join(f"{name}/" for name in first)
    for chunk in filter(None, middle):
        found += f"(?>(?:[^/]++/)*?{''.join(f'{name}/' for name in chunk)})"
    return found + (f"(?:[^/]++/)*?{'/'.join(last)}" if last else ".+")


def _name(pattern: str) -> str:
    """The expression for a whole name, the part between two slashes."""
    first, *rest = _between_stars(pattern)
    if not rest:
        return first
    committed = "".join(f"(?>[^/]*?{part})" for part in rest[:-1] if part)
    return f"{first}{committed}(?>[^/]*{rest[-1]}(?![^/]))"


def _between_stars(pattern: str) -> list[str]:
    """The expressions of the parts between the stars of a name; each matches a fixed number of characters."""
    parts = [""]
    for token in _tokens(pattern):
        if token == "*":
            parts.append("")
        else:
            parts[-1] += token
    return parts


def _tokens(pattern: str) -> Iterator[str]:
    """`*` for a star, otherwise the expression for one character. Raises ValueError when the pattern is broken."""
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character == "*":
            yield "*"
        elif character == "?":
            yield "[^/]"
        elif character == "[":
            token, at = _bracket(pattern, at)
            yield token
        else:
            if character == "\\":
                if at == len(pattern):
                    raise ValueError("nothing after the backslash")
                character = pattern[at]
                at += 1
            yield re.escape(character) if character != "*" else "[*]"


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """The expression for the set of characters that begins after a bracket, and where it ends."""
    negated = pattern[at : at + 1] in ("!", "^")
    start = at = at + negated
    members = ""
    while pattern[at : at + 1] != "]" or at == start:
        if at >= len(pattern):
            raise ValueError("the bracket is not closed")
        if pattern.startswith("[:", at) and (end := pattern.find(":]", at)) > 0:
            members += _POSIX[pattern[at + 2 : end]] if pattern[at + 2 : end] in _POSIX else _unknown_class()
            at = end + 2
            continue
        low, at = _member(pattern, at)
        if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("]", ""):
            high, at = _member(pattern, at + 1)
            members += f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
        else:
            members += re.escape(low)
    if not members:
        return ("[^/]" if negated else "(?!)"), at + 1
    return f"(?!/)[{'^' if negated else ''}{members}]", at + 1


def _member(pattern: str, at: int) -> tuple[str, int]:
    at += pattern[at] == "\\"
    if at >= len(pattern):
        raise ValueError("the bracket is not closed")
    return pattern[at], at + 1


def _unknown_class() -> str:
    raise ValueError("no such class of characters")
