"""Modes that forbid reading or writing: one clear line or a note, and everything as before when they are put back."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.faults.holdings import database_of
from tests.store.limits import nothing_writable
from tests.surfaces.conftest import build_shop
from tests.surfaces.program import COMMAND, Program, Run
from trackdown.repository import open_source
from trackdown.settings import Settings
from trackdown.store.store import FORMAT, Store

POWERS = "-dac_override,-dac_read_search,-fowner"
AS_ANYBODY = ("setpriv", f"--bounding-set={POWERS}", f"--inh-caps={POWERS}") if os.getuid() == 0 else ()
"""Root may read and write whatever the modes are. Without these capabilities, it is like anybody else."""
QUERY = "session cookie"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(AS_ANYBODY) and not shutil.which("setpriv"), reason="root, and no setpriv"),
]


@dataclass(frozen=True)
class Kept:
    """A repository, the program with a store in which it is indexed, and what a search in it answers."""

    shop: Repo
    program: Program
    answer: Run


@pytest.fixture
def shop(tmp_path: Path) -> Repo:
    return build_shop(tmp_path / "shop")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "store", tmp_path)


def run(program: Program, *arguments: str | Path) -> Run:
    """Run a command as somebody whom modes concern."""
    return program.shell(" ".join(shlex.quote(str(word)) for word in (*AS_ANYBODY, *COMMAND, *arguments)))


@contextmanager
def mode(path: Path, wanted: int) -> Iterator[None]:
    before = path.stat().st_mode
    path.chmod(wanted)
    try:
        yield
    finally:
        path.chmod(before)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """An indexed shop. Tests put all modes back."""
    folder = tmp_path_factory.mktemp("modes")
    shop, program = build_shop(folder / "shop"), Program(folder / "store", folder, {"XDG_CONFIG_HOME": str(folder)})
    return Kept(shop, program, program("search", QUERY, shop.root))


@pytest.mark.parametrize("below", ["", FORMAT, f"{FORMAT}/facts.sqlite3"])
def test_a_store_that_cannot_be_read_is_one_line(kept: Kept, below: str) -> None:
    program, shop = kept.program, kept.shop
    with mode(program.store / below, 0o000):
        run(program, "search", "cookie", shop.root).refused(1, str(program.store), "permissions", "TRACKDOWN_STORE")
        if not below:
            run(program, "clear", "--all").refused(1, str(program.store), "permissions")
    assert program("search", QUERY, shop.root) == kept.answer


def test_an_array_file_that_cannot_be_read_is_built_again(kept: Kept) -> None:
    for path in (kept.program.store / FORMAT / "arrays").iterdir():
        path.chmod(0o000)
    found = run(kept.program, "search", QUERY, kept.shop.root)
    assert found.out == kept.answer.out and "cannot be read: rebuilding it" in found.err
    assert run(kept.program, "search", QUERY, kept.shop.root) == kept.answer


@pytest.mark.parametrize("below", ["", ".git", ".git/HEAD", ".git/objects", ".git/refs", ".git/index", ".git/config"])
def test_a_repository_that_cannot_be_read_is_one_line(kept: Kept, below: str) -> None:
    with mode(kept.shop.root / below, 0o000):
        run(kept.program, "search", "cookie", kept.shop.root).refused(1, below)
    assert kept.program("search", QUERY, kept.shop.root) == kept.answer


@pytest.mark.parametrize("below", ["web", "web/session.py"])
def test_files_that_cannot_be_read_are_left_out_with_a_note(kept: Kept, below: str) -> None:
    program, shop = kept.program, kept.shop
    with mode(shop.root / below, 0o000):
        found = run(program, "search", QUERY, shop.root)
        assert found.code == 0 and "files that cannot be read were left out" in found.err
        assert "out  web/session.py  unreadable" in run(program, "index", "--dry-run", shop.root).out
    assert program("search", QUERY, shop.root) == kept.answer


def test_files_beside_a_read_only_database_do_not_keep_it_read_only(program: Program, shop: Repo) -> None:
    assert run(program, "index", shop.root).code == 0
    with mode(database_of(program.store), 0o444):
        assert run(program, "search", "cookie", shop.root).code == 0
        assert Path(f"{database_of(program.store)}-shm").exists(), "SQLite made it, with the mode of the database"
        shop.write("web/new.py", "def new_cookie():\n    pass\n")
        run(program, "index", shop.root).refused(1, "read-only", "make it writable")
    assert "new_cookie" in run(program, "search", "new cookie", shop.root).out


def test_a_living_process_writes_again_as_soon_as_it_may(shop: Repo, settings: Settings) -> None:
    with trackdown.open(shop.root, settings=settings) as opened:
        opened.index()
    with nothing_writable(settings.store):
        store = Store(settings.store)
        assert store.read_only
    shop.write("web/new.py", "def new_cookie():\n    pass\n")
    with trackdown.Repository(open_source(shop.root), store, settings) as opened:
        assert opened.search("new cookie")[0].symbol == "new_cookie"
