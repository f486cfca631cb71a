"""The tour, docs/tour.md, as a script: its commands, what they print, and whether that is what the page shows.

`python -m tests.tour` (or `make tour`) runs it and writes what the commands print now into the page.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.surfaces.program import Program

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tour.md"
ANYTHING = "…"
"""In a line: any text. Alone in a line: any lines."""
_BLOCK = re.compile(r"^(`{3,})console\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
_FOR_THE_SHELL = re.compile(r"[|<>;&$\n]|^(?!trackdown )")
_VARYING = (
    (re.compile(r"\d[\d.,]*(?= (?:ms|s|B|kB|MB|GB)\b)"), ANYTHING),
    (re.compile(r"(?<=: )(?:[\w-]+ \d+\.\d(?:, )?)+$"), ANYTHING),  # the time of each stage
    (re.compile(r"(?<=digest )[0-9a-f]{64}"), ANYTHING),
    (re.compile(r"(?<=trackdown )\d+\.\d+\.\d+"), ANYTHING),
)
"""What differs from run to run, and what the page shows instead."""
_IF_SLOW = re.compile(r"\w+: (?:importing an|writing the) index")
"""Progress that only a slow machine shows."""
_PERCENT = re.compile(r"\b\d+%")


@dataclass(frozen=True, slots=True)
class Step:
    """A command of the page, and what the page says it prints."""

    command: str
    shown: tuple[str, ...]

    def printed(self, lines: Sequence[str]) -> bool:
        """Whether these lines are what the page shows. Any percentage will do: it changes with the models."""
        return _matches([_PERCENT.sub("0%", one) for one in self.shown], [_PERCENT.sub("0%", one) for one in lines])

    def text(self) -> str:
        """The step as the page shows it."""
        first, *others = self.command.split("\n")
        return "".join(f"{line}\n" for line in (f"$ {first}", *(f"> {line}".rstrip() for line in others), *self.shown))


def steps(page: str) -> list[Step]:
    """The commands of a page, in order."""
    return [step for _, block in _BLOCK.findall(page) for step in _steps_of(block)]


def _steps_of(block: str) -> Iterator[Step]:
    command: list[str] = []
    shown: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            if command:
                yield Step("\n".join(command), tuple(shown))
            command, shown = [line[2:]], []
        elif line.startswith(">") and not shown:
            command.append(line[2:])
        else:
            shown.append(line)
    yield Step("\n".join(command), tuple(shown))


def _matches(shown: Sequence[str], lines: Sequence[str]) -> bool:
    if not shown:
        return not lines
    first, *others = shown
    if first == ANYTHING:
        return any(_matches(others, lines[skipped:]) for skipped in range(len(lines) + 1))
    pattern = ".*".join(map(re.escape, first.split(ANYTHING)))
    return bool(lines) and re.fullmatch(pattern, lines[0]) is not None and _matches(others, lines[1:])


class Walk:
    """Somebody who types the commands into a shell, in an empty folder beside a checkout, with a store of their own."""

    def __init__(self, folder: Path) -> None:
        (folder / "docs").symlink_to(ROOT / "docs")
        self.folder = folder
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "GIT_CONFIG_GLOBAL": os.devnull}
        own = {name: None for name in os.environ if name.startswith("TRACKDOWN_") and name != "TRACKDOWN_STORE"}
        patient = {"TRACKDOWN_BUDGET_MS": "600000"}  # a busy machine must not cut an answer short
        self._program = Program(folder / "store", folder, own | home | patient)

    def run(self, command: str) -> list[str]:
        """The lines that a command prints: those on standard error first."""
        words = shlex.split(command)
        if words[0] == "cd":
            self._program = self._program.within((self._program.folder / words[1]).resolve())
            return []
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self._program = self._program.having(**{name: value})
            return []
        done = self._program.shell(command) if _FOR_THE_SHELL.search(command) else self._program(*words[1:])
        return [line.rstrip() for line in (done.err + done.out).splitlines() if not _IF_SLOW.fullmatch(line)]


def renewed(page: str, folder: Path) -> str:
    """The page with what its commands print now. A step that still prints what the page shows stays as it is."""
    walk = Walk(folder)

    def block_now(found: re.Match[str]) -> str:
        fence, block = found.groups()
        return f"{fence}console\n{''.join(_renewed(step, walk).text() for step in _steps_of(block))}{fence}"

    return _BLOCK.sub(block_now, page)


def _renewed(step: Step, walk: Walk) -> Step:
    lines = walk.run(step.command)
    if _matches(step.shown, lines):
        return step
    lines = [line.replace(str(walk.folder), ANYTHING) for line in lines]
    for pattern, instead in _VARYING:
        lines = [pattern.sub(instead, line) for line in lines]
    return replace(step, shown=tuple(lines))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        text = renewed(PAGE.read_text("utf-8"), Path(scratch).resolve())
    PAGE.write_text(text, "utf-8")
