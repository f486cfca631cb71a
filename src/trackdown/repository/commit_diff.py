"""One commit as git has it: who wrote it, when, what it says, and its diff, read within limits.

A merge is compared with its first parent, and the first commit with nothing. What the shallow end of a clone changed is
not known, because its parents are missing.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from trackdown.errors import GitError, GitTimeout, MissingObject
from trackdown.repository.git import Git, git_error, read_rest
from trackdown.repository.history import shallow_commits
from trackdown.repository.patch_text import unquoted
from trackdown.repository.waiting import wait_for_output

MOST_BYTES = 16 << 20
"""How much of a diff is read."""
_LONGEST_WAIT = 60.0
_LARGEST_FILE = "8m"
"""Git compares larger files as it compares binary ones: they differ."""
_CHUNK = 1 << 18
_FORMAT = "--format=%H%x00%P%x00%an%x00%ae%x00%at%x00%B"
_HEAD = ("--no-walk", "--no-patch", "--no-notes", "--no-show-signature", "--no-color", "--encoding=UTF-8")
_DIFF = (
    *("diff-tree", "-r", "--root", "--no-commit-id", "--raw", "--full-index", "--no-abbrev", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--submodule=short"),
)
_PATCH = ("-p", "-U3", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/")
_LEVELS = (("-M", "-l1000", *_PATCH), ("-M100%",), ("--no-renames",))
"""What to try one after the other: a partial clone may lack the blobs that a diff or a rename needs."""
_SECTION = re.compile(rb"^diff --git ", re.M)
_HUNK = re.compile(rb"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_IDS = re.compile(rb"^index [0-9a-f]+\.\.[^\n]*\n", re.M)
_STATUSES = {"A": "added", "D": "deleted", "M": "modified", "R": "renamed", "C": "copied", "T": "retyped"}
_REGULAR = (b"100644", b"100755", b"100664")
_SUBMODULE, _SYMLINK = b"160000", b"120000"
_LAST_SECOND = 253_402_300_799


@dataclass(frozen=True, slots=True)
class CommitHead:
    """A commit without its changes. `time` is the author's, in seconds since the epoch."""

    oid: str
    parents: tuple[str, ...]
    author: str
    email: str
    time: int
    message: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a commit did to a file. `old_path` is set for renames and copies; an id is empty where there is no blob.

    `patch` is the file's part of the diff, without the line of blob ids. `added` and `removed` are the numbers of the
    lines in the new and in the old text. `kind` is `file`, `link` or `submodule`.
    """

    status: str
    path: str
    old_path: str | None = None
    old_oid: str = ""
    new_oid: str = ""
    kind: str = "file"
    binary: bool = False
    patch: str = ""
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitDiff:
    """The files that a commit changed, in git's order, and why something is missing from their diffs, if it is."""

    files: tuple[FileDiff, ...]
    note: str = ""


def read_head(git: Git, oid: str) -> CommitHead:
    """Read who wrote a commit, when, and its message. Raises GitError."""
    fields = git.run("log", *_HEAD, _FORMAT, oid).decode("utf-8", "replace").split("\0", 5)
    if len(fields) != 6:
        raise GitError(f"git did not read commit {oid}")
    found, parents, author, email, time, message = fields
    seconds = min(max(int(time), 0), _LAST_SECOND) if re.fullmatch(r"-?\d{1,20}", time) else 0
    lines = message.replace("\r\n", "\n")  # as code hosts write them that take messages from a form
    return CommitHead(found, tuple(parents.split()), author, email, seconds, lines.strip())


