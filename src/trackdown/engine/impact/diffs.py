"""Which diff is asked about: the uncommitted changes, the staged ones, those between two revisions, or a patch."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from trackdown.errors import RepositoryError, UsageError
from trackdown.repository import FilePatch, Git, Source, parse_patch

LONGEST_PATCH = 16 << 20
"""Bytes of a diff that are read at most."""
_DIFF = (
    *("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "-M", "-l1000", "-U3"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--full-index"),
)
_RANGE = re.compile(r"(.*?)(\.{2,3})(.*)", re.S)


@dataclass(frozen=True, slots=True)
class Diff:
    """Changed files, and the state of the repository that they are looked at in.

    `name` says what the diff is. `at` is that state's commit, None for what is on disk. `base` is the commit before the
    change: of the commits of `at`, only those that it reaches are the past.
    """

    name: str
    patches: tuple[FilePatch, ...]
    at: str | None = None
    base: str | None = None


def patch_diff(text: str, name: str, at: str | None) -> Diff:
    """The diff of a patch's text. Raises UsageError if it is empty or not a patch."""
    if not text.strip():
        raise UsageError(f"{name} is empty: nothing has changed")
    if "\0" in text:
        raise UsageError(f"{name} is not a patch: it looks like a binary file")
    try:
        patches = parse_patch(text)
    except ValueError as error:
        raise UsageError(f"{name} is not a patch that can be read: {error}") from None
    if not patches:
        raise UsageError(f"{name} is not a patch: it has no file head, such as `diff --git a/file b/file`")
    return Diff(name, tuple(patches), at)


def worktree_diff(source: Source, *, staged: bool) -> Diff:
    """What differs from HEAD in the work tree, untracked files included, or in git's index.

    Raises UsageError if there is no work tree, no commit or no difference.
    """
    what = "staged" if staged else "uncommitted"
    if source.git is None or source.git.work_tree is None:
        kind = "a plain folder" if source.git is None else "a bare repository"
        raise UsageError(f"{source.name} is {kind} and has no {what} changes: give a patch{_or_range(source)}")
    if source.head() is None:
        raise UsageError(f"{source.name} has no commit yet, so there is nothing to compare with")
    patches = _differences(source.git, *(["--cached"] if staged else []), "HEAD", "--")
    if not staged:
        listed = source.git.run("ls-files", "--others", "--exclude-standard", "-z")
        patches += [FilePatch(None, os.fsdecode(path)) for path in listed.split(b"\0") if path]
    if not patches:
        first = "stage them with `git add`, or " if staged else ""
        raise UsageError(
            f"{source.name} has no {what} changes: {first}give a patch, or REV..REV for the changes between two commits"
        )
    return Diff(f"{what} changes", tuple(patches))


def _or_range(source: Source) -> str:
    return "" if source.git is None else " or REV..REV"


def range_diff(source: Source, revisions: str) -> Diff:
    """What differs between two revisions: `A..B`, or `A...B` for what B changed since it left A.

    A missing side is HEAD. Raises UsageError, UnknownRevision.
    """
    found = _RANGE.fullmatch(revisions)
    if found is None or not found[1] + found[3]:
        raise UsageError(f"{revisions!r} is not a range of commits: write REV..REV, such as main..HEAD")
    old, new = (source.resolve(side or "HEAD") for side in (found[1], found[3]))
    assert source.git is not None  # else there are no revisions
    if found[2] == "...":
        old = _merge_base(source, revisions, old, new)
    patches = _differences(source.git, old, new, "--")
    if not patches:
        raise UsageError(f"{revisions} is empty: nothing has changed between the two commits")
    on_disk = source.kind != "bare" and new == source.head()
    return Diff(revisions, tuple(patches), None if on_disk else new, old)


def _merge_base(source: Source, revisions: str, old: str, new: str) -> str:
    assert source.git is not None
    try:
        return source.git.text("merge-base", old, new)
    except RepositoryError:
        raise UsageError(f"{revisions}: the two commits have no common ancestor") from None


def _differences(git: Git, *what: str) -> list[FilePatch]:
    with git.start("diff", *_DIFF, *what, config=git.without_filters()) as command:
        output = command()
    if len(output) > LONGEST_PATCH:
        raise UsageError(f"the diff has more than {LONGEST_PATCH >> 20} MiB: ask about a part of it, as a patch")
    try:
        return parse_patch(output.decode("utf-8", "surrogateescape"))
    except ValueError as error:
        raise RepositoryError(f"git's diff cannot be read: {error}") from None
