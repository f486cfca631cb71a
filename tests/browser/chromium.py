"""Which Chromium to start, and how."""

from __future__ import annotations

import os
import shutil
from typing import Any

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""Debian's. The first has no window and takes half the processor time of the others."""


def launch_options() -> dict[str, Any]:
    """What playwright is to start: Debian's Chromium without a window, or the program that CHROMIUM names."""
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert program, f"there is no chromium: install Debian's package {PROGRAMS[0]}, or name one in CHROMIUM"
    return {"executable_path": program, "args": ["--no-sandbox"] if os.geteuid() == 0 else []}
