"""Servers that are killed or told to end, before they are ready or while they answer."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx

from tests.campaign.fleet_victims import judge_fleet, published
from tests.campaign.interposer import Refusal, lacks_compiler, under
from tests.campaign.judge import MOST_SECONDS, TRACEBACK, Verdict
from tests.campaign.mcp_messages import GOOD_CALL
from tests.campaign.scene import QUERY, Ground
from tests.campaign.victims import in_the_shop
from tests.surfaces.mcp.test_life import HELLO
from tests.surfaces.program import COMMAND, Program, wait_for

SERVERS: dict[str, tuple[str, ...]] = {
    "serve": ("serve", "--port", "0"),
    "mcp": ("mcp",),
    "mcp over HTTP": ("mcp", "--http", "--port", "0"),
    "index --watch": ("index", "--watch"),
    "fleet serve": ("fleet", "serve", "--port", "0"),
}
"""Servers, and what keeps running like one."""
CALLS = ("open", "write", "sync", "rename", "mmap", "truncate", "remove", "make")
_ENDINGS = (0, 130, 143)
_BUSY_SECONDS = 2.5
"""In this time a server starts, builds its index, and answers for the first time."""


def kill_server(ground: Ground, name: str) -> None:
    """End a server in one of three ways; its processes have to go, and its store has to be as good as ever."""
    dice = ground.dice
    empty = dice.random() < 0.5
    is_fleet = name == "fleet serve"
    program = (published if is_fleet else in_the_shop)(ground, ground.folder, empty)
    ground.say(f"{name} with {'an empty' if empty else 'a clean'} store")
    dice.choice((_at_a_call, _at_a_moment, _as_it_is_told))(ground, program, name)
    if is_fleet:
        judge_fleet(ground, program)
    else:
        ground.asked_again(program)


def _at_a_call(ground: Ground, program: Program, name: str) -> None:
    """Let the process that makes the n-th call of a kind below the store die of it; the others are killed later."""
    if lacks_compiler():
        _at_a_moment(ground, program, name)
        return
    dice, mark = ground.dice, ground.folder / "fired"
    refusal = Refusal(dice.choice(CALLS), int(2 ** dice.uniform(0, 4)), 1, "kill")
    ground.say(f"killed at {refusal.call} {refusal.at}")
    process = _started(ground, under(program, refusal, ground.scene, mark), name)
    wait_for(lambda: process.poll() is not None, _BUSY_SECONDS)
    ground.judge.fired = mark.exists()
    _finish(process, signal.SIGKILL)
    ground.judge.seen[Verdict.EQUAL] += 1


def _at_a_moment(ground: Ground, program: Program, name: str) -> None:
    """Kill the server, or its whole group, while it starts or works."""
    seconds, whole = ground.dice.uniform(0, _BUSY_SECONDS), ground.dice.random() < 0.5
    ground.say(f"{'its group' if whole else 'it'} killed after {seconds:.2f} s")
    process = _started(ground, program, name)
    time.sleep(seconds)
    ground.judge.fired = process.poll() is None
    _finish(process, signal.SIGKILL, whole=whole)
    ground.judge.seen[Verdict.EQUAL] += 1


def _as_it_is_told(ground: Ground, program: Program, name: str) -> None:
    """Tell a server that listens to end. It does so soon and in silence."""
    sign, seconds = ground.dice.choice((signal.SIGTERM, signal.SIGINT)), ground.dice.choice((0.0, 0.5))
    ground.say(f"{sign.name} {seconds} s after it has begun")
    process = _started(ground, program, name)
    begun = wait_for(lambda: (ground.folder / "told").stat().st_size or process.poll() is not None, MOST_SECONDS)
    ground.judge.expect(begun and process.poll() is None, "the server does not begin")
    time.sleep(seconds)
    ground.judge.fired = process.poll() is None
    try:
        code = _finish(process, sign)
    except subprocess.TimeoutExpired:
        told = (ground.folder / "errors").read_text("utf-8", "replace")
        ground.judge.fail(f"it did not end after {sign.name}, its threads: {told[-3000:]}")
        return
    said = (ground.folder / "errors").read_text("utf-8", "replace")
    ground.judge.expect(code in _ENDINGS, f"the server ended with {code}: {said[-300:]}")
    ground.judge.expect(TRACEBACK not in said and "unexpected" not in said, f"the server said: {said[-600:]}")
    ground.judge.seen[Verdict.EQUAL] += 1


def _started(ground: Ground, program: Program, name: str) -> subprocess.Popen[bytes]:
    """A server that is asked something as soon as it can be."""
    with (ground.folder / "told").open("wb") as out, (ground.folder / "errors").open("wb") as error:
        process = subprocess.Popen(
            [*COMMAND, *SERVERS[name]],
            cwd=program.folder,
            env=program.environment() | {"PYTHONFAULTHANDLER": "1"},
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=error,
            start_new_session=True,
        )
    assert process.stdin is not None
    if name == "mcp":
        with suppress(BrokenPipeError):
            process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in (HELLO, GOOD_CALL)))
            process.stdin.flush()
    elif name.endswith("serve"):
        threading.Thread(target=_search, args=(ground.folder / "told", process), daemon=True).start()
    return process


def _search(told: Path, process: subprocess.Popen[bytes]) -> None:
    """Ask the server once it listens. Nobody waits for the answer: the server may be killed before it has one."""
    while process.poll() is None:
        found = re.search(rb"http://\S+", told.read_bytes()) if told.exists() else None
        if found is not None:
            with suppress(httpx.HTTPError):
                url = f"{found[0].decode().rstrip('/')}/v1/search"
                httpx.get(url, params={"query": QUERY}, timeout=MOST_SECONDS, trust_env=False)
            return
        time.sleep(0.02)


def _finish(process: subprocess.Popen[bytes], sign: signal.Signals, *, whole: bool = False) -> int:
    """Send a signal and wait. What does not end is killed, and that is an error."""
    with suppress(ProcessLookupError):
        (os.killpg if whole else os.kill)(process.pid, sign)
    try:
        return process.wait(MOST_SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # which makes Python tell what its threads do
        time.sleep(1)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        if process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()
