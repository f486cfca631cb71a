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
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from tests.campaign.known_places import KnownPlaces
from tests.surfaces.program import Run

MOST_SECONDS = 30.0
"""How long a command may take before it counts as hanging."""
TRACEBACK = "Traceback (most recent call last)"
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
    """Collects what was seen in one case. `problems` is empty if the rule held.

    `fired` says whether the fault was seen to happen: a kill may come too late, and an n-th call may never be made.
    With `known`, what a partial answer names must exist.
    """

    def __init__(self, known: KnownPlaces | None = None) -> None:
        self.seen: Counter[Verdict] = Counter()
        self.problems: list[str] = []
        self.fired = False
        self.known = known

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

    def judge(
        self, label: str, run: Run, clean: Any = None, *, or_else: Sequence[Any] = (), may_refuse: bool = True
    ) -> Any:
        """Judge a command by its exit code and output; `clean` None accepts any well-formed answer.

        `or_else` are further answers that are right. Returns the answer without what varies, or None if there is none.
        """
        said = run.err.strip().splitlines()
        if run.code < 0:
            self.fail(f"{label}: died of {signal.Signals(-run.code).name}")
        elif TRACEBACK in run.out + run.err:
            self.fail(f"{label}: traceback: {said[-1] if said else ''}")
        elif run.code:
            self._judge_refusal(label, run, said, may_refuse)
        else:
            return self._judge_answer(label, run.out, [clean, *or_else])
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

    def _judge_answer(self, label: str, out: str, right: Sequence[Any]) -> Any:
        try:
            answer = json.loads(out)
        except ValueError:
            self.fail(f"{label}: the answer is not JSON: {out[:200]!r}")
            return None
        plain = without_what_varies(answer)
        if is_partial(answer):
            self.judge_partial(label, plain, right[0])
        elif right[0] is None or plain in right:
            self.seen[Verdict.EQUAL] += 1
        else:
            self.fail(f"{label}: differs from a clean store: {_difference(plain, right[0])}")
        return plain

    def judge_partial(self, label: str, answer: Any, clean: Any) -> None:
        """Judge an answer that says it is partial: it has the shape of the clean one, and names nothing that is not."""
        self.seen[Verdict.PARTIAL] += 1
        if clean is not None and _shape(answer) != _shape(clean):
            self.fail(f"{label}: partial, and of another shape: {_shape(answer)} instead of {_shape(clean)}")
        if self.known is not None and (problem := self.known.problem(answer)):
            self.fail(f"{label}: partial, but {problem}")


def is_partial(answer: Any) -> bool:
    """Whether an answer says that something is missing from it."""
    first = answer[0] if isinstance(answer, list) and answer else answer
    return isinstance(first, dict) and (first.get("partial") is True or first.get("ready") is False)


def without_what_varies(answer: Any) -> Any:
    """An answer without times, sizes and notes."""
    if isinstance(answer, dict):
        return {name: without_what_varies(value) for name, value in answer.items() if name not in _VARY}
    return [without_what_varies(value) for value in answer] if isinstance(answer, list) else answer


def _shape(answer: Any) -> list[str]:
    """The fields of an answer, or of the first of several."""
    first = answer[0] if isinstance(answer, list) and answer else answer
    return sorted(first) if isinstance(first, dict) else [type(first).__name__]


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
