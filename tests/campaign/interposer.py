"""The layer of `refused_io.c`: compiled once, and put between the program and the C library."""

from __future__ import annotations

import errno
import math
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.scene import Scene
from tests.surfaces.program import Program

SOURCE = Path(__file__).with_name("refused_io.c")
_SECONDS = 60.0


@dataclass(frozen=True)
class Refusal:
    """Which call below a folder is hit, and what happens to it: an errno as a number, `short`, `slow` or `kill`."""

    call: str
    at: int
    times: int
    fate: str

    def __str__(self) -> str:
        code = int(self.fate) if self.fate.isdigit() else 0
        return f"{self.call} {self.at} to {self.at + self.times - 1}: {errno.errorcode.get(code, self.fate)}"


def lacks_compiler() -> str:
    """Why the layer cannot be used here, or nothing."""
    return "" if shutil.which("gcc") else "there is no gcc to compile the layer that refuses calls"


def under(program: Program, refusal: Refusal, scene: Scene, mark: Path, below: Path | None = None) -> Program:
    """The program with the layer below it, for files below a folder: the store if none is named.

    It has to be started as a process of its own, not forked. The file `mark` is there once a call has been hit.
    """
    return program.having(
        LD_PRELOAD=str(_layer(scene)),
        REFUSE_BELOW=str(below or program.store),
        REFUSE_MARK=str(mark),
        REFUSE_CALL=refusal.call,
        REFUSE_AT=str(refusal.at),
        REFUSE_FOR=str(refusal.times),
        REFUSE_WITH=refusal.fate,
    )


def calls_made(program: Program, words: tuple[str, ...], scene: Scene, below: Path | None = None) -> Counter[str]:
    """How many calls of each kind a command makes on files below a folder: the store if none is named."""
    tally = scene.folder / "tally"
    counting = program.having(
        LD_PRELOAD=str(_layer(scene)), REFUSE_BELOW=str(below or program.store), REFUSE_TALLY=str(tally)
    )
    process = counting.start(*words)
    process.communicate(timeout=_SECONDS)
    counted = Counter(tally.read_text().split()) if tally.exists() else Counter[str]()
    tally.unlink(missing_ok=True)
    return counted


def drawn_call(dice: random.Random, made: Counter[str], kinds: Iterable[str]) -> tuple[str, int]:
    """One of the calls that a command makes: any kind of these that it makes, and any number, low ones more often."""
    call = dice.choice([kind for kind in kinds if made[kind]] or list(kinds))
    return call, int(2 ** dice.uniform(0, math.log2(made[call] + 1)))


def _layer(scene: Scene) -> Path:
    if "layer" not in scene.kept:
        built = scene.folder / "refused_io.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", built, SOURCE, "-ldl"], check=True)
        scene.kept["layer"] = built
    return Path(scene.kept["layer"])
