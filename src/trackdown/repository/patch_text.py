"""The text that `git diff` prints → patches."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from trackdown.repository.patches import FilePatch, Hunk

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(r'\\([0-7]{3}|[abtnvfr"\\])')
_ESCAPED = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_NOTHING = "/dev/null"
_CONTEXT = 3
_SUBMODULE, _SYMLINK = "160000", "120000"


def parse_patch(text: str) -> list[FilePatch]:
    """The files of a unified diff, in its order; text around them (a mail, a message) is passed over.

    Raises ValueError, with the line, for a hunk that does not hold as many lines as its head says, for paths that
    cannot be told and for the combined diff of a merge.
    """
    if not text.endswith("\n"):
        text += "\n" * (_CONTEXT + 1)  # some data sets strip patches, and with them blank lines of context at the end
    reader = _Lines(text.split("\n"))
    found = []
    while (line := reader.line) is not None:
        if line.startswith(("diff --cc ", "diff --combined ", "@@@ ")):
            raise ValueError(f"line {reader.number}: the combined diff of a merge")
        if line.startswith("diff --git ") or reader.is_plain_head():
            found.append(_file(reader))
        elif _HUNK.match(line):
            raise ValueError(f"line {reader.number}: a hunk without a file")
        else:
            reader.next()
    return found


class _Lines:
    """The lines of a patch and the place of the one that is looked at."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    @property
    def line(self) -> str | None:
        """The line here, None behind the last one."""
        return self._lines[self._at] if self._at < len(self._lines) else None

    @property
    def number(self) -> int:
        return self._at + 1

    @property
    def is_last(self) -> bool:
        """Whether this is what follows the last line break."""
        return self._at == len(self._lines) - 1

    def next(self) -> None:
        self._at += 1

    def is_plain_head(self) -> bool:
        """Whether a file begins here without git's line above it."""
        window = self._lines[self._at : self._at + 3]
        starts = ("--- ", "+++ ", "@@ ")
        return len(window) == 3 and all(map(str.startswith, window, starts))


def _file(reader: _Lines) -> FilePatch:
    """The file that begins at this line."""
    head = _Head(reader.number)
    line = reader.line
    while line is not None and not line.startswith("@@ "):
        if not head.take(line.rstrip("\r")):
            break
        reader.next()
        line = reader.line
    return head.patch(tuple(_hunks(reader)))


class _Head:
    """What the lines between `diff --git` and the first hunk say."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._pair: str | None = None
        self._paths: dict[str, str] = {}
        self._modes: set[str] = set()
        self._without: set[str] = set()
        self._copied = self._binary = False

    def take(self, line: str) -> bool:
        """Read one line; False when it no longer belongs to the head."""
        if line.startswith("diff --git "):
            if self._pair is not None:
                return False
            self._pair = line.removeprefix("diff --git ")
        elif line.startswith(("--- ", "+++ ")):
            side = "old" if line[0] == "-" else "new"
            if side in self._paths:
                return False
            self._paths[side] = _path(line[4:], "a/" if side == "old" else "b/")
        elif found := re.match(r"(rename|copy) (from|to) (.*)", line):
            self._copied = self._copied or found[1] == "copy"
            self._paths[f"moved {found[2]}"] = unquoted(found[3])
        elif found := re.match(r"(old|new|new file|deleted file) mode (\d+)$", line):
            self._modes.add(found[2])
            if found[1].endswith(" file"):
                self._without.add("old" if found[1] == "new file" else "new")
        elif found := re.match(r"index [0-9a-f]+\.\.[0-9a-f]+(?: (\d+))?$", line):
            self._modes.add(found[1] or "")
        elif line.startswith(("Binary files ", "GIT binary patch")):
            self._binary = True
        elif not self._binary and not line.startswith(("similarity index ", "dissimilarity index ")):
            return False
        return True

    def patch(self, hunks: tuple[Hunk, ...]) -> FilePatch:
        """All that is known, together."""
        old, new = self._sides()
        return FilePatch(
            None if old == _NOTHING or self._copied or "old" in self._without else old,
            None if new == _NOTHING or "new" in self._without else new,
            hunks,
            not self._modes & {_SUBMODULE, _SYMLINK},
        )

    def _sides(self) -> tuple[str, str]:
        named = self._paths
        old = named.get("moved from", named.get("old"))
        new = named.get("moved to", named.get("new"))
        if old is None or new is None:
            first, second = self._pair_of_paths()
            old, new = old or first, new or second
        return old, new

    def _pair_of_paths(self) -> tuple[str, str]:
        """The paths of git's own line, where no other line names them: then both are the same."""
        pair = self._pair or ""
        if pair.startswith('"'):
            quoted = re.match(r'("(?:[^"\\]|\\.)*") (.*)$', pair)
            if quoted:
                return _path(quoted[1], "a/"), _path(quoted[2], "b/")
        half = len(pair) // 2
        first, second = _path(pair[:half], "a/"), _path(pair[half + 1 :], "b/")
        if first and first == second and pair[half] == " ":
            return first, second
        raise ValueError(f"line {self._number}: cannot tell the paths in {pair!r}")


