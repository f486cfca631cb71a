"""Damage to the store: any file of it, at any byte."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.campaign.scene import READERS, Ground

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
    """Damage one to three files of a clean store, ask a command, and then search."""
    dice, program = ground.dice, ground.scene.program(ground.folder)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        files = sorted(path for path in program.store.rglob("*") if path.is_file())
        if files:
            weights = [1 + path.stat().st_size ** 0.5 for path in files]
            (path,) = dice.choices(files, weights)
            ground.say(f"{path.name}: {dice.choice(KINDS)(path, dice)}")
    name = dice.choice([*READERS, "status", "clear"])
    ground.say(name)
    ground.ask(program, name)
    ground.asked_again(program)
