"""The layer of `refused_io.c`: compiled once, and put between the program and the C library."""

from __future__ import annotations

import errno
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.scene import Scene
from tests.surfaces.program import Program

SOURCE = Path(__file__).with_name("refused_io.c")


@dataclass(frozen=True)
class Refusal:
    """Which call below the store is hit, and what happens to it: an errno as a number, `short`, `slow` or `kill`."""

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


def under(program: Program, refusal: Refusal, scene: Scene) -> Program:
    """The program with the layer below it. It has to be started as a process of its own, not forked."""
    return program.having(
        LD_PRELOAD=str(_layer(scene)),
        REFUSE_BELOW=str(program.store),
        REFUSE_CALL=refusal.call,
        REFUSE_AT=str(refusal.at),
        REFUSE_FOR=str(refusal.times),
        REFUSE_WITH=refusal.fate,
    )


def _layer(scene: Scene) -> Path:
    if "layer" not in scene.kept:
        built = scene.folder / "refused_io.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", built, SOURCE, "-ldl"], check=True)
        scene.kept["layer"] = built
    return Path(scene.kept["layer"])
