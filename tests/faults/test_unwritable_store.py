"""A store that cannot be written: read-only, full, or where no folder can be."""

from __future__ import annotations

import resource
import shlex
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.faults.conftest import QUERY, Clean, answer
from tests.faults.holdings import holdings
from tests.faults.mounts import MendedDisk, needs_mounts, read_only, roomy, run_mounted, tiny
from tests.surfaces.conftest import build_shop
from tests.surfaces.program import COMMAND, Program, Run

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path: Path) -> Repo:
    return build_shop(tmp_path / "shop")


@needs_mounts
def test_a_read_only_store_serves_what_is_ready(program: Program, shop: Repo) -> None:
    wanted = answer(program, shop.root, "session cookie")
    before = holdings(program.store)
    frozen = read_only(program.store)
    run = run_mounted(program, frozen, "search", "session cookie", shop.root, "--format", "json")
    found = run.json()
    assert found["results"] == wanted["results"] and not found["partial"]
    assert run_mounted(program, frozen, "history", "cookie", shop.root).out.startswith(" 1  ")
    assert "up to date" in run_mounted(program, frozen, "status", shop.root).out
    assert holdings(program.store) == before


@needs_mounts
def test_a_read_only_store_says_so_when_something_would_have_to_be_built(program: Program, shop: Repo) -> None:
    program("index", shop.root)
    frozen = read_only(program.store)
    shop.write("web/new.py", "def new_cookie():\n    pass\n")
    for command in (["search", "cookie"], ["index"]):
        run_mounted(program, frozen, *command, shop.root).refused(1, "read-only", "TRACKDOWN_STORE")
    run_mounted(program, frozen, "clear", shop.root).refused(1, "read-only", "TRACKDOWN_STORE")
    assert "not up to date" in run_mounted(program, frozen, "status", shop.root).out


@needs_mounts
def test_an_empty_read_only_folder_cannot_become_a_store(program: Program, shop: Repo) -> None:
    program.store.mkdir()
    run = run_mounted(program, read_only(program.store), "search", "cookie", shop.root)
    run.refused(1, str(program.store), "TRACKDOWN_STORE")


def test_a_store_where_no_folder_can_be_is_refused(program: Program, shop: Repo, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/no/such")):
        Program(place, tmp_path)("search", "cookie", shop.root).refused(1, str(place))


@pytest.mark.parametrize("kilobytes", [1, 40, 400, 900])
def test_a_store_that_fills_up_says_so_and_goes_on_when_there_is_space(
    program: Program, grown: Repo, clean: Clean, kilobytes: int
) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, kilobytes << 10))

    run = program("index", grown.root, before=limited)
    assert run.code == 1 and run.out == ""
    told = run.err.removeprefix("Indexing grown: later searches read only what has changed\n")
    assert told.startswith("trackdown: the store at ") and told.count("\n") == 1, run.err
    assert "full" in told and "free some space" in told and "TRACKDOWN_STORE" in told
    assert answer(program, grown.root)["results"] == clean.answer["results"]
    assert holdings(program.store) == clean.holdings


@needs_mounts
@pytest.mark.parametrize("kilobytes", [60, 600, 2000])
def test_a_full_disk_says_so_and_goes_on_when_there_is_space(
    program: Program, grown: Repo, clean: Clean, kilobytes: int
) -> None:
    program.store.mkdir()
    words = " ".join(map(shlex.quote, [*COMMAND, "search", "cookie session", str(grown.root), "-k", "1"]))
    store = shlex.quote(str(program.store))
    again = f"{words}; echo [$?]; mount -o remount,size=64m {store}; exec {words}"
    run = program.shell(f"unshare -m sh -c {shlex.quote(f'{tiny(program.store, kilobytes)}; {again}')}")
    assert run.code == 0, run.err
    full, _, roomy = run.out.partition("[1]\n")
    assert full == "" and "\n 1  part" in roomy
    told = [line for line in run.err.splitlines() if not line.startswith("Indexing grown")]
    assert len(told) == 1 and told[0].startswith("trackdown: the store at ") and "full" in told[0], run.err


@needs_mounts
@pytest.mark.parametrize("kilobytes", [4, 12, 40])
def test_a_disk_without_room_for_an_empty_store_is_called_full(
    program: Program, shop: Repo, tmp_path: Path, kilobytes: int
) -> None:
    program.store.mkdir()
    index = ("index", shop.root)
    disk = MendedDisk(tiny(program.store, kilobytes), roomy(program.store), index, index)
    full, roomier = disk.run(program, tmp_path / "outputs", 60)
    assert full.code == 1 and "is full or cannot be written: free some space" in full.err
    assert roomier.code == 0 and "4 files" in roomier.out


def on_a_disk_that_fills_up(program: Program, place: Path, *arguments: str | Path) -> Run:
    """Index a place, fill the disk that the store is on to the last block, and run a command."""
    program.store.mkdir()
    index, command = (
        " ".join(shlex.quote(str(word)) for word in [*COMMAND, *words]) for words in (["index", place], arguments)
    )
    fill = f"dd if=/dev/zero of={shlex.quote(str(program.store / 'ballast'))} bs=4k"
    script = f"{tiny(program.store, 30000)}; ({index}; {fill}) >/dev/null 2>&1; exec {command}"
    return program.shell(f"unshare -m sh -c {shlex.quote(script)}")


@needs_mounts
def test_a_ready_index_is_served_from_a_disk_that_has_filled_up(program: Program, grown: Repo, clean: Clean) -> None:
    run = on_a_disk_that_fills_up(program, grown.root, "search", QUERY, grown.root, "--format", "json")
    assert run.json()["results"] == clean.answer["results"]


@needs_mounts
def test_the_store_can_be_cleared_on_a_disk_that_has_filled_up(program: Program, grown: Repo) -> None:
    run = on_a_disk_that_fills_up(program, grown.root, "clear", "--all")
    assert run.code == 0 and run.out.startswith("Cleared everything: "), run.err
