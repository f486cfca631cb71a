"""System 1's record of every change to a file: one row per (commit, file), in a Parquet file per repository.

Gandhi, Gao and Callan, "Repository-level code search with neural retrieval methods", Table 1: their columns, names and
order. `previous_file_path` is ours and comes last: without it the history of a renamed file would be lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trackdown.lab.mine.changes import ChangedSides, ChangeReader
from trackdown.lab.mine.parquet_table import About, TableWriter
from trackdown.repository import BlobReader, CommitRef, Git, decode_text, shallow_commits
from trackdown.types import Progress, no_progress

COLUMNS = {
    "owner": "text",
    "repo_name": "text",
    "commit_date": "number",
    "commit_id": "text",
    "commit_message": "text",
    "file_path": "text",
    "previous_commit_id": "text",
    "previous_file_content": "text",
    "cur_file_content": "text",
    "diff": "text",
    "status": "text",
    "is_merge": "truth",
    "file_extension": "text",
    "previous_file_path": "text",
}
LARGEST_CONTENT = 1_000_000
CUT_OFF, UNREADABLE = "its parents are not in this clone", "cannot be compared"
_STATUS = {"A": "added", "D": "deleted", "R": "renamed"}
_FORMAT = "--format=tformat:%H%x00%ct%x00%B"


@dataclass(slots=True)
class RecordsReport:
    """How many rows came of how many commits, and why others gave none."""

    rows: int = 0
    commits: int = 0
    dropped: Counter[str] = field(default_factory=Counter)


def write_records(
    git: Git,
    batches: Iterable[Sequence[CommitRef]],
    owner: str,
    name: str,
    path: Path,
    about: About,
    progress: Progress = no_progress,
) -> RecordsReport:
    """Write the changes of commits, in the given order. Raises GitError, and UsageError when it cannot be written."""
    done = RecordsReport()
    with BlobReader(git) as blobs, TableWriter(path, COLUMNS, about) as table:
        rows = _RecordRows(git, blobs, owner, name, done)
        for batch in batches:
            for row in rows.of(batch):
                table.add(row)
                progress("records", done.commits, None)
            done.commits += len(batch)
            progress("records", done.commits, None)
        done.rows = table.rows
    return done


class _RecordRows:
    """Commits → rows. A merge is compared with its first parent, as GitHub does."""

    def __init__(self, git: Git, blobs: BlobReader, owner: str, name: str, done: RecordsReport) -> None:
        self._git, self._blobs, self._done = git, blobs, done
        self._repository = (owner, name)
        self._changes = ChangeReader(git)
        self._cut_off = shallow_commits(git)

    def of(self, batch: Sequence[CommitRef]) -> Iterator[tuple[Any, ...]]:
        known = [commit for commit in batch if commit.oid not in self._cut_off]
        self._drop(CUT_OFF, len(batch) - len(known))
        messages = read_messages(self._git, known)
        parents = {commit.oid: commit.parents for commit in known}
        before = len(self._changes.failed)
        for oid, file in self._changes.read(known):
            yield self._row(oid, file, messages.get(oid, (0, "")), parents[oid])
        self._drop(UNREADABLE, len(self._changes.failed) - before)

    def _drop(self, rule: str, count: int) -> None:
        if count:
            self._done.dropped[rule] += count

    def _row(self, oid: str, file: ChangedSides, said: tuple[int, str], parents: Sequence[str]) -> tuple[Any, ...]:
        time, message = said
        had = file.status != "A"
        return (
            *self._repository,
            time,
            oid,
            message,
            file.path,
            parents[0] if had and parents else None,
            self._content(file.old_oid) if had else None,
            self._content(file.oid),
            _diff(file.hunks),
            _STATUS.get(file.status, "modified"),
            len(parents) > 1,
            extension(file.path),
            file.old_path if had else None,
        )

    def _content(self, oid: str) -> str | None:
        """A file's text; None where there is none, or it is binary, large or not in this clone."""
        data = self._blobs.read(oid, LARGEST_CONTENT) if oid else None
        return decode_text(data) if data is not None and len(data) <= LARGEST_CONTENT else None


def read_messages(git: Git, commits: Sequence[CommitRef]) -> dict[str, tuple[int, str]]:
    """Commit → (when it was committed, in seconds since 1970; its message). Raises GitError."""
    if not commits:
        return {}
    asked = "".join(f"{commit.oid}\n" for commit in commits).encode("ascii")
    output = git.run(
        "log",
        "--stdin",
        "--no-walk=unsorted",
        "-z",
        "--no-patch",
        "--no-show-signature",
        "--no-notes",
        "--no-color",
        "--encoding=UTF-8",
        _FORMAT,
        stdin=asked,
    )
    fields = output.decode("utf-8", "replace").split("\0")
    return {
        oid: (int(time) if time.lstrip("-").isdigit() else 0, message.strip())
        for oid, time, message in zip(fields[::3], fields[1::3], fields[2::3], strict=False)
    }


def extension(path: str) -> str:
    """The part after the last dot of a file's name; empty for `Makefile` and `.gitignore`."""
    stem, _, ending = path.rsplit("/", 1)[-1].rpartition(".")
    return ending if stem else ""


def _diff(hunks: bytes | None) -> str | None:
    """Hunks as text; None where there are none or they are too many."""
    return hunks.decode("utf-8", "replace") if hunks and len(hunks) <= LARGEST_CONTENT else None
