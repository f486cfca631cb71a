"""Examples of commits get the issues that a language model writes for them, which do not say the solution."""

from __future__ import annotations

from dataclasses import replace

from trackdown.errors import GitError
from trackdown.lab.mine.changes import commits_here, read_patches
from trackdown.lab.mine.harvest import Harvest
from trackdown.lab.mine.issue_style import NO_ANSWER, IssueWriter, Told
from trackdown.lab.mine.leaks import new_identifiers
from trackdown.repository.blobs import BlobReader
from trackdown.repository.git import Git
from trackdown.types import Progress, no_progress

_BATCH = 256


def rewrite_examples(git: Git, found: Harvest, writer: IssueWriter, progress: Progress = no_progress) -> int:
    """Fill `rewritten` of the examples of commits that have none. Returns for how many there was no answer."""
    todo = [number for number, one in enumerate(found.examples) if one.kind == "commit" and not one.rewritten]
    before = writer.done.kept[NO_ANSWER]
    with BlobReader(git) as blobs:
        for first in range(0, len(todo), _BATCH):
            batch = todo[first : first + _BATCH]
            told = _told(git, blobs, found, batch)
            for number, issue in zip(batch, writer.write(told, progress), strict=True):
                found.examples[number] = replace(found.examples[number], rewritten=issue)
    return writer.done.kept[NO_ANSWER] - before


def _told(git: Git, blobs: BlobReader, found: Harvest, batch: list[int]) -> list[Told]:
    commits = [found.examples[number].commit for number in batch]
    parents = {listed.oid: listed.parents for listed in commits_here(git, commits)}
    patches = read_patches(git, commits)
    told = []
    for number, commit in zip(batch, commits, strict=True):
        try:
            parent = next(iter(parents.get(commit, ())), None)
            names = new_identifiers(git, blobs, parent, patches.get(commit, ()))
        except GitError:
            names = frozenset()
        told.append(Told(found.examples[number].message, names))
    return told
