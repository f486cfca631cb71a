"""Read-only and full file systems, mounted for one process only; nothing of it is seen outside or stays."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
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


def read_only(folder: Path) -> str:
    """Shell that makes a folder read-only, for root too."""
    name = shlex.quote(str(folder))
    return f"mount --bind {name} {name}; mount -o remount,bind,ro {name}"


def tiny(folder: Path, kilobytes: int) -> str:
    """Shell that puts an empty file system of a size over a folder."""
    return f"mount -t tmpfs -o size={kilobytes}k tmpfs {shlex.quote(str(folder))}"
