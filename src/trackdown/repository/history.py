"""Commits streamed from git: messages, changed paths, renames.

Commits are listed first and then fed to `git log`. Rename detection needs blobs and the list of changes needs trees,
which a partial clone or a mirror may lack; when git stops for that reason, reading goes on after the commit that broke
the stream.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import msgspec

from trackdown.errors import GitError, GitTimeout
from trackdown.repository.git import LONGEST_RUN, Git, git_error, read_rest
from trackdown.repository.git_files import read_git_file
from trackdown.repository.waiting import wait_for_output

HISTORY_VERSION = 2
"""Part of the key of commit facts. Raise it when the same commit would now give other facts."""

RENAMES = ("--name-status", "-M", "-l1000")
EXACT_RENAMES = ("--name-status", "-M100%")
NO_RENAMES = ("--name-status", "--no-renames")
NO_CHANGES = ("--no-patch",)
_LEVELS = (RENAMES, EXACT_RENAMES, NO_RENAMES, NO_CHANGES)
_GIVE_UP_AFTER = 25
_LOG = (
    *("--stdin", "--no-walk=unsorted", "-z", "--no-ext-diff", "--no-textconv", "--no-show-signature"),
    *("--no-notes", "--no-color", "--ignore-submodules=none", "--encoding=UTF-8"),
)
_FORMAT = "--format=tformat:%H%x00%at%x00%an%x00%B"
_CHUNK = 1 << 18
_LONGEST_SHALLOW = 64 << 20
_SHORTEST_ID = 40
_LAST_SECOND = 253_402_300_799  # of the year 9999, the last that datetime can show


class PathChange(msgspec.Struct, array_like=True, frozen=True):
    """One path that a commit changed. `old_path` is set for renames only. Paths are raw bytes, as in git."""

    status: str
    path: bytes
    old_path: bytes | None = None


class CommitFacts(msgspec.Struct, array_like=True, frozen=True):
    """The facts of a commit. `complete` is False when they were read from a clone that lacks objects."""

    oid: str
    parents: list[str]
    time: int
    author: str
    message: str
    changes: list[PathChange]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class CommitRef:
    """A commit's id and its parents, before its content is read."""

    oid: str
    parents: tuple[str, ...]

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1


def list_commits(git: Git, tip: str, known_tips: Sequence[str] = ()) -> list[CommitRef]:
    """Commits that `tip` reaches and `known_tips` do not, ancestors first."""
    revisions = "\n".join([tip, *(f"^{known}" for known in known_tips)]) + "\n"
    output = git.run("rev-list", "--topo-order", "--reverse", "--parents", "--stdin", stdin=revisions.encode())
    return [CommitRef(first, tuple(rest)) for first, *rest in map(str.split, output.decode("ascii").splitlines())]


def root_commits(git: Git, tip: str) -> list[str]:
    """The commits without parents that `tip` reaches, which all clones of a repository share."""
    return sorted(git.text("rev-list", "--max-parents=0", tip).split())


def shallow_commits(git: Git) -> frozenset[str]:
    """The commits at which a shallow clone ends: their parents are missing, so their changes are unknown."""
    try:
        path = os.fsdecode(git.run("rev-parse", "--git-path", "shallow").removesuffix(b"\n"))
        text = read_git_file((git.work_tree or git.git_dir) / path, _LONGEST_SHALLOW) or b""
        return frozenset(text.decode("ascii").lower().split())
    except (GitError, UnicodeDecodeError):
        return frozenset()


def read_commits(
    git: Git, listed: Sequence[CommitRef], *, exact_renames_only: bool = False, altered: Collection[str] = ()
) -> Iterator[CommitFacts]:
    """The facts of non-merge commits, in the given order; merges are skipped.

    Without blobs only renames of equal content are found, and without trees no changes. Such a commit is marked
    incomplete. So is an `altered` one, of which only the id is believed. Raises GitError when git cannot continue at
    all, and GitTimeout when it works on one commit for too long.
    """
    todo = [commit for commit in listed if not commit.is_merge]
    for commit in _read_all(git, todo, exact_renames_only):
        yield CommitFacts(commit.oid, commit.parents, 0, "", "", [], False) if commit.oid in altered else commit


