"""What all cases share: a small repository, a clean store of it, and what each command answers from that store."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.campaign.judge import MOST_SECONDS, Judge
from tests.campaign.known_places import KnownPlaces
from tests.conftest import Repo
from tests.faults.grown import module
from tests.surfaces.conftest import build_shop
from tests.surfaces.program import Program, Run

QUERY = "where is the session cookie signed?"
COMMANDS: dict[str, tuple[str, ...]] = {
    "search": ("search", QUERY, "--effort", "fast"),
    "search the past": ("search", "read a legacy session", "--at", "old", "--effort", "fast"),
    "index": ("index",),
    "status": ("status",),
    "history": ("history", "sign the cookie"),
    "related": ("related", "web/session.py:8"),
    "graph": ("graph", "Session.sign_cookie"),
    "impact": ("impact", "HEAD~1..HEAD"),
    "show": ("show", "HEAD~1"),
    "blame": ("blame", "web/session.py:8"),
    "clear": ("clear",),
}
"""The commands that cases run, by name; each can answer in JSON."""
READERS = [name for name in COMMANDS if name not in ("clear", "status")]
"""The commands whose answers must be those of a clean store, whatever state the store is in."""
_FILES = 12


@dataclass
class Scene:
    """The repository is at one path for all cases, because a store knows work trees by their paths."""

    folder: Path
    repo: Repo
    clean: Program
    answers: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)
    """What classes keep from one case to the next: servers, compiled layers."""
    at_end: list[tuple[str, Callable[[Judge], None]]] = field(default_factory=list)
    """What ends that which classes keep, and judges how it ends, each with its class."""
    processes: set[int] = field(default_factory=set)
    """Processes that outlive a case."""
    known: KnownPlaces | None = None

    def program(self, folder: Path, *, empty: bool = False) -> Program:
        """The program in the repository, with a copy of the clean store below a folder, or with an empty store."""
        if not empty:
            shutil.copytree(self.clean.store, folder / "store")
        return Program(folder / "store", self.clean.folder, self.clean.variables)


@dataclass(frozen=True)
class Ground:
    """What one case has: its dice, a folder of its own, the scene, and the judge of what it does."""

    seed: int
    dice: random.Random
    folder: Path
    scene: Scene
    judge: Judge
    steps: list[str] = field(default_factory=list)

    def say(self, step: str) -> None:
        """Note what is about to be done, for the report."""
        self.steps.append(step)

    def ask(self, program: Program, name: str, label: str = "", *, may_refuse: bool = True) -> Any:
        """Run a command of the list and judge its answer against the clean store's."""
        run = program(*COMMANDS[name], "--format", "json", timeout=MOST_SECONDS)
        clean = None if name in ("status", "clear") else self.scene.answers[name]
        return self.judge.judge(label or name, run, clean, may_refuse=may_refuse)

    def asked_again(self, program: Program) -> None:
        """Judge that the store has recovered: a search answers in full, as from a clean store."""
        self.judge_recovery(program(*COMMANDS["search"], "--format", "json", timeout=MOST_SECONDS))

    def judge_recovery(self, run: Run, clean: Any = None) -> None:
        """The same for a search that somebody else ran; `clean` is the answer if it is not that of the clean store."""
        before, wanted = self.judge.seen.copy(), clean or self.scene.answers["search"]
        found = self.judge.judge("search afterwards", run, wanted, may_refuse=False)
        if found is not None:
            self.judge.expect(found == wanted, "search afterwards: not the whole answer")
        self.judge.seen = before  # the case is named after the command under fault


CaseRun = Callable[[Ground], None]
"""Runs one case."""


def build_scene(folder: Path) -> Scene:
    """Make the repository and the clean store, and ask every command."""
    repo = build_shop(folder / "shop")
    repo.commit("Add modules", {f"part/module{number}.py": module(number, 4) for number in range(_FILES)})
    repo.commit("Sign cookies of the past", {"web/past.py": "from web.session import Session\n\nPAST = Session()\n"})
    variables = {
        "XDG_CONFIG_HOME": str(folder / "config"),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "TRACKDOWN_MODELS": None,
        "TRACKDOWN_DEEP": "false",  # a server that completes its deep index answers better from then on
    }
    scene = Scene(folder, repo, Program(folder / "clean", repo.root, variables), known=KnownPlaces.of(repo))
    judge = Judge(scene.known)
    for name, words in COMMANDS.items():
        if name != "clear":
            run = scene.clean(*words, "--format", "json", timeout=120)
            scene.answers[name] = judge.judge(name, run, may_refuse=False)
            assert name == "status" or not (scene.known and scene.known.problem(scene.answers[name])), name
    assert not judge.problems, judge.problems
    return scene
