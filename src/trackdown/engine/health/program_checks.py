"""The program and what it is made of: Python, packages, git, grammars, and the kernel's limits on watching files."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from trackdown.engine.health.health_check import HealthCheck
from trackdown.errors import GitError
from trackdown.installation import install_hint, missing_packages
from trackdown.repository import git_version
from trackdown.units import BY_NAME, load_language

_SERVERS = ("serve", "mcp")
_INOTIFY = Path("/proc/sys/fs/inotify")
_FEWEST_WATCHES, _FEWEST_INSTANCES = 8192, 16


def check_program() -> Iterator[HealthCheck]:
    """Check the program itself. Reads no repository."""
    yield HealthCheck("python", "ok", f"{platform.python_version()} ({sys.executable})")
    yield _onnxruntime()
    missing = missing_packages("")
    if missing:
        hint = install_hint("")
        yield HealthCheck("packages", "problem", f"missing: {', '.join(missing)}", f"run `{hint}`")
    for extra in _SERVERS:
        lacking = missing_packages(extra)
        found = f"not installed (it would need {', '.join(lacking)}): run `{install_hint(extra)}` if you want it"
        yield HealthCheck(f"extra {extra}", "ok", found if lacking else "installed")
    yield _git()
    yield _grammars()
    yield _watching()


def _onnxruntime() -> HealthCheck:
    try:
        return HealthCheck("onnxruntime", "ok", version("onnxruntime"))
    except PackageNotFoundError:
        return HealthCheck("onnxruntime", "warning", "not installed: no model can rerank", f"run `{install_hint('')}`")


def _git() -> HealthCheck:
    try:
        return HealthCheck("git", "ok", f"{git_version()} ({shutil.which('git')})")
    except GitError as error:
        return HealthCheck("git", "problem", str(error), "install git 2.31 or newer, or put it on your PATH")


def _grammars() -> HealthCheck:
    broken = []
    for name in BY_NAME:
        try:
            load_language(name)
        except Exception as error:  # a grammar is native code of others: whatever it raises, it is broken
            broken.append(f"{name} ({type(error).__name__}: {error})")
    if broken:
        hint = f"run `{install_hint('')}`: files in these languages are searched as text until then"
        return HealthCheck("grammars", "problem", f"cannot be loaded: {', '.join(broken)}", hint)
    return HealthCheck("grammars", "ok", f"{len(BY_NAME)} languages")


def _watching() -> HealthCheck:
    if not sys.platform.startswith("linux"):
        return HealthCheck("watching", "ok", "servers scan the files: there is no inotify on this system")
    limits = {}
    for name in ("max_user_watches", "max_user_instances"):
        try:
            limits[name] = int((_INOTIFY / name).read_text("ascii"))
        except (OSError, ValueError):
            return HealthCheck("watching", "warning", f"{_INOTIFY / name} cannot be read: servers may scan the files")
    found = f"inotify allows {limits['max_user_watches']} watches, {limits['max_user_instances']} instances"
    low = [
        f"fs.inotify.{name}={least * 8}"
        for name, least in (("max_user_watches", _FEWEST_WATCHES), ("max_user_instances", _FEWEST_INSTANCES))
        if limits[name] < least
    ]
    if low:
        return HealthCheck(
            "watching", "warning", f"{found}: too few for large repositories", f"run `sudo sysctl {' '.join(low)}`"
        )
    return HealthCheck("watching", "ok", found)
