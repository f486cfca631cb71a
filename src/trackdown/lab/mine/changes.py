"""Commits of a repository, newest first, and the patches of chosen ones: git streamed, never asked commit by commit."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice

from trackdown.errors import GitError
from trackdown.lab.commit_times import present_commits
from trackdown.lab.mine.patch_text import parse_patch
from trackdown.lab.mine.patches import FilePatch
from trackdown.repository.git import Git, git_error, read_rest
from trackdown.repository.history import CommitRef

_PATCHES = (
    "diff-tree", "--stdin", "--root", "-r", "-p", "-U0", "-M", "-l1000", "--no-color", "--no-ext-diff", "--no-textconv",
    "--ignore-submodules=none", "--inter-hunk-context=0", "--indent-heuristic", "--diff-algorithm=myers",
    "--src-prefix=a/", "--dst-prefix=b/", "--full-index",
)  # fmt: skip
_COMMIT_LINE = re.compile(r"^([0-9a-f]{40}|[0-9a-f]{64})$", re.M)


def newest_first(git: Git, tip: str, *, batch: int) -> Iterator[list[CommitRef]]:
    """The commits that `tip` reaches, by date, in batches. Raises GitError when git cannot go on."""
    with closing(_listed(git, tip)) as commits:
        while found := list(islice(commits, batch)):
            yield found


def _listed(git: Git, tip: str) -> Generator[CommitRef]:
    process = git.stream("rev-list", "--parents", tip)
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.close()
        for line in process.stdout:
            oid, *parents = line.decode("ascii").split()
            yield CommitRef(oid, tuple(parents))
        error = read_rest(process.stderr)
        if process.wait():
            raise git_error(error, process.returncode)
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


def read_patches(git: Git, commits: Sequence[str]) -> dict[str, list[FilePatch]]:
    """What each commit without or with one parent did, without context lines.

    Texts hold bytes that are not UTF-8 as surrogates, so that they can be turned back. A commit that git cannot
    compare, for want of an object, or whose patch cannot be read is left out.
    """
    try:
        return _read(git, commits)
    except (GitError, ValueError):
        found: dict[str, list[FilePatch]] = {}
        for commit in commits:
            try:
                found |= _read(git, [commit])
            except (GitError, ValueError):
                continue
        return found


def _read(git: Git, commits: Sequence[str]) -> dict[str, list[FilePatch]]:
    if not commits:
        return {}
    output = git.run(*_PATCHES, stdin="".join(f"{commit}\n" for commit in commits).encode("ascii"))
    # A line of a patch begins with a sign or a word of git's: none is a bare id.
    pieces = _COMMIT_LINE.split(output.decode("utf-8", "surrogateescape"))
    found = {oid: parse_patch(text) for oid, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    return {commit: [] for commit in commits} | found  # git is silent about a commit that changed nothing


def read_subjects(git: Git, tip: str) -> list[str]:
    """The subjects of all commits that `tip` reaches, but for merges."""
    output = git.run("log", "--no-merges", "--no-show-signature", "--encoding=UTF-8", "--format=tformat:%s", tip)
    return output.decode("utf-8", "replace").split("\n")
