"""Read-only and full file systems, mounted for one process only; nothing of it is seen outside or stays."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.surfaces.program import COMMAND, Program, Run


@functools.cache
def can_mount() -> bool:
    """Whether this process may make a mount namespace and mount in it."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    return subprocess.run(probe, capture_output=True).returncode == 0


needs_mounts = pytest.mark.skipif(not can_mount(), reason="may not mount file systems here")


def run_mounted(program: Program, setup: str, *arguments: str | Path) -> Run:
    """Run the program in a mount namespace of its own, after a line of shell has mounted there what it wants."""
    words = " ".join(shlex.quote(str(word)) for word in [*COMMAND, *arguments])
    return program.shell(f"unshare -m sh -c {shlex.quote(f'set -e; {setup}; exec {words}')}")


@dataclass(frozen=True, slots=True)
class MendedDisk:
    """A command on a bad disk and one after the disk was mended: lines of shell that mount it and that mend it."""

    setup: str
    mend: str
    first: Sequence[str | Path]
    second: Sequence[str | Path]

    def run(self, program: Program, outputs: Path, seconds: float) -> tuple[Run, Run]:
        """Run both in one mount namespace. What they print goes to the folder `outputs`, which is on another disk.

        A command that takes longer than `seconds` is killed and reported as such. Raises AssertionError if the disk
        cannot be mounted or mended.
        """
        outputs.mkdir()
        steps = [self.setup, _told(self.first, outputs / "first", seconds), self.mend]
        script = "; ".join(["set -e", *steps, _told(self.second, outputs / "second", seconds)])
        done = program.shell(f"unshare -m sh -c {shlex.quote(script)}")
        assert done.code == 0, f"the disk could not be mounted or mended: {done.err}"
        return _run_told(outputs / "first"), _run_told(outputs / "second")


def _told(arguments: Sequence[str | Path], name: Path, seconds: float) -> str:
    """Shell that runs the program within a time, and writes down what it prints and how it ends."""
    words = " ".join(shlex.quote(str(word)) for word in [*COMMAND, *arguments])
    to = shlex.quote(str(name))
    return f"timeout -s KILL {seconds} {words} >{to}.out 2>{to}.err && echo 0 >{to}.code || echo $? >{to}.code"


def _run_told(name: Path) -> Run:
    """How a run ended, as the shell wrote it down: a code above 128 stands for a signal."""
    code, out, err = (os.fsdecode(name.with_suffix(kind).read_bytes()) for kind in (".code", ".out", ".err"))
    return Run(128 - int(code) if int(code) > 128 and int(code) != 130 else int(code), out, err)


def read_only(folder: Path) -> str:
    """Shell that makes a folder read-only, for root too."""
    name = shlex.quote(str(folder))
    return f"mount --bind {name} {name}; mount -o remount,bind,ro {name}"


def tiny(folder: Path, kilobytes: int) -> str:
    """Shell that puts an empty file system of a size over a folder."""
    return f"mount -t tmpfs -o size={kilobytes}k tmpfs {shlex.quote(str(folder))}"


def writable(folder: Path) -> str:
    """Shell that makes a folder writable again after `read_only`."""
    return f"mount -o remount,bind,rw {shlex.quote(str(folder))}"


def roomy(folder: Path, megabytes: int = 256) -> str:
    """Shell that makes room on a file system after `tiny`."""
    return f"mount -o remount,size={megabytes}m {shlex.quote(str(folder))}"
