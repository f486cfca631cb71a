"""Writers, clearers, collectors and readers on one store at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations

from tests.campaign.judge import MOST_SECONDS
from tests.campaign.scene import COMMANDS, READERS, Ground
from tests.surfaces.program import Program, Run

_CLEAR_ALL = "clear all"
_COLLECT = "collect"
MOST_AT_ONCE = 6


def run(ground: Ground) -> None:
    """Start up to six commands within a moment; each is judged, and then a search."""
    dice = ground.dice
    empty = dice.random() < 0.5
    program = ground.scene.program(ground.folder, empty=empty)
    names = dice.choices(
        [*READERS, "search", "index", "clear", _CLEAR_ALL, _COLLECT, "status"], k=dice.randint(2, MOST_AT_ONCE)
    )
    delays = [dice.choice((0.0, dice.uniform(0, 0.4))) for _ in names]
    ground.say(f"{', '.join(names)} at once with {'an empty' if empty else 'a clean'} store")
    with ThreadPoolExecutor(len(names)) as pool:
        started = [pool.submit(_later, program, name, delay) for name, delay in zip(names, delays, strict=True)]
    times = [one.result()[1] for one in started]
    ground.judge.fired = any(
        first.start < second.stop and second.start < first.stop for first, second in combinations(times, 2)
    )
    for name, one in zip(names, started, strict=True):
        run, _ = one.result()
        ground.judge.judge(name, run, _clean(ground, name))
        is_false = "not an indexed file" in run.err or "has no file" in run.err
        ground.judge.expect(not is_false or "is indexing" in run.err, f"{name}: calls missing what is not indexed yet")
    ground.asked_again(program)


@dataclass(frozen=True)
class _Times:
    """When a command was started and when it had ended."""

    start: float
    stop: float


def _later(program: Program, name: str, delay: float) -> tuple[Run, _Times]:
    time.sleep(delay)
    started = time.monotonic()
    run = _run(program, name)
    return run, _Times(started, time.monotonic())


def _run(program: Program, name: str) -> Run:
    if name == _CLEAR_ALL:
        return program("clear", "--all", "--format", "json", timeout=MOST_SECONDS)
    if name == _COLLECT:  # a store that may hold nothing is collected by every command that writes
        limited = program.having(TRACKDOWN_STORE_LIMIT_MB="1")
        return limited("index", "--at", "old", "--format", "json", timeout=MOST_SECONDS)
    return program(*COMMANDS[name], "--format", "json", timeout=MOST_SECONDS)


def _clean(ground: Ground, name: str) -> object:
    return None if name in (_CLEAR_ALL, _COLLECT, "clear", "status") else ground.scene.answers[name]
