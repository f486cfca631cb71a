"""SIGKILL at any moment of any command: by the clock, or exactly at one call that touches the store."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.campaign.interposer import Refusal, lacks_compiler, under
from tests.campaign.judge import MOST_SECONDS
from tests.campaign.scene import COMMANDS, QUERY, Ground
from tests.surfaces.program import Program

CALLS = ("open", "write", "sync", "rename", "mmap", "truncate", "remove")
_FLEET = "fleet sync"
_SYNC = ("fleet", "sync", "--workers", "0")


def run(ground: Ground) -> None:
    """Kill a command, run it again, and search."""
    dice = ground.dice
    name = dice.choice([*COMMANDS, "index", _FLEET])
    empty = dice.random() < 0.5
    program = ground.scene.program(ground.folder, empty=empty)
    ground.say(f"{name} with {'an empty' if empty else 'a clean'} store")
    words = COMMANDS.get(name, _SYNC)
    if name == _FLEET:
        program = _fleet(ground, ground.folder, program)
    if dice.random() < 0.5 and not lacks_compiler():
        _kill_at_call(ground, program, words)
    else:
        _kill_at_moment(ground, program, words, f"{name}{empty}")
    if name == _FLEET:
        _judge_fleet(ground, program)
    else:
        ground.ask(program, name, f"{name} again", may_refuse=False)
        ground.asked_again(program)


def _kill_at_call(ground: Ground, program: Program, words: tuple[str, ...]) -> None:
    """Let the process that makes the n-th call of a kind below the store die of it."""
    dice = ground.dice
    refusal = Refusal(dice.choice(CALLS), int(2 ** dice.uniform(0, 7)), 1, "kill")
    ground.say(f"killed at {refusal.call} {refusal.at}")
    _wait(under(program, refusal, ground.scene).start(*words, "--format", "json"))


def _kill_at_moment(ground: Ground, program: Program, words: tuple[str, ...], timed: str) -> None:
    """Kill the program, or its whole group, at a share of the time it takes."""
    share, whole = ground.dice.random(), ground.dice.random() < 0.5
    ground.say(f"{'its group' if whole else 'it'} killed at {share:.0%} of its time")
    key = f"seconds of {timed}"
    if key not in ground.scene.kept:
        ground.scene.kept[key] = _seconds(ground, words, timed.endswith("True"))
    process = program.start(*words, "--format", "json")
    time.sleep(share * ground.scene.kept[key])
    with suppress(ProcessLookupError):
        (os.killpg if whole else os.kill)(process.pid, signal.SIGKILL)
    _wait(process)


def _seconds(ground: Ground, words: tuple[str, ...], empty: bool) -> float:
    """How long a command takes that nobody kills."""
    folder = ground.folder / "timed"
    folder.mkdir()
    program = ground.scene.program(folder, empty=empty)
    started = time.monotonic()
    _wait((_fleet(ground, folder, program) if words == _SYNC else program).start(*words, "--format", "json"))
    return time.monotonic() - started


def _wait(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end. The pipes are read by nobody: workers that outlive the program may still hold them."""
    try:
        process.wait(MOST_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _fleet(ground: Ground, folder: Path, program: Program) -> Program:
    """The program in a folder with a fleet of the one repository."""
    path = str(ground.scene.repo.root)
    (folder / "fleet.toml").write_text(f'place = "place"\n[[repositories]]\npath = "{path}"\n')
    return replace(program, folder=folder)


def _judge_fleet(ground: Ground, program: Program) -> None:
    """Judge that another sync publishes all, and that a search finds what it finds in a fleet that nobody killed."""
    clean = ground.scene.kept.get("fleet answer")
    if clean is None:
        untouched = ground.folder / "untouched"
        untouched.mkdir()
        of_its_own = _fleet(ground, untouched, ground.scene.program(untouched, empty=True))
        clean = ground.scene.kept["fleet answer"] = _sync_and_search(ground, of_its_own, "clean fleet", None)
    _sync_and_search(ground, program, "fleet again", clean)


def _sync_and_search(ground: Ground, program: Program, label: str, clean: Any) -> Any:
    synced = program(*_SYNC, "--format", "json", timeout=2 * MOST_SECONDS)
    ground.judge.judge(f"{label}: sync", synced, may_refuse=False)
    found = program("fleet", "search", QUERY, "--effort", "fast", "--format", "json", timeout=MOST_SECONDS)
    return ground.judge.judge(f"{label}: search", found, clean, may_refuse=False)
