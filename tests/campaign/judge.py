"""The rule that every case of the campaign is judged by.

An answer equals the one from a clean store, or says that it is partial, or is one clear line and a non-zero exit code.
There is never a traceback, a hang, a process left over, or a change to the repository.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import stat
import time
from collections import Counter
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

from tests.surfaces.program import Run

MOST_SECONDS = 30.0
"""How long a command may take before it counts as hanging."""
_LEAVING_SECONDS = 10.0
_VARY = {"timings_ms", "notes", "store", "store_bytes", "index_bytes", "freed_bytes"}
"""What differs between two right answers: times, sizes, and what is said about how the answer came about."""
_PRELUDE = ("Indexing ", "note: ", "trackdown: warning: ")
_SURPRISE = "run `trackdown --debug` and report it"


class Verdict(StrEnum):
    """How a command ended, from the best to the worst."""

    EQUAL = "equal"
    PARTIAL = "partial"
    REFUSED = "refused"
    FAILED = "failed"


class Judge:
    """Collects what was seen in one case. `problems` is empty if the rule held."""

    def __init__(self) -> None:
        self.seen: Counter[Verdict] = Counter()
        self.problems: list[str] = []

    @property
    def verdict(self) -> Verdict:
        """The worst of what was seen."""
        if self.problems:
            return Verdict.FAILED
        return max(self.seen, key=list(Verdict).index, default=Verdict.EQUAL)

    def fail(self, problem: str) -> None:
        """Note that the rule was broken."""
        self.problems.append(problem)

    def expect(self, holds: bool, problem: str) -> None:
        """Note a problem unless something holds."""
        if not holds:
            self.fail(problem)

    def judge(self, label: str, run: Run, clean: Any = None, *, may_refuse: bool = True) -> Any:
        """Judge a command by its exit code and output; `clean` None accepts any well-formed answer.

        Returns the answer without what varies, or None if there is none.
        """
        said = run.err.strip().splitlines()
        if run.code < 0:
            self.fail(f"{label}: died of {signal.Signals(-run.code).name}")
        elif "Traceback (most recent call last)" in run.out + run.err:
            self.fail(f"{label}: traceback: {said[-1] if said else ''}")
        elif run.code:
            self._judge_refusal(label, run, said, may_refuse)
        else:
            return self._judge_answer(label, run.out, clean)
        return None

    def _judge_refusal(self, label: str, run: Run, said: list[str], may_refuse: bool) -> None:
        last = said[-1] if said else ""
        others = [line for line in said[:-1] if not line.startswith(_PRELUDE)]
        if run.out:
            self.fail(f"{label}: exit code {run.code} after an answer: {last}")
        elif not last.startswith("trackdown: ") or _SURPRISE in last or others:
            self.fail(f"{label}: exit code {run.code}, not in one clear line: {' | '.join(said)[:600]}")
        elif not may_refuse:
            self.fail(f"{label}: refused: {last}")
        else:
            self.seen[Verdict.REFUSED] += 1

    def _judge_answer(self, label: str, out: str, clean: Any) -> Any:
        try:
            answer = json.loads(out)
        except ValueError:
            self.fail(f"{label}: the answer is not JSON: {out[:200]!r}")
            return None
        if is_partial(answer):
            self.seen[Verdict.PARTIAL] += 1
        elif clean is None or (plain := without_what_varies(answer)) == clean:
            self.seen[Verdict.EQUAL] += 1
        else:
            self.fail(f"{label}: differs from a clean store: {_difference(plain, clean)}")
        return without_what_varies(answer)


def is_partial(answer: Any) -> bool:
    """Whether an answer says that something is missing from it."""
    first = answer[0] if isinstance(answer, list) and answer else answer
    return isinstance(first, dict) and (first.get("partial") is True or first.get("ready") is False)


def without_what_varies(answer: Any) -> Any:
    """An answer without times, sizes and notes."""
    if isinstance(answer, dict):
        return {name: without_what_varies(value) for name, value in answer.items() if name not in _VARY}
    return [without_what_varies(value) for value in answer] if isinstance(answer, list) else answer


def _difference(one: Any, other: Any, at: str = "") -> str:
    """Where two answers differ first."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return next(_difference(one[name], other[name], f"{at}.{name}") for name in one if one[name] != other[name])
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next(_difference(a, b, f"{at}[{number}]") for number, (a, b) in pairs if a != b)
    return f"{at or 'all'}: {json.dumps(one)[:200]} instead of {json.dumps(other)[:200]}"


def fingerprint(root: Path) -> str:
    """A digest of every file below a folder: name, mode, size, time and, of regular files up to 1 MB, content."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(os.fsencode(root)):
        folders.sort()
        for name in [b".", *sorted([*folders, *files])]:
            path = os.path.join(folder, name)
            state = os.lstat(path)
            digest.update(b"%s %d %d %d\n" % (path, state.st_mode, state.st_size, state.st_mtime_ns))
            if stat.S_ISREG(state.st_mode) and state.st_size < 1 << 20:
                with open(path, "rb") as stream:
                    digest.update(stream.read())
    return digest.hexdigest()


def end_leftovers(expected: set[int]) -> list[str]:
    """Wait for this process's children to end, except those expected; kill and name those that stay.

    Orphans are our children if this process is a subreaper, which the runner sees to.
    """
    until = time.monotonic() + _LEAVING_SECONDS
    while (left := living_children() - expected) and time.monotonic() < until:
        time.sleep(0.01)
    named = []
    for process in left:
        with suppress(OSError):
            named.append(Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
            os.kill(process, signal.SIGKILL)
    for process in _children().keys() - expected:  # orphans that nobody else waits for
        with suppress(ChildProcessError):
            os.waitpid(process, 0 if process in left else os.WNOHANG)
    return named


def living_children() -> set[int]:
    """Return the children of this process that have not ended."""
    return {process for process, state in _children().items() if state != "Z"}


def _children() -> dict[int, str]:
    """The children of this process, dead ones included, with their states as /proc has them."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path("/proc", entry, "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found[int(entry)] = fields[0]
    return found
