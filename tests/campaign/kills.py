"""SIGKILL at any moment of any command: by the clock, or exactly at one call that touches its files."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from tests.campaign.fleet_victims import FLEET_VICTIMS
from tests.campaign.interposer import Refusal, calls_made, drawn_call, lacks_compiler, under
from tests.campaign.judge import MOST_SECONDS
from tests.campaign.scene import Ground
from tests.campaign.server_kills import CALLS, SERVERS, kill_server
from tests.campaign.victims import JSON, VICTIMS, Victim
from tests.surfaces.program import Program

_ALL = {**VICTIMS, **FLEET_VICTIMS}


def run(ground: Ground) -> None:
    """Kill a command, run it again, and search."""
    name = ground.dice.choice([*_ALL, "index", "index --deep", "fleet sync", *SERVERS])
    if name in SERVERS:
        kill_server(ground, name)
        return
    victim, empty = _ALL[name], ground.dice.random() < 0.5
    program = victim.prepare(ground, ground.folder, empty)
    ground.say(f"{name} with {'an empty' if empty else 'a clean'} store")
    if ground.dice.random() < 0.5 and not lacks_compiler():
        _kill_at_call(ground, program, victim, f"{name}{empty}")
    else:
        _kill_at_moment(ground, program, victim, f"{name}{empty}")
    victim.judge(ground, program)


def _kill_at_call(ground: Ground, program: Program, victim: Victim, counted: str) -> None:
    """Let the process that makes the n-th call of a kind below a folder die of it."""
    dice, mark = ground.dice, ground.scene.folder / f"fired-{os.path.basename(ground.folder)}"
    key = f"calls of victim {counted}"
    if key not in ground.scene.kept:
        ground.scene.kept[key] = _calls(ground, victim, counted.endswith("True"))
    call, at = drawn_call(dice, ground.scene.kept[key], CALLS)
    ground.say(f"killed at {call} {at}")
    refusal = Refusal(call, at, 1, "kill")
    below = victim.below(ground.folder) if victim.below is not None else program.store
    layered = under(program, refusal, ground.scene, mark, below)
    _wait(layered.start(*victim.words(ground.folder), *JSON))
    ground.judge.fired = mark.exists()
    mark.unlink(missing_ok=True)


def _kill_at_moment(ground: Ground, program: Program, victim: Victim, timed: str) -> None:
    """Kill the program, or its whole group, at a share of the time it takes."""
    share, whole = ground.dice.random(), ground.dice.random() < 0.5
    ground.say(f"{'its group' if whole else 'it'} killed at {share:.0%} of its time")
    key = f"seconds of {timed}"
    if key not in ground.scene.kept:
        ground.scene.kept[key] = _seconds(ground, victim, timed.endswith("True"))
    process = program.start(*victim.words(ground.folder), *JSON)
    time.sleep(share * ground.scene.kept[key])
    with suppress(ProcessLookupError):
        (os.killpg if whole else os.kill)(process.pid, signal.SIGKILL)
    ground.judge.fired = _wait(process) == -signal.SIGKILL


def _seconds(ground: Ground, victim: Victim, empty: bool) -> float:
    """How long a command takes that nobody kills."""
    folder: Path = ground.folder / "timed"
    folder.mkdir()
    program = victim.prepare(ground, folder, empty)
    started = time.monotonic()
    _wait(program.start(*victim.words(folder), *JSON))
    return time.monotonic() - started


def _calls(ground: Ground, victim: Victim, empty: bool) -> Counter[str]:
    """How many calls of each kind a command makes that nobody kills."""
    folder: Path = ground.folder.with_name(f"{ground.folder.name}-counted")  # beside it: files of the case count
    folder.mkdir()
    program = victim.prepare(ground, folder, empty)
    below = victim.below(folder) if victim.below is not None else program.store
    made = calls_made(program, (*victim.words(folder), *JSON), ground.scene, below)
    shutil.rmtree(folder)
    return made


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end. The pipes are read by nobody: workers that outlive the program may still hold them."""
    try:
        return process.wait(MOST_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
