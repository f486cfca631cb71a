"""Random but repeatable edits of a small repository, and answers that can be compared to the last digit."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import trackdown
from tests.conftest import Repo
from trackdown.settings import Settings
from trackdown.types import LEVELS, Result

WORDS = "parse cookie session header render cache token query schema router socket buffer".split()
FOLDERS = ("", "app/", "app/core/", "lib/core/", "lib/util/", "tests/", "docs/")
QUERIES = (
    "where is the session cookie parsed?",
    "render_cache fails in `core.parse` with a token",
    'File "app/core/parse.py", line 4, in parse_token\nsocket buffer',
    "docs of the router schema",
)


class Editor:
    """Changes files of a repository at random; never empties it."""

    def __init__(self, repo: Repo, seed: int) -> None:
        self.repo = repo
        self.random = random.Random(seed)
        for number in range(6):
            self.add(f"app/core/{WORDS[number]}.py")
        repo.write("keep.py", "def keep_parse():\n    return 'session'\n")
        repo.commit("begin with the parser and the cookie")

    def paths(self) -> list[str]:
        return sorted(
            path.relative_to(self.repo.root).as_posix()
            for path in self.repo.root.rglob("*")
            if path.is_file() and ".git" not in path.parts and path.name != "keep.py"
        )

    def content(self) -> str:
        """A module with functions, a class and words between them."""
        choose = self.random.choice
        lines = [f'"""{choose(WORDS)} and {choose(WORDS)}"""', ""]
        for _ in range(self.random.randint(1, 3)):
            lines += [f"def {choose(WORDS)}_{choose(WORDS)}({choose(WORDS)}):"]
            lines += [
                f"    {choose(WORDS)} = {choose(WORDS)}({choose(WORDS)})" for _ in range(self.random.randint(1, 4))
            ]
            lines += [""]
        if self.random.random() < 0.5:
            lines += [
                f"class {choose(WORDS).title()}:",
                f"    def {choose(WORDS)}(self):",
                f"        {choose(WORDS)}()",
            ]
        return "\n".join(lines) + "\n"

    def add(self, path: str = "") -> str:
        name = (
            path
            or f"{self.random.choice(FOLDERS)}{self.random.choice(WORDS)}{self.random.choice(['.py', '.py', '.md'])}"
        )
        self.repo.write(name, self.content())
        return f"add {name}"

    def modify(self) -> str:
        name = self.random.choice(self.paths())
        self.repo.write(name, self.content())
        return f"modify {name}"

    def delete(self) -> str:
        name = self.random.choice(self.paths())
        (self.repo.root / name).unlink()
        return f"delete {name}"

    def rename(self) -> str:
        old = self.random.choice(self.paths())
        new = f"{self.random.choice(FOLDERS)}{self.random.choice(WORDS)}.py"
        (self.repo.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.repo.root / old).rename(self.repo.root / new)
        return f"rename {old} to {new}"

    def copy(self) -> str:
        old = self.random.choice(self.paths())
        new = f"{self.random.choice(FOLDERS)}{self.random.choice(WORDS)}_copy.py"
        (self.repo.root / new).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.repo.root / old, self.repo.root / new)
        return f"copy {old} to {new}"

    def spoil(self) -> str:
        name = self.random.choice(self.paths())
        self.repo.write(name, b"\0binary" + self.content().encode())
        return f"make {name} binary"

    def commit(self) -> str:
        self.repo.commit(f"{self.random.choice(WORDS)} the {self.random.choice(WORDS)}")
        return "commit"

    def step(self) -> str:
        """One edit; says which."""
        if len(self.paths()) < 3:
            return self.add()
        edits = (self.add, self.modify, self.delete, self.rename, self.copy, self.spoil, self.commit)
        return self.random.choices(edits, weights=(4, 4, 2, 3, 2, 1, 3))[0]()


def answers(opened: trackdown.Repository, queries: Sequence[str] = QUERIES) -> list[Result]:
    """Everything that a few queries find at every level, reasons included. Which of equal commits comes first is left
    out: it says nothing about the score."""
    return [
        replace(result, reason="", why=tuple(map(_without_commits, result.why)))
        for query in queries
        for level in LEVELS
        for result in opened.search(query, k=50, level=level, explain=True)
    ]


def _without_commits(why: trackdown.Why) -> trackdown.Why:
    return replace(why, text="", numbers={}) if why.signal == "commits" else why


def fresh_answers(place: Path, settings: Settings, folder: Path, queries: Sequence[str] = QUERIES) -> list[Result]:
    """The answers of a store that has never seen anything."""
    with trackdown.open(place, settings=replace(settings, store=folder)) as opened:
        return answers(opened, queries)