def read_diff(git: Git, head: CommitHead) -> CommitDiff:
    """What a commit changed. Raises GitError, and GitTimeout if git works on it for too long."""
    if not head.parents and head.oid in shallow_commits(git):
        return CommitDiff((), "this clone is shallow and ends at this commit, so its changes are not known here")
    trees = [head.parents[0], head.oid] if head.parents else [head.oid]
    why = ""
    for level, options in enumerate(_LEVELS):
        try:
            output, cut = _read(git, [*_DIFF, *options, *trees])
        except GitTimeout:
            raise
        except GitError as error:
            if level + 1 == len(_LEVELS):
                raise
            lacking = "this clone lacks contents that the diff needs"
            why = lacking if isinstance(error, MissingObject) else str(error)
            continue
        notes = [f"its diff is longer than {MOST_BYTES >> 20} MB: the rest is left out"] if cut else []
        notes += [f"only names are shown ({why})"] if level else []
        return CommitDiff(tuple(_files(output, with_patch=not level)), "; ".join(notes))
    raise AssertionError("unreachable")


def _read(git: Git, arguments: list[str]) -> tuple[bytes, bool]:
    """The output of a command, at most `MOST_BYTES` of it, and whether there was more."""
    process = git.stream(*arguments, config={"core.bigFileThreshold": _LARGEST_FILE})
    pieces: list[bytes] = []
    size = 0
    try:
        while chunk := _next_chunk(process):
            pieces.append(chunk)
            size += len(chunk)
            if size > MOST_BYTES:
                return b"".join(pieces)[:MOST_BYTES], True
        error = read_rest(process.stderr)
        if process.wait():
            raise git_error(error, process.returncode)
        return b"".join(pieces), False
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _next_chunk(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    wait_for_output(process, _LONGEST_WAIT)
    return os.read(process.stdout.fileno(), _CHUNK)


def _files(output: bytes, *, with_patch: bool) -> Iterator[FileDiff]:
    """The files of `git diff-tree --raw -p`: a line for each, an empty one, then the patch. Git quotes odd paths."""
    raw, _, patch = output.partition(b"\n\n") if with_patch else (output, b"", b"")
    sections = _sections(patch)
    for record in raw.split(b"\n"):
        if not record.startswith(b":"):
            continue
        head, *names = record[1:].split(b"\t")
        old_mode, new_mode, old_oid, new_oid, status = head.split(b" ")
        letter = chr(status[0])
        paths = [unquoted(os.fsdecode(name)) for name in names]
        texts = [next(sections, b"") for _ in range(2 if letter == "T" else 1)]
        added, removed = _changed_lines(b"".join(texts))
        yield FileDiff(
            _STATUSES.get(letter, "modified"),
            paths[-1],
            paths[0] if len(paths) > 1 else None,
            _blob(old_mode, old_oid),
            _blob(new_mode, new_oid),
            _kind(old_mode, new_mode),
            any(b"\nBinary files " in text and b"\n@@ " not in text for text in texts),
            b"".join(_IDS.sub(b"", text, count=1) for text in texts).decode("utf-8", "replace"),
            added,
            removed,
        )


def _sections(patch: bytes) -> Iterator[bytes]:
    """The parts of a patch, one for each file. In a hunk no line begins with a letter."""
    starts = [found.start() for found in _SECTION.finditer(patch)]
    for start, end in zip(starts, [*starts[1:], len(patch)], strict=False):
        yield patch[start:end]


def _changed_lines(section: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of the added lines in the new text and of the removed ones in the old text."""
    added: list[int] = []
    removed: list[int] = []
    old = new = 0
    inside = False
    for line in section.split(b"\n"):
        if head := _HUNK.match(line):
            old, new, inside = int(head[1]), int(head[2]), True
        elif line.startswith(b"diff --git "):
            inside = False
        elif inside:
            first = line[:1]
            if first == b"+":
                added.append(new)
            elif first == b"-":
                removed.append(old)
            new += first in (b"+", b" ")
            old += first in (b"-", b" ")
    return tuple(added), tuple(removed)


def _blob(mode: bytes, oid: bytes) -> str:
    return oid.decode("ascii") if mode in _REGULAR else ""


def _kind(*modes: bytes) -> str:
    return "submodule" if _SUBMODULE in modes else "link" if _SYMLINK in modes else "file"
