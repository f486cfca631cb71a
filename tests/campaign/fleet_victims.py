"""The commands of a fleet that are killed, and what has to be there afterwards."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.campaign.judge import MOST_SECONDS
from tests.campaign.scene import QUERY, Ground
from tests.campaign.victims import JSON, Victim
from tests.surfaces.program import Program

_SYNC = ("fleet", "sync", "--workers", "0")
_SEARCH = ("fleet", "search", QUERY, "--effort", "fast")
_NAME = "shop"


def _new_fleet(ground: Ground, folder: Path, empty: bool) -> Program:
    """The program in a folder with a fleet of the one repository, of which nothing is published."""
    made = folder / "fleet"
    made.mkdir()
    (made / "fleet.toml").write_text(f'place = "place"\n[[repositories]]\npath = "{ground.scene.repo.root}"\n')
    return replace(ground.scene.program(folder, empty=empty), folder=made)


def published(ground: Ground, folder: Path, empty: bool) -> Program:
    """The program in a folder with a fleet that is published, with an empty store or with one that has searched it."""
    if "fleet" not in ground.scene.kept:
        kept = ground.scene.folder / "fleet-kept"
        kept.mkdir()
        clean = _new_fleet(ground, kept, True)
        ground.scene.kept["fleet answer"] = _sync_and_search(ground, clean, "clean fleet", None)
        found = {one["symbol"] for one in ground.scene.kept["fleet answer"]["results"]}
        assert "Session.sign_cookie" in found, f"the answer to compare with is none: {found}"
        ground.scene.kept["fleet"] = clean
    kept_program: Program = ground.scene.kept["fleet"]
    shutil.copytree(kept_program.folder, folder / "fleet")
    if not empty:
        shutil.copytree(kept_program.store, folder / "store")
    return replace(kept_program, store=folder / "store", folder=folder / "fleet")


def _clean_answer(ground: Ground) -> Any:
    """What a search finds in a fleet that nobody killed."""
    if "fleet answer" not in ground.scene.kept:
        folder = ground.folder / "never killed"
        folder.mkdir()
        published(ground, folder, True)
    return ground.scene.kept["fleet answer"]


def _sync_and_search(ground: Ground, program: Program, label: str, clean: Any) -> Any:
    synced = program(*_SYNC, *JSON, timeout=2 * MOST_SECONDS)
    ground.judge.judge(f"{label}: sync", synced, may_refuse=False)
    found = program(*_SEARCH, *JSON, timeout=MOST_SECONDS)
    return ground.judge.judge(f"{label}: search", found, clean, may_refuse=False)


def judge_fleet(ground: Ground, program: Program) -> None:
    """Another sync publishes all, and a search finds what it finds in a fleet that nobody killed."""
    _sync_and_search(ground, program, "fleet again", _clean_answer(ground))


def _judge_status(ground: Ground, program: Program) -> None:
    """It tells of the one repository that is published."""
    run = program("fleet", "status", *JSON, timeout=MOST_SECONDS)
    answer = ground.judge.judge("fleet status again", run, may_refuse=False)
    states = answer and [(one["name"], one["state"]) for one in answer["repositories"]]
    ground.judge.expect(states == [(_NAME, "published")], f"fleet status again: {states}")
    judge_fleet(ground, program)


def _judge_names(ground: Ground, program: Program, *possible: list[str]) -> list[str] | None:
    """The file of the fleet is whole: it names what it named before the kill, or what it was to name."""
    run = program("fleet", "list", *JSON, timeout=MOST_SECONDS)
    answer = ground.judge.judge("fleet list", run, may_refuse=False)
    names = answer if answer is None else sorted(one["name"] for one in answer)
    ground.judge.expect(names in possible, f"the fleet has {names}")
    return names


def _with_another(ground: Ground, folder: Path, empty: bool) -> Program:
    """A published fleet, and beside it a repository that is not in it."""
    program = published(ground, folder, empty)
    ground.scene.repo.git("clone", "-q", ".", str(folder / "other"))
    return program


def _judge_add(ground: Ground, program: Program) -> None:
    _judge_names(ground, program, [_NAME], ["other", _NAME])
    added = program("fleet", "add", str(program.folder.parent / "other"), *JSON, timeout=MOST_SECONDS)
    ground.judge.judge("fleet add again", added, may_refuse=False)
    _judge_names(ground, program, ["other", _NAME])


def _judge_remove(ground: Ground, program: Program) -> None:
    if _judge_names(ground, program, [_NAME], []) == [_NAME]:
        removed = program("fleet", "remove", _NAME, *JSON, timeout=MOST_SECONDS)
        ground.judge.judge("fleet remove again", removed, may_refuse=False)
        _judge_names(ground, program, [])


def _in_an_empty_folder(ground: Ground, folder: Path, empty: bool) -> Program:
    made = folder / "fleet"
    made.mkdir()
    return replace(ground.scene.program(folder, empty=True), folder=made)


def _judge_init(ground: Ground, program: Program) -> None:
    """There is no file or a whole one; in the first case it can be made now."""
    if not (program.folder / "fleet.toml").exists():
        made = program("fleet", "init", *JSON, timeout=MOST_SECONDS)
        ground.judge.judge("fleet init again", made, may_refuse=False)
    _judge_names(ground, program, [])


FLEET_VICTIMS: dict[str, Victim] = {
    "fleet sync": Victim(lambda _: _SYNC, _new_fleet, judge_fleet, below=lambda folder: folder),
    "fleet sync again": Victim(lambda _: _SYNC, published, judge_fleet, below=lambda folder: folder),
    "fleet search": Victim(lambda _: _SEARCH, published, judge_fleet, below=lambda folder: folder),
    "fleet status": Victim(lambda _: ("fleet", "status"), published, _judge_status, below=lambda folder: folder),
    "fleet add": Victim(
        lambda folder: ("fleet", "add", str(folder / "other")), _with_another, _judge_add, below=lambda folder: folder
    ),
    "fleet remove": Victim(lambda _: ("fleet", "remove", _NAME), published, _judge_remove, below=lambda folder: folder),
    "fleet init": Victim(
        lambda _: ("fleet", "init"), _in_an_empty_folder, _judge_init, below=lambda folder: folder / "fleet"
    ),
}
"""Kills at a call hit files of the store, of the fleet and of its place alike."""
