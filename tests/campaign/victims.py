"""The commands that are killed: what each needs, and what has to be there afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.campaign.judge import MOST_SECONDS
from tests.campaign.prepared_stores import deep_store, imported_store, shard
from tests.campaign.scene import COMMANDS, Ground
from tests.surfaces.program import Program

JSON = ("--format", "json")
_SETTINGS = {
    ".mcp.json": '{"mcpServers": {"other": {"command": "other"}}}\n',
    ".codex/config.toml": '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "other"\n',
    ".vscode/mcp.json": '{\n  // mine\n  "servers": {}\n}\n',
    "AGENTS.md": "# Rules\n\nBe kind.\n",
}
"""What agents' settings in a project may hold before anything is installed."""


@dataclass(frozen=True)
class Victim:
    """A command that is killed. `prepare` makes ready what it needs in a folder, with an empty store or a clean one.

    `words` are the command, given that folder. `judge` asks again and judges what is left. Calls on files below
    `below`, given the folder, may kill; the store's alone if it is None.
    """

    words: Callable[[Path], tuple[str, ...]]
    prepare: Callable[[Ground, Path, bool], Program]
    judge: Callable[[Ground, Program], None]
    below: Callable[[Path], Path] | None = None


def in_the_shop(ground: Ground, folder: Path, empty: bool) -> Program:
    """The program in the shared repository, with a store in a folder."""
    return ground.scene.program(folder, empty=empty)


def of_the_scene(name: str) -> Victim:
    """A command whose answers are compared in all classes."""

    def judge(ground: Ground, program: Program) -> None:
        ground.ask(program, name, f"{name} again", may_refuse=False)
        ground.asked_again(program)

    return Victim(lambda _: COMMANDS[name], in_the_shop, judge)


def _with_shard(ground: Ground, folder: Path, empty: bool) -> Program:
    """The program with an empty store, and an exported index to read."""
    (folder / "given.shard").write_bytes(shard(ground.scene).read_bytes())
    return ground.scene.program(folder, empty=True)


def _judge_deep(ground: Ground, program: Program) -> None:
    """The deep index is completed, and answers are as with one that nobody killed."""
    run = program("index", "--deep", *JSON, timeout=MOST_SECONDS)
    ground.judge.judge("index --deep again", run, may_refuse=False)
    found = program(*COMMANDS["search"], *JSON, timeout=MOST_SECONDS)
    ground.judge_recovery(found, deep_store(ground.scene).answers["search"])


def _judge_import(ground: Ground, program: Program) -> None:
    """It can be imported again, and is used."""
    run = program("index", "--import", str(shard(ground.scene)), *JSON, timeout=MOST_SECONDS)
    ground.judge.judge("index --import again", run, may_refuse=False)
    wanted = imported_store(ground.scene).answers["search"]
    ground.judge_recovery(program(*COMMANDS["search"], *JSON, timeout=MOST_SECONDS), wanted)


def _judge_export(ground: Ground, program: Program) -> None:
    """There is a whole file or none, and the next export is byte by byte the one that nobody killed."""
    file, clean = ground.folder / "killed.shard", shard(ground.scene).read_bytes()
    ground.judge.expect(not file.exists() or file.read_bytes() == clean, "half an exported index is there")
    run = program("index", "--export", str(file), *JSON, timeout=MOST_SECONDS)
    ground.judge.judge("index --export again", run, may_refuse=False)
    ground.judge.expect(file.is_file() and file.read_bytes() == clean, "another index is exported")
    ground.asked_again(program)


def _judge_config(ground: Ground, program: Program) -> None:
    """It says what it says where nobody was killed, the store's place aside."""
    clean = _settings(ground, replace(program, store=ground.scene.clean.store), "config of the clean store")
    ground.judge.expect(_settings(ground, program, "config again") == clean, "other settings")


def _settings(ground: Ground, program: Program, label: str) -> list[Any] | None:
    run = program("config", *JSON, timeout=MOST_SECONDS)
    answer = ground.judge.judge(label, run, may_refuse=False)
    return answer and [row for row in answer["settings"] if row["name"] != "store"]


def _in_a_project(ground: Ground, folder: Path, empty: bool) -> Program:
    project = folder / "project"
    for name, text in _SETTINGS.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    program = Program(folder / "store", project, ground.scene.clean.variables)
    return program.having(XDG_CONFIG_HOME=str(folder / "config"))


_INSTALL = ("install", "--project", "--agents-md")


def _judge_install(ground: Ground, program: Program) -> None:
    """No file of settings is lost or half-written, and it can be installed and undone as if nothing had been."""
    untouched = ground.folder / "untouched"
    clean = _in_a_project(ground, untouched, True)
    before = _files(clean.folder)
    assert clean(*_INSTALL, timeout=MOST_SECONDS).code == 0
    after = _files(clean.folder)
    assert clean(*_INSTALL, "--undo", timeout=MOST_SECONDS).code == 0
    undone = _files(clean.folder)
    for name, data in _files(program.folder).items():
        whole = data in (before.get(name), after.get(name)) or (data == b"" and name not in before)
        ground.judge.expect(whole or _is_temporary(name, after), f"{name} was spoilt: {data[:200]!r}")
    ground.judge.expect(before.keys() <= _files(program.folder).keys(), "a file of settings is lost")
    ground.judge.judge("install again", program(*_INSTALL, *JSON, timeout=MOST_SECONDS), may_refuse=False)
    ground.judge.expect(_settled(program.folder, after) == after, "installed otherwise")
    run = program(*_INSTALL, "--undo", *JSON, timeout=MOST_SECONDS)
    ground.judge.judge("install --undo", run, may_refuse=False)
    ground.judge.expect(_settled(program.folder, after) == undone, "not undone")


def _is_temporary(name: str, known: dict[str, bytes]) -> bool:
    """Whether a file was on its way to another name when the program died."""
    return name not in known


def _settled(folder: Path, known: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in _files(folder).items() if not _is_temporary(name, known)}


def _files(folder: Path) -> dict[str, bytes]:
    """The files of a project by their names."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


VICTIMS: dict[str, Victim] = {name: of_the_scene(name) for name in COMMANDS} | {
    "index --deep": Victim(lambda _: ("index", "--deep"), in_the_shop, _judge_deep),
    "index --import": Victim(
        lambda folder: ("index", "--import", str(folder / "given.shard")),
        _with_shard,
        _judge_import,
    ),
    "index --export": Victim(
        lambda folder: ("index", "--export", str(folder / "killed.shard")),
        in_the_shop,
        _judge_export,
        below=lambda folder: folder,
    ),
    "config": Victim(lambda _: ("config",), in_the_shop, _judge_config),
    "install": Victim(lambda _: _INSTALL, _in_a_project, _judge_install, below=lambda folder: folder),
}
"""The commands that end by themselves, fleets aside."""
