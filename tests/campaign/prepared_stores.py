"""Stores beside the clean one: with a deep index, and with nothing but an imported index."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.campaign.judge import Judge
from tests.campaign.scene import COMMANDS, READERS, Ground, Scene
from tests.surfaces.program import Program

_SECONDS = 120.0


@dataclass(frozen=True)
class PreparedStore:
    """A store that cases copy, and what each command answers from it."""

    store: Path
    answers: dict[str, Any]

    def program(self, ground: Ground) -> Program:
        """The program with a copy of the store in the case's folder."""
        shutil.copytree(self.store, ground.folder / "store")
        return Program(ground.folder / "store", ground.scene.clean.folder, ground.scene.clean.variables)


def deep_store(scene: Scene) -> PreparedStore:
    """The clean store after `index --deep`."""
    if "deep store" not in scene.kept:
        scene.kept["deep store"] = _prepared(scene, "deep", ("index", "--deep"), empty=False)
        assert found_deep(scene.kept["deep store"].answers["search"]), "the deep index is not used"
    prepared: PreparedStore = scene.kept["deep store"]
    return prepared


def imported_store(scene: Scene) -> PreparedStore:
    """A store into which only an exported index was imported."""
    if "imported store" not in scene.kept:
        scene.kept["imported store"] = _prepared(
            scene, "imported", ("index", "--import", str(shard(scene))), empty=True
        )
    prepared: PreparedStore = scene.kept["imported store"]
    return prepared


def shard(scene: Scene) -> Path:
    """The exported index of the clean store."""
    file = scene.folder / "shop.shard"
    if not file.exists():
        assert scene.clean("index", "--export", str(file)).code == 0
    return file


def found_deep(answer: Any) -> bool:
    """Whether the answer of a search says that the deep index was ready."""
    return isinstance(answer, dict) and (answer.get("deep") or {}).get("ready") is True


def _prepared(scene: Scene, name: str, words: tuple[str, ...], *, empty: bool) -> PreparedStore:
    folder = scene.folder / f"{name}-store"
    folder.mkdir(exist_ok=True)
    program = scene.program(folder, empty=empty)
    made = program(*words, timeout=_SECONDS)
    assert made.code == 0, made.err
    judge, answers = Judge(scene.known), dict[str, Any]()
    for command in READERS:
        run = program(*COMMANDS[command], "--format", "json", timeout=_SECONDS)
        answers[command] = judge.judge(command, run, may_refuse=False)
    assert not judge.problems, judge.problems
    return PreparedStore(program.store, answers)
