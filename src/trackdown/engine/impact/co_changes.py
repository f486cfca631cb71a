"""Co-change: which files changed in the same past commits as the files of a diff.

Each changed file speaks for the files that its commits touched, with the share of its commits that touched them: ROSE's
confidence (Zimmermann, Weißgerber, Diehl and Zeller, "Mining version histories to guide software changes", ICSE 2004).
A commit counts less the more files it touched and the older it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.engine.impact.changed_files import PatchedFile
from trackdown.engine.impact.evidence import Evidence, Floats
from trackdown.index import CodeIndex, CommitIndex
from trackdown.retrieve import quote_commit, touches

SIGNAL = "co-change"
_MOST_COMMITS = 20_000
_HALF_LIFE = 1000
"""After this many later commits, a commit counts half."""
_PRIOR = 1.0
"""Weight of commits that no one made: a file that changed once is no certain witness."""
_WIDEST = 200
"""Commits that touched more files say nothing about any of them."""

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _PastOfFiles:
    """Commits, oldest first, and what they touched: pairs of a commit and a file."""

    positions: Int64s
    weights: Floats
    owners: Int64s
    files: Int64s


def co_changes(
    code: CodeIndex, history: tuple[CommitIndex, str], base: str | None, changed: Sequence[PatchedFile]
) -> Evidence:
    """How often each file changed together with those of the diff. `base` hides commits that it does not reach."""
    index, commit = history
    numbers = dict(code.files_by_path)
    for one in changed:  # deleted and renamed files have a past, too
        numbers.setdefault(one.old_path, len(code.file_alive) + len(numbers))
    count = max(numbers.values(), default=0) + 1
    past = _past(index, commit, base, numbers)
    own = np.bincount(past.files, weights=past.weights[past.owners], minlength=count)
    shares: dict[str, Floats] = {}
    for one in changed:
        number = numbers[one.old_path]
        with_it = _commits_of(past, number)
        together = np.bincount(past.files, weights=(past.weights * with_it)[past.owners], minlength=count)
        shares[one.old_path] = together / (own[number] + _PRIOR)
    total = sum(shares.values(), np.zeros(count))[: len(code.file_alive)]

    def reason(file: int, unit: int) -> str:
        witness = max(shares, key=lambda path: float(shares[path][file]))
        its, candidates = _commits_of(past, numbers[witness]), _commits_of(past, file)
        common = np.flatnonzero(its & candidates)
        said = f": {quote_commit(index, int(past.positions[common[0]]))}" if len(common) == 1 else ""
        return f"changed together with {witness} in {len(common)} of {_commits(int(its.sum()))}{said}"

    return Evidence(SIGNAL, total, reason, relative=True)


def _commits(count: int) -> str:
    return f"{count} commit{'' if count == 1 else 's'}"


def _commits_of(past: _PastOfFiles, file: int) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(past.positions), dtype=bool)
    found[past.owners[past.files == file]] = True
    return found


def _past(index: CommitIndex, commit: str, base: str | None, numbers: dict[str, int]) -> _PastOfFiles:
    positions = index.latest(commit, _MOST_COMMITS)
    before = index.ancestors(base) if base is not None and index.position(base) >= 0 else None
    if before is not None:
        positions = positions[before[positions]]
    sizes = np.bincount(index.changes(positions)[0], minlength=len(positions))
    narrow = sizes <= _WIDEST
    positions, sizes = positions[narrow], sizes[narrow]
    owners, files = touches(index, commit, positions, numbers)
    ages = np.arange(len(positions))[::-1]
    weights = 0.5 ** (ages / _HALF_LIFE) / np.sqrt(np.maximum(sizes - 1.0, 1.0))
    return _PastOfFiles(positions, weights, owners, files)