def _read_all(git: Git, todo: Sequence[CommitRef], exact_renames_only: bool) -> Iterator[CommitFacts]:
    boundary = shallow_commits(git)
    done = failures = 0
    level = 1 if exact_renames_only else 0
    while done < len(todo):
        stream = _stream(git, todo[done:], _LEVELS[level], boundary, complete=level == 0)
        try:
            for commit in stream:
                done += 1
                yield commit
        except GitTimeout:  # how slow git was must not decide what is known of a commit, because that is kept
            raise
        except GitError as error:
            if level + 1 == len(_LEVELS):
                raise
            failures += 1
            if failures > _GIVE_UP_AFTER:
                level += 1
                failures = 0
                continue
            yield _read_one(git, todo[done], level, boundary, error)
            done += 1


def _read_one(git: Git, listed: CommitRef, level: int, boundary: frozenset[str], error: GitError) -> CommitFacts:
    """Read the commit at which a stream broke, as completely as possible: the failure may have been temporary."""
    for options in _LEVELS[level:]:
        try:
            return next(_stream(git, [listed], options, boundary, complete=options is RENAMES))
        except GitTimeout:
            raise
        except (GitError, StopIteration):
            continue
    raise error


def _stream(
    git: Git, listed: Sequence[CommitRef], options: Sequence[str], boundary: frozenset[str], *, complete: bool
) -> Iterator[CommitFacts]:
    process = git.stream("log", *_LOG, _FORMAT, *options)
    assert process.stdin is not None and process.stdout is not None
    parents = {commit.oid: list(commit.parents) for commit in listed}
    try:
        try:
            with process.stdin as stdin:
                stdin.write("".join(f"{commit.oid}\n" for commit in listed).encode("ascii"))
        except BrokenPipeError:
            pass
        count = 0
        last: CommitFacts | None = None
        for commit in _parse(_tokens(process), parents, boundary, complete):
            if last is not None:
                yield last
            last = commit
            count += 1
        error = read_rest(process.stderr)
        # A git that fails has written all it had; one that was killed may have stopped within its last commit.
        if process.wait() >= 0 and last is not None:
            yield last
        if process.returncode or count < len(listed):
            raise git_error(error, process.returncode)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _tokens(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """The NUL-separated fields of git's output."""
    return chain.from_iterable(_split_chunks(process))


def _split_chunks(process: subprocess.Popen[bytes]) -> Iterator[list[bytes]]:
    """Raises GitError when git writes nothing for a long time."""
    rest = b""
    while chunk := _read_chunk(process):
        fields = (rest + chunk).split(b"\0")
        rest = fields.pop()
        yield fields
    if rest:
        yield [rest]


def _read_chunk(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    wait_for_output(process, LONGEST_RUN)
    return os.read(process.stdout.fileno(), _CHUNK)


def _parse(
    tokens: Iterator[bytes], parents: dict[str, list[str]], boundary: frozenset[str], complete: bool
) -> Iterator[CommitFacts]:
    """Fields → commits. A header has four fields, of which the first is a long id; a change has a status and paths."""
    header: tuple[str, int, str, str] | None = None
    changes: list[PathChange] = []
    for token in tokens:
        token = token.lstrip(b"\n")
        if len(token) >= _SHORTEST_ID:
            if header is not None:
                yield _commit(header, parents, changes, boundary, complete)
            time, author, message = next(tokens, b"0"), next(tokens, b""), next(tokens, b"")
            changes = []
            header = (token.decode("ascii"), _number(time), _text(author), _text(message).strip())
        elif token:
            path = next(tokens, b"")
            if token[:1] in b"RC":
                path, old = next(tokens, b""), path
                changes.append(PathChange(chr(token[0]), path, old if token[:1] == b"R" else None))
            else:
                changes.append(PathChange(chr(token[0]), path))
    if header is not None:
        yield _commit(header, parents, changes, boundary, complete)


def _commit(
    header: tuple[str, int, str, str],
    parents: dict[str, list[str]],
    changes: list[PathChange],
    boundary: frozenset[str],
    complete: bool,
) -> CommitFacts:
    oid, time, author, message = header
    if oid in boundary:
        return CommitFacts(oid, [], time, author, message, [], False)
    return CommitFacts(oid, parents.get(oid, []), time, author, message, changes, complete)


def _number(token: bytes) -> int:
    try:
        return min(max(int(token), 0), _LAST_SECOND)
    except ValueError:
        return 0


def _text(token: bytes) -> str:
    return token.decode("utf-8", "replace")
