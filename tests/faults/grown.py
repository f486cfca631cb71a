"""A repository large enough that a first index takes a while: many files, and a history worth a process of its own."""

from __future__ import annotations

import random
from pathlib import Path

from tests.conftest import Repo

VERBS = (
    "read write parse check merge split count close open load save send sign hash find sort drop keep join wait".split()
)
NOUNS = "cookie header session router cache queue table index token worker branch commit socket buffer letter".split()


def module(number: int, functions: int = 12) -> str:
    """A module with functions that no other module has."""
    chance = random.Random(number)
    parts = [f'"""Module {number}."""\n']
    for position in range(functions):
        verb, noun, other = chance.choice(VERBS), chance.choice(NOUNS), chance.choice(NOUNS)
        parts.append(
            f"\n\ndef {verb}_{noun}_{number}_{position}({other}, limit={position}):\n"
            f'    """{verb.capitalize()} a {noun} of the {other}."""\n'
            f"    if {other} is None:\n        raise ValueError('no {other} to {verb}')\n"
            f"    return [{noun} for {noun} in {other} if {noun}.size < limit]\n"
        )
    return "".join(parts)


def grow(root: Path, files: int = 700, commits: int = 2600) -> Repo:
    """Make the repository: `git fast-import` takes all at once. Needs more commits than files."""
    repo = Repo(root)
    chance = random.Random(files)
    stream: list[bytes] = []
    for number in range(1, commits + 1):
        first = number <= files
        target = number - 1 if first else chance.randrange(files)
        verb, noun = chance.choice(VERBS), chance.choice(NOUNS)
        message = f"{verb.capitalize()} the {noun} of module {target}, change {number}".encode()
        text = module(target) if first else module(target) + f"\n# changed in {number}\n"
        content = text.encode()
        date = 1_500_000_000 + 60 * number
        stream.append(
            b"commit refs/heads/main\ncommitter Ada <ada@example.org> %d +0000\ndata %d\n%s\n"
            % (date, len(message), message)
        )
        stream.append(b"M 644 inline part%d/module%d.py\ndata %d\n%s\n" % (target % 20, target, len(content), content))
    repo.git("fast-import", "--quiet", stdin=b"".join(stream))
    repo.git("reset", "-q", "--hard", "main")
    return repo
