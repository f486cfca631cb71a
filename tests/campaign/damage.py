"""Damage to the store: any file of it, at any byte."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.campaign.judge import MOST_SECONDS
from tests.campaign.prepared_stores import deep_store, imported_store
from tests.campaign.scene import COMMANDS, READERS, Ground

MOST_BYTES = 64


def flip(path: Path, dice: random.Random) -> str:
    """Change one bit."""
    data = bytearray(path.read_bytes())
    if not data:
        return extend(path, dice)
    at, bit = dice.randrange(len(data)), dice.randrange(8)
    data[at] ^= 1 << bit
    path.write_bytes(data)
    return f"flip bit {bit} of byte {at}"


def zero(path: Path, dice: random.Random) -> str:
    """Write zeros over a few bytes or over all that follows, as file systems do after a crash."""
    data = bytearray(path.read_bytes())
    at = dice.randrange(len(data) + 1)
    length = len(data) - at if dice.random() < 0.3 else min(dice.randint(1, MOST_BYTES), len(data) - at)
    data[at : at + length] = bytes(length)
    path.write_bytes(data)
    return f"zero {length} bytes at {at}"


def scramble(path: Path, dice: random.Random) -> str:
    """Write random bytes over a few."""
    data = bytearray(path.read_bytes())
    at = dice.randrange(len(data) + 1)
    length = min(dice.randint(1, MOST_BYTES), len(data) - at)
    data[at : at + length] = dice.randbytes(length)
    path.write_bytes(data)
    return f"scramble {length} bytes at {at}"


def truncate(path: Path, dice: random.Random) -> str:
    """Cut the file short."""
    length = dice.randrange(path.stat().st_size + 1)
    with path.open("r+b") as stream:
        stream.truncate(length)
    return f"truncate to {length} bytes"


def extend(path: Path, dice: random.Random) -> str:
    """Append bytes that do not belong to it."""
    more = dice.choice([bytes(4096), dice.randbytes(dice.randint(1, 5000))])
    with path.open("ab") as stream:
        stream.write(more)
    return f"append {len(more)} bytes"


def delete(path: Path, dice: random.Random) -> str:
    """Remove the file, or put a folder in its place."""
    path.unlink()
    if dice.random() < 0.2:
        path.mkdir()
        return "replace by a folder"
    return "delete"


KINDS: tuple[Callable[[Path, random.Random], str], ...] = (flip, flip, zero, scramble, truncate, extend, delete)


def run(ground: Ground) -> None:
    """Damage one to three files of a store, ask a command, and then search."""
    dice = ground.dice
    dice.choice((_plain, _plain, _plain, _deep, _imported))(ground)


def _plain(ground: Ground) -> None:
    """Damage the clean store."""
    program = ground.scene.program(ground.folder)
    _damage(ground, program.store, "*")
    name = ground.dice.choice([*READERS, "status", "clear"])
    ground.say(name)
    ground.ask(program, name)
    ground.asked_again(program)


def _deep(ground: Ground) -> None:
    """Damage the arrays of a deep index: without it answers are those of the clean store, and say that it is not ready.

    Nobody but `index --deep` or an idle server computes it again; then answers are as before.
    """
    prepared = deep_store(ground.scene)
    program = prepared.program(ground)
    _damage(ground, program.store, ground.dice.choice(("deep-*", "*")))
    name = ground.dice.choice(READERS)
    ground.say(f"{name} with a deep index")
    run = program(*COMMANDS[name], "--format", "json", timeout=MOST_SECONDS)
    ground.judge.judge(name, run, prepared.answers[name], or_else=[ground.scene.answers[name]])
    deepened = program("index", "--deep", "--format", "json", timeout=MOST_SECONDS)
    ground.judge.judge("index --deep", deepened, may_refuse=False)
    again = program(*COMMANDS["search"], "--format", "json", timeout=MOST_SECONDS)
    ground.judge_recovery(again, prepared.answers["search"])


def _imported(ground: Ground) -> None:
    """Damage a store that holds nothing but an import: what is missing is computed here."""
    prepared = imported_store(ground.scene)
    program = prepared.program(ground)
    _damage(ground, program.store, "*")
    name = ground.dice.choice([name for name in READERS if name != "index"])  # which tells whether the import is used
    ground.say(f"{name} with an imported index")
    run = program(*COMMANDS[name], "--format", "json", timeout=MOST_SECONDS)
    ground.judge.judge(name, run, prepared.answers[name], or_else=[ground.scene.answers[name]])
    ground.asked_again(program)


def _damage(ground: Ground, store: Path, pattern: str) -> None:
    """Damage one to three files that match. A fault has fired if bytes have changed."""
    dice = ground.dice
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        files = sorted(path for path in store.rglob(pattern) if path.is_file())
        if files:
            weights = [1 + path.stat().st_size ** 0.5 for path in files]
            (path,) = dice.choices(files, weights)
            before = path.read_bytes()
            ground.say(f"{path.name}: {dice.choice(KINDS)(path, dice)}")
            ground.judge.fired |= not path.is_file() or path.read_bytes() != before
