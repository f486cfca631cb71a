"""Patches: what a unified diff does to a file, line by line, and the text that comes of it.

Lines end at `\\n` alone, as for git and for the parser: a carriage return is a part of its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

_OTHER_SIGN = {" ": " ", "-": "+", "+": "-"}


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring lines of a change. A line begins with ` `, `-` or `+`; starts are 1-based.

    A side without lines starts behind the line that its number names, as git writes it. `old_open` and `new_open` say
    that a side's last line is the file's last and has no line break.
    """

    old_start: int
    new_start: int
    lines: tuple[str, ...]
    old_open: bool = False
    new_open: bool = False

    @property
    def old_lines(self) -> list[str]:
        return [line[1:] for line in self.lines if line[0] != "+"]

    @property
    def new_lines(self) -> list[str]:
        return [line[1:] for line in self.lines if line[0] != "-"]

    def reversed(self) -> Hunk:
        """The hunk that takes this one back."""
        lines = tuple(_OTHER_SIGN[line[0]] + line[1:] for line in self.lines)
        return Hunk(self.new_start, self.old_start, lines, self.new_open, self.old_open)

    def removed(self) -> list[int]:
        """The numbers of the removed lines, in the old text."""
        return self._numbers("-", self.old_start)

    def added(self) -> list[int]:
        """The numbers of the added lines, in the new text."""
        return self._numbers("+", self.new_start)

    def _numbers(self, sign: str, start: int) -> list[int]:
        side = [line[0] for line in self.lines if line[0] in (" ", sign)]
        return [start + offset for offset, first in enumerate(side) if first == sign]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file. `old_path` is None for a new or copied file, `new_path` for a deleted one.

    A binary file, a pure rename and a change of mode have no hunks. `regular` is False for links and submodules.
    """

    old_path: str | None
    new_path: str | None
    hunks: tuple[Hunk, ...] = ()
    regular: bool = True


def fitted_patch(patch: FilePatch, old_text: str) -> FilePatch:
    """The patch with its hunks where their lines stand in this text: other changes may have moved them.

    Of several such places the one nearest to the hunk's own numbers is taken, as `patch` and `git apply` do. Raises
    ValueError when a hunk has none.
    """
    lines, _ = _split(old_text)
    done = moved = grown = 0
    hunks = []
    for hunk in patch.hunks:
        before, after = hunk.old_lines, hunk.new_lines
        named = hunk.old_start - bool(before)
        start = _nearest(lines, before, named + moved, done)
        if start is None:
            raise ValueError(f"{_name(patch)}: the hunk at line {hunk.old_start} was made for another text")
        new_start = start + grown + bool(after)
        hunks.append(replace(hunk, old_start=start + bool(before), new_start=new_start))
        moved, done, grown = start - named, start + len(before), grown + len(after) - len(before)
    return replace(patch, hunks=tuple(hunks))


def apply_patch(patch: FilePatch, old_text: str) -> str:
    """The text that a file has after its patch. Raises ValueError when the patch was made for another text."""
    lines, closed = _split(old_text)
    made: list[str] = []
    done = 0
    for hunk in fitted_patch(patch, old_text).hunks:
        before = hunk.old_lines
        start = hunk.old_start - bool(before)
        made += lines[done:start]
        done = start + len(before)
        made += _new_side(hunk, lines[start:done])
        if done == len(lines):
            closed = not hunk.new_open
    made += lines[done:]
    return "\n".join(made) + ("\n" if made and closed else "")


def _nearest(lines: Sequence[str], wanted: Sequence[str], named: int, earliest: int) -> int | None:
    """Where lines stand, nearest to the place that is named; an insertion without context fits only there."""
    last = len(lines) - len(wanted)
    if earliest <= named <= last and _fits(lines, wanted, named):
        return named
    if not wanted:
        return None
    places = (place for place in range(earliest, last + 1) if _fits(lines, wanted, place))
    return min(places, key=lambda place: abs(place - named), default=None)


def _fits(lines: Sequence[str], wanted: Sequence[str], place: int) -> bool:
    return all(_alike(line, lines[place + offset]) for offset, line in enumerate(wanted))


def _new_side(hunk: Hunk, here: Sequence[str]) -> list[str]:
    """The hunk's new lines, those that stay as they stand in the file."""
    staying = iter(here)
    made = []
    for line in hunk.lines:
        if line[0] == "+":
            made.append(line[1:])
            continue
        kept = next(staying)
        if line[0] == " ":
            made.append(kept)
    return made


def _split(text: str) -> tuple[list[str], bool]:
    """The lines of a text, and whether the last one ends with a line break."""
    lines = text.split("\n")
    closed = not lines[-1]
    return (lines[:-1], True) if closed else (lines, False)


def _alike(wanted: str, line: str) -> bool:
    """Equal but for what mail and editors change: a carriage return at the end, a byte-order mark at the beginning."""
    return wanted == line or wanted.rstrip("\r").lstrip("\ufeff") == line.rstrip("\r").lstrip("\ufeff")


def _name(patch: FilePatch) -> str:
    return patch.old_path or patch.new_path or "?"
