"""Commits of a repository, newest first, and what they did to files: streamed from git, never commit by commit.

`git diff-tree` dies at the first object that a clone lacks, and mirrors often lack their largest blobs. Then the commit
at which it died is mended: its list of files needs trees only, and the files whose contents are here are compared. The
stream goes on after it, so one missing blob costs the hunks of its own file only.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from subprocess import Popen

from trackdown.errors import GitError
from trackdown.lab import present_commits
from trackdown.repository import CommitRef, FilePatch, Git, git_error, parse_patch, read_rest, unquoted

LARGEST_COMPARED = "1m"
"""Git takes larger files for binary ones, and prints no hunks of them."""

_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?\n")
_RAW = re.compile(r":(\d+) (\d+) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([A-Z])\d*\t([^\t]+)(?:\t([^\t]+))?")
_DIFF_TREE = tuple(
    """diff-tree --stdin --root -r --full-index --no-color --no-ext-diff --no-textconv --ignore-submodules=none
    --diff-algorithm=myers --indent-heuristic""".split()
)
_CHANGES = ("--raw", "--always", "--no-abbrev")
_PATCHES = ("-p", "-U0", "-M", "-l1000", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/")
_BODY = frozenset(b" +-@\\\n")
_NO_FILES = frozenset({"160000"})  # submodules: their ids are no blobs of ours
_BATCH = 512  # this many ids fit into a pipe, so that git and we never wait for each other
_GIVE_UP_AFTER = 25


@dataclass(frozen=True, slots=True)
class ChangedSides:
    """A file that a commit changed. `hunks` begin at the first `@@`; None when the contents cannot be compared.

    `status` is git's letter: A, M, D, R or T. `old_oid` and `oid` are empty where there is no content on that side.
    `old_path` is the name before the commit, `path` the one after it; they differ for renames only.
    """

    status: str
    old_path: str
    path: str
    old_oid: str
    oid: str
    hunks: bytes | None = None


class ChangeReader:
    """Reads the changes of commits against their first parents; those that cannot be told are in `failed`.

    `context` is the number of lines around each change, `statuses` keeps to some of git's letters.
    """

    def __init__(self, git: Git, *, context: int = 3, statuses: str = "", most_renames: int = 1000) -> None:
        self.failed: list[str] = []
        self._git = git
        self._filter = [f"--diff-filter={statuses}"] if statuses else []
        self._context = f"-U{context}"
        self._renames = ["-M", f"-l{most_renames}"]
        self._barren = 0  # commits in a row of which no content at all is here

    def read(self, commits: Sequence[CommitRef]) -> Iterator[tuple[str, ChangedSides]]:
        """(commit, file) in the order of the commits. A commit without parents has added all of its files."""
        for first in range(0, len(commits), _BATCH):
            yield from self._read_batch(commits[first : first + _BATCH])

    def _read_batch(self, todo: Sequence[CommitRef]) -> Iterator[tuple[str, ChangedSides]]:
        while todo:
            if self._barren >= _GIVE_UP_AFTER:
                yield from ((commit.oid, file) for commit in todo for file in self._listed_only(commit))
                return
            stream = _Stream(self._git, [*self._options(), *self._renames, self._context, "-p"], todo)
            yield from stream.files()
            if not stream.broken:
                return
            place = next((n for n, commit in enumerate(todo) if commit.oid == stream.commit), None)
            if place is None:  # it died before it said anything of the first one
                yield from self._mend(todo[0], self._listed_only(todo[0]))
            else:
                yield from self._mend(todo[place], stream.left)
            todo = todo[(place or 0) + 1 :]

    def _options(self) -> list[str]:
        return ["-c", f"core.bigFileThreshold={LARGEST_COMPARED}", *_DIFF_TREE, *_CHANGES, *self._filter]

    def _listed_only(self, commit: CommitRef) -> list[ChangedSides]:
        """A commit's files without hunks, with renames of equal content; needs trees, no blobs."""
        stream = _Stream(self._git, [*self._options(), "-M100%"], [commit])
        files = [file for _, file in stream.files()]
        if stream.broken:
            self.failed.append(commit.oid)
            return []
        return files

    def _mend(self, commit: CommitRef, files: Sequence[ChangedSides]) -> Iterator[tuple[str, ChangedSides]]:
        """Files with the hunks of those whose contents are here."""
        hunks = self._hunks_of_present(commit, files) if files else {}
        for file in files:
            yield commit.oid, replace(file, hunks=hunks.get(file.path))

    def _hunks_of_present(self, commit: CommitRef, files: Sequence[ChangedSides]) -> dict[str, bytes | None]:
        asked = [oid for file in files for oid in (file.old_oid, file.oid) if oid]
        try:
            answer = self._git.run("cat-file", "--batch-check", stdin="".join(f"{oid}\n" for oid in asked).encode())
        except GitError:
            return {}
        present = {line.split(" ", 1)[0] for line in answer.decode("ascii", "replace").splitlines() if " blob " in line}
        self._barren = 0 if present else self._barren + 1
        missing = set(asked) - present
        paths = [file.path for file in files if not {file.old_oid, file.oid} & missing and file.old_path == file.path]
        if not paths or len(paths) > _BATCH:
            return {}
        stream = _Stream(self._git, [*self._options(), "--no-renames", self._context, "-p", "--", *paths], [commit])
        return {file.path: file.hunks for _, file in stream.files()}


