"""A limit on the address space: one line in place of an abort, and no thread more than it has room for."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program
from trackdown.surfaces.cli.memory_limit import LEAST_BYTES


def limited(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


@pytest.mark.parametrize("megabytes", [100, 200, 300])
def test_too_little_address_space_is_one_line(shop: Repo, tmp_path: Path, megabytes: int) -> None:
    run = Program(tmp_path / "store", tmp_path)("search", "cookie", shop.root, before=limited(megabytes << 20))
    run.refused(1, f"only {megabytes} MB", f"{LEAST_BYTES >> 20} MB are needed", "ulimit -v")


def test_the_least_address_space_is_enough_for_a_small_repository(shop: Repo, tmp_path: Path) -> None:
    program = Program(tmp_path / "store", tmp_path, {"TRACKDOWN_MODELS": None})
    run = program("search", "session cookie", shop.root, "--effort", "thorough", before=limited(LEAST_BYTES))
    assert run.code == 0 and run.out, run.err
