"""Histories of any shape, written in one go by `git fast-import`, and indexed the way the engine does it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.conftest import Repo
from trackdown.index.commit_update import CommitUpdate, open_commits, update_commits
from trackdown.index.commits import CommitIndex
from trackdown.index.identity import repository_id
from trackdown.repository.source import Source
from trackdown.store.store import Store
from trackdown.types import no_progress


@dataclass(frozen=True)
class Planned:
    """A commit to make. Parents are places in the plan, or ids. A file of None is removed."""

    message: str
    parents: Sequence[int | str] = ()
    files: Mapping[str, str | None] = field(default_factory=dict)
    renames: Mapping[str, str] = field(default_factory=dict)


def make_history(repo: Repo, plan: Sequence[Planned], branch: str = "main") -> list[str]:
    """Make commits, a minute apart, and let the branch point to the last. Returns their ids."""
    lines: list[bytes] = []
    for number, commit in enumerate(plan):
        when = f"Ada <ada@example.org> {1_600_000_000 + 60 * number} +0000"
        parents = [f":{parent + 1}" if isinstance(parent, int) else parent for parent in commit.parents]
        message = commit.message.encode()
        lines += [f"reset refs/heads/{branch}".encode(), b""] if not parents else []
        lines += [f"commit refs/heads/{branch}".encode(), f"mark :{number + 1}".encode()]
        lines += [f"author {when}".encode(), f"committer {when}".encode(), b"data %d" % len(message), message]
        lines += [f"{'merge' if place else 'from'} {parent}".encode() for place, parent in enumerate(parents)]
        lines += [f"R {old} {new}".encode() for old, new in commit.renames.items()]
        for path, content in commit.files.items():
            if content is None:
                lines.append(f"D {path}".encode())
            else:
                lines += [f"M 100644 inline {path}".encode(), b"data %d" % len(content.encode()), content.encode()]
        lines.append(b"")
    repo.git("fast-import", "--quiet", "--force", "--export-marks=marks", stdin=b"\n".join(lines))
    marks = dict(line.split() for line in (repo.root / "marks").read_text().splitlines())
    (repo.root / "marks").unlink()
    return [marks[f":{number + 1}"] for number in range(len(plan))]


def linear(messages: Sequence[str], path: str = "src/{}.py") -> list[Planned]:
    """One commit after the other, each with a file of its own."""
    return [
        Planned(message, [number - 1] if number else [], {path.format(number): f"value = {number}\n"})
        for number, message in enumerate(messages)
    ]


WORDS = "parser cookie session header render cache token query schema router socket buffer".split()


def random_history(generator: random.Random, size: int) -> list[Planned]:
    """Branches and merges at random, a few commits without parents, messages of few words."""
    plan: list[Planned] = []
    for number in range(size):
        parents: list[int | str] = []
        if number and generator.random() > 0.05:
            recent = range(max(0, number - 8), number)
            count = min(len(recent), generator.choice([1, 1, 1, 2, 2, 3]))
            parents = list(generator.sample(recent, count))
        message = " ".join(generator.choices(WORDS, k=generator.randint(1, 5)))
        plan.append(Planned(message, parents, {f"src/{generator.randint(0, 9)}.py": f"value = {number}\n"}))
    return plan


def update(store: Store, source: Source, tip: str) -> CommitUpdate:
    """The commit index, brought up to date for a commit."""
    repository = repository_id(store, source, tip)
    present = open_commits(store, repository)
    if present is not None and present.index.position(tip) >= 0:
        return present
    return update_commits(store, source, repository, tip, present, no_progress)[0]


def scores(index: CommitIndex, commit: str, query: Sequence[str]) -> dict[str, float]:
    """The score of each visible commit that has one, by its id."""
    total = index.score(commit, query, [1.0] * len(query), 0.9, 0.4).total
    return {index.oid(position): float(total[position]) for position in total.nonzero()[0].tolist()}