class _Stream:
    """One run of git over some commits. Afterwards `commit` is the last one that it spoke of.

    `broken` says that it died, and `left` are that commit's files which it did not get to.
    """

    def __init__(self, git: Git, options: Sequence[str], commits: Sequence[CommitRef]) -> None:
        self.commit = ""
        self.broken = False
        self.left: list[ChangedSides] = []
        self._git, self._options = git, options
        # The first parent alone: a merge is compared with the branch that it was made on.
        self._asked = "".join(f"{' '.join([commit.oid, *commit.parents[:1]])}\n" for commit in commits)

    def files(self) -> Iterator[tuple[str, ChangedSides]]:
        with running_git(self._git, *self._options) as process:
            assert process.stdin is not None and process.stdout is not None
            try:
                with process.stdin as stdin:
                    stdin.write(self._asked.encode("ascii"))
            except BrokenPipeError:
                pass
            parser = _Parser()
            for line in process.stdout:
                if parser.in_body and line[0] in _BODY:
                    parser.hunks.append(line)
                else:
                    yield from parser.take(line)
            error = read_rest(process.stderr)
            self.broken = bool(process.wait())
            self.commit = parser.commit
            if not self.broken:
                yield from parser.rest()
            elif not self.commit and "not a git repository" in str(git_error(error, process.returncode)):
                raise git_error(error, process.returncode)
            else:
                self.left = parser.left()


class _Parser:
    """Lines of `diff-tree --raw [-p]` → files. All of a commit's raw lines come before its patches, in one order.

    While it is `in_body`, lines with the signs of one are `hunks` of the file at hand.
    """

    def __init__(self) -> None:
        self.commit = ""
        self.in_body = False
        self.hunks: list[bytes] = []
        self._files: deque[ChangedSides] = deque()
        self._open = False  # whether the patch of the first of the files has begun
        self._patches_to_come = 0  # of that file: a change of its type has two

    def take(self, line: bytes) -> Iterator[tuple[str, ChangedSides]]:
        """Read a line that is not in a body; gives a file when it is over."""
        if line.startswith(b"@@ ") and self._open:
            self.in_body = True
            self.hunks.append(line)
        elif line.startswith(b"diff --git "):
            self.in_body = False
            if self._open and self._patches_to_come:
                self._patches_to_come -= 1
            else:
                yield from self._closed()
                self._open = bool(self._files)
                self._patches_to_come = 1 if self._files and self._files[0].status == "T" else 0
        elif line.startswith(b":"):
            file = _parsed(line)
            if file is not None:
                self._files.append(file)
        elif _COMMIT.fullmatch(line):
            yield from self.rest()
            self.commit = line.decode("ascii").rstrip("\n")

    def rest(self) -> Iterator[tuple[str, ChangedSides]]:
        """What is left when a commit is over."""
        yield from self._closed()
        while self._files:
            yield self.commit, self._files.popleft()

    def left(self) -> list[ChangedSides]:
        """The files that were not closed when git died."""
        return list(self._files)

    def _closed(self) -> Iterator[tuple[str, ChangedSides]]:
        if self._open:
            yield self.commit, replace(self._files.popleft(), hunks=b"".join(self.hunks))
        self._open = self.in_body = False
        self.hunks = []


