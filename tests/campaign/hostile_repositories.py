"""Repositories that nobody should trust: what each command says of them, and that nothing of them is run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.campaign.hostile_traits import CODE, HARMLESS, TRAITS, Trait
from tests.campaign.judge import MOST_SECONDS, fingerprint
from tests.campaign.scene import Ground
from tests.conftest import Repo
from tests.repository.programs import write_program
from tests.surfaces.program import Program, Run

SECRET = "outsideonlyword"
"""A word in a file outside the repository; nothing that is printed may contain it."""
SEARCH = ("search", "sign the cookie", "--effort", "fast")
COMMANDS = (
    ("search", "sign the cookie", "--effort", "fast", "--at", "HEAD"),
    ("index",),
    ("history", "cookie"),
    ("related", "a.py:1"),
    ("graph", "sign_cookie"),
    ("show", "HEAD"),
    ("blame", "a.py:1"),
    ("impact", "HEAD~1..HEAD"),
    ("status",),
    ("clear",),
)


def run(ground: Ground) -> None:
    """Make a repository with one to three hostile traits, ask some commands, and search twice."""
    ground.judge.known = None  # this is another repository
    dice, outside = ground.dice, ground.folder / "outside.py"
    outside.write_text(f"def sign_cookie_{SECRET}():\n    return 'cookie'\n")
    ran = ground.folder / "ran"
    bait = write_program(ground.folder / "bait" / "bait", f"touch {ran}; exit 1")
    repo = Repo(ground.folder / "repo")
    traits: list[Trait] = []
    if dice.random() < 0.95:
        repo.commit("Begin", {"lib/b.js": "function cookie() { return 1; }\n"})
        repo.commit("Sign the cookie", {"a.py": CODE})
        traits = sorted(dice.sample(TRAITS, dice.choice((1, 1, 2, 3))), key=TRAITS.index)
    ground.say(", ".join(trait.__name__ for trait in traits) or "an empty repository")
    applied = _apply(traits, repo, ground, bait)
    ground.judge.fired = bool(applied) or not traits
    ran.unlink(missing_ok=True)  # git itself may have run it while the repository was made
    before = fingerprint(repo.root)
    program = Program(ground.folder / "store", repo.root, ground.scene.clean.variables)
    for words in dice.sample(COMMANDS, 3):
        _ask(ground, program, words)
    first, second = _ask(ground, program, SEARCH), _ask(ground, program, SEARCH)
    ground.judge.expect(first == second, "search: two answers differ")
    if traits and set(traits) <= set(HARMLESS):
        ground.judge.expect(_finds_the_code(second), f"search: harmless, and yet: {str(second)[:300]}")
    ground.judge.expect(not ran.exists(), "a program that the repository names was run")
    ground.judge.expect(fingerprint(repo.root) == before, "the hostile repository was changed")


def _apply(traits: list[Trait], repo: Repo, ground: Ground, bait: Path) -> list[Trait]:
    """Give a repository its traits, and return those that it took."""
    applied = []
    for trait in traits:
        with suppress(AssertionError):  # git itself may refuse what the traits before have made of the repository
            trait(repo, ground.dice, bait)
            applied.append(trait)
    return applied


def _ask(ground: Ground, program: Program, words: tuple[str, ...]) -> Any:
    """Judge a command. Returns its answer or, if it refuses, how it says so."""
    run: Run = program(*words, "--format", "json", timeout=MOST_SECONDS)
    answer = ground.judge.judge(words[0], run)
    ground.judge.expect(SECRET not in run.out + run.err, f"{words[0]}: shows a file outside the repository")
    return run.err.strip().splitlines()[-1:] if answer is None else answer


def _finds_the_code(answer: Any) -> bool:
    """Whether a search finds the function that every such repository has."""
    return isinstance(answer, dict) and "sign_cookie" in {one["symbol"] for one in answer["results"]}