def _path(text: str, prefix: str) -> str:
    """A path of a head line, without git's prefix, quotes and anything after a tab."""
    path = unquoted(text) if text.startswith('"') else text.split("\t", 1)[0]
    return path if path == _NOTHING else path.removeprefix(prefix)


def unquoted(text: str) -> str:
    """A path as it is on disk: git puts odd ones in quotes, with C's escapes for single bytes."""
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return text
    data = bytearray()
    position = 1
    for found in _ESCAPE.finditer(text, 1, len(text) - 1):
        data += os.fsencode(text[position : found.start()])
        code = found[1]
        data.append(_ESCAPED[code] if code in _ESCAPED else int(code, 8) & 0xFF)
        position = found.end()
    data += os.fsencode(text[position:-1])
    return os.fsdecode(bytes(data))


def _hunks(reader: _Lines) -> Iterator[Hunk]:
    """The hunks from this line on."""
    while (line := reader.line) is not None and line.startswith("@@ "):
        found = _HUNK.match(line)
        if found is None:
            raise ValueError(f"line {reader.number}: the head of a hunk cannot be read: {line[:60]!r}")
        old_start, old_count, new_start, new_count = (1 if part is None else int(part) for part in found.groups())
        yield _hunk(reader, old_start, old_count, new_start, new_count)


def _hunk(reader: _Lines, old_start: int, old_count: int, new_start: int, new_count: int) -> Hunk:
    head = reader.number
    reader.next()
    lines: list[str] = []
    left = {"-": old_count, "+": new_count}
    open_sides: set[str] = set()
    while True:
        line = reader.line
        if line is not None and line.startswith("\\") and lines:
            open_sides |= {"-", "+"} if lines[-1][0] == " " else {lines[-1][0]}
            reader.next()
            continue
        if not any(left.values()):
            break
        if line == "" and not reader.is_last:
            line = " "  # some programs cut white space off at the ends of lines
        if not line or line[0] not in " -+":
            raise ValueError(
                f"line {head}: the hunk ends {left['-']} old and {left['+']} new lines short of what its head says"
            )
        for sign in "-+" if line[0] == " " else line[0]:
            left[sign] -= 1
        if min(left.values()) < 0:
            break
        lines.append(line)
        reader.next()
    if min(left.values()) < 0 or _goes_on(reader):
        raise ValueError(f"line {head}: the hunk holds more lines than its head says")
    return Hunk(old_start, new_start, tuple(lines), "-" in open_sides, "+" in open_sides)


def _goes_on(reader: _Lines) -> bool:
    """Whether the line behind a complete hunk looks like one of it."""
    line = reader.line
    if not line or line[0] not in " -+":
        return False
    return not (reader.is_plain_head() or line.rstrip("\r") in ("-- ", "--"))