def _parsed(line: bytes) -> ChangedSides | None:
    found = _RAW.fullmatch(os.fsdecode(line).rstrip("\n"))
    if found is None:
        return None
    old_mode, mode, old_oid, oid, status, first, second = found.groups()
    old_path, path = unquoted(first), unquoted(second or first)
    sides = [
        "" if modes in _NO_FILES or not side.strip("0") else side for modes, side in ((old_mode, old_oid), (mode, oid))
    ]
    return ChangedSides(status, old_path, path, sides[0], sides[1])


_COMMIT_LINE = re.compile(r"^([0-9a-f]{40}|[0-9a-f]{64})$", re.M)


def newest_first(git: Git, tip: str, *, batch: int) -> Iterator[list[CommitRef]]:
    """The commits that `tip` reaches, by date, in batches. Raises GitError when git cannot go on."""
    with closing(_listed(git, tip)) as commits:
        while found := list(islice(commits, batch)):
            yield found


def _listed(git: Git, tip: str) -> Generator[CommitRef]:
    with running_git(git, "rev-list", "--parents", tip) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        for line in process.stdout:
            oid, *parents = line.decode("ascii").split()
            yield CommitRef(oid, tuple(parents))
        error = read_rest(process.stderr)
        if process.wait():
            raise git_error(error, process.returncode)


@contextmanager
def running_git(git: Git, *arguments: str) -> Iterator[Popen[bytes]]:
    """A git process that is gone afterwards, whatever happened."""
    process = git.stream(*arguments)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def commits_here(git: Git, commits: Iterable[str]) -> list[CommitRef]:
    """Those of the commits that a clone has, with their parents. Raises GitError."""
    here = present_commits(git, commits)
    if not here:
        return []
    asked = "".join(f"{commit}\n" for commit in here).encode("ascii")
    output = git.run("rev-list", "--no-walk=unsorted", "--parents", "--stdin", stdin=asked).decode("ascii")
    return [CommitRef(first, tuple(rest)) for first, *rest in map(str.split, output.splitlines())]


def read_patches(
    git: Git, commits: Sequence[str], parents: Mapping[str, str] | None = None
) -> dict[str, list[FilePatch]]:
    """What each commit did, without context lines. A merge needs to be in `parents`, to say what it is compared with.

    Texts hold bytes that are not UTF-8 as surrogates, so that they can be turned back. A commit that git cannot
    compare, for want of an object, or whose patch cannot be read is left out.
    """
    try:
        return _read(git, commits, parents or {})
    except (GitError, ValueError):
        found: dict[str, list[FilePatch]] = {}
        for commit in commits:
            try:
                found |= _read(git, [commit], parents or {})
            except (GitError, ValueError):
                continue
        return found


def _read(git: Git, commits: Sequence[str], parents: Mapping[str, str]) -> dict[str, list[FilePatch]]:
    if not commits:
        return {}
    asked = "".join(f"{commit} {parents.get(commit, '')}".strip() + "\n" for commit in commits)
    output = git.run(*_DIFF_TREE, *_PATCHES, stdin=asked.encode("ascii"))
    # A line of a patch begins with a sign or a word of git's: none is a bare id.
    pieces = _COMMIT_LINE.split(output.decode("utf-8", "surrogateescape"))
    found = {oid: parse_patch(text) for oid, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    return {commit: [] for commit in commits} | found  # git is silent about a commit that changed nothing


def read_subjects(git: Git, tip: str) -> list[str]:
    """The subjects of all commits that `tip` reaches, but for merges."""
    output = git.run("log", "--no-merges", "--no-show-signature", "--encoding=UTF-8", "--format=tformat:%s", tip)
    return output.decode("utf-8", "replace").split("\n")
