"""A store that is cut short, scratched or of another version: the answer is the same."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from tests.faults.conftest import answer
from tests.faults.holdings import arrays_of, database_of
from tests.surfaces.conftest import build_shop
from tests.surfaces.program import Program
from trackdown.settings import load_settings
from trackdown.store.ownership import MARK

pytestmark = pytest.mark.slow

QUERY = "where is the session cookie signed, and the header parsed?"
FILES = ["facts.sqlite3", "code", "commits"]


@dataclass(frozen=True)
class Kept:
    """A repository, a store in which it is indexed, and what a search in it answers, as JSON and in this process."""

    shop: Repo
    store: Path
    answer: Any
    results: Any

    def copied(self, target: Path) -> Path:
        """A copy of the store, to be damaged."""
        shutil.rmtree(target, ignore_errors=True)
        return Path(shutil.copytree(self.store, target))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("kept")
    shop = build_shop(folder / "shop")
    program = Program(folder / "store", folder, {"XDG_CONFIG_HOME": str(folder)})
    found = answer(program, shop.root, QUERY)
    return Kept(shop, program.store, found, asked(program.store, shop.root)[0])


def the_file(store: Path, kind: str) -> Path:
    """The database or the one array file of a kind."""
    if kind == "facts.sqlite3":
        return database_of(store)
    (found,) = [path for path in arrays_of(store) if path.name.startswith(f"{kind}-")]
    return found


def asked(store: Path, place: Path) -> tuple[Any, str]:
    """(results, error) of a search in this process, with a store of that folder."""
    with trackdown.open(place, settings=load_settings(store=store)) as opened:
        try:
            return [(r.path, r.symbol, r.score, r.snippet, r.why) for r in opened.search(QUERY)], ""
        except trackdown.TrackdownError as error:
            return None, str(error)


def holds_up(store: Path, place: Path, expected: Any) -> None:
    """Assert that a search answers as ever, and that the next one does."""
    assert asked(store, place) == (expected, "")
    assert asked(store, place) == (expected, "")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.7, 0.999])
@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_cut_short_changes_no_answer(kept: Kept, tmp_path: Path, kind: str, share: float) -> None:
    store = kept.copied(tmp_path / "store")
    target = the_file(store, kind)
    data = target.read_bytes()
    target.write_bytes(data[: int(len(data) * share)])
    assert asked(store, kept.shop.root) == (kept.results, "")
    again = trackdown.open(kept.shop.root, settings=load_settings(store=store)).search(QUERY)
    assert again.notes == (), "what was damaged is mended, and nothing is said of it any more"


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_gone_or_something_else_changes_no_answer(kept: Kept, tmp_path: Path, kind: str) -> None:
    for content in (None, b"", b"This is not what you think it is.\n" * 1000):
        store = kept.copied(tmp_path / "store")
        target = the_file(store, kind)
        target.unlink()
        if content is not None:
            target.write_bytes(content)
        assert asked(store, kept.shop.root) == (kept.results, "")


def scratches(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """The same bytes, each time with a flipped bit, or with a stretch of zeros or of noise somewhere."""
    chance = random.Random(seed)
    for _ in range(count):
        place, kind = chance.randrange(len(data)), chance.randrange(3)
        length = 1 if kind == 0 else chance.randrange(8, 400)
        other = bytes(data[place : place + length])
        new = {0: bytes([other[0] ^ (1 << chance.randrange(8))]), 1: bytes(len(other)), 2: chance.randbytes(len(other))}
        yield data[:place] + new[kind] + data[place + length :]


@pytest.mark.parametrize("kind", FILES)
def test_a_scratched_file_changes_no_answer(kept: Kept, tmp_path: Path, kind: str) -> None:
    data = the_file(kept.store, kind).read_bytes()
    for scratched in scratches(data, 40, seed=7):
        store = kept.copied(tmp_path / "store")
        the_file(store, kind).write_bytes(scratched)
        holds_up(store, kept.shop.root, kept.results)


def test_a_scratched_database_changes_no_answer_when_it_has_to_be_read(kept: Kept, tmp_path: Path) -> None:
    shop = Repo(tmp_path / "shop")
    shop.git("pull", "-q", str(kept.shop.root), "main")
    store = tmp_path / "template"
    asked(store, shop.root)
    shop.write("web/more.py", "def sign_more_cookies(header):\n    return header\n")
    shop.git("rm", "-q", "-r", "lib")
    shop.commit("Sign more cookies and drop the cart")
    expected, _ = asked(tmp_path / "fresh", shop.root)
    data = database_of(store).read_bytes()
    for scratched in scratches(data, 40, seed=8):
        shutil.rmtree(tmp_path / "store", ignore_errors=True)
        shutil.copytree(store, tmp_path / "store")
        database_of(tmp_path / "store").write_bytes(scratched)
        holds_up(tmp_path / "store", shop.root, expected)


@pytest.mark.parametrize("kind", ["code", "commits", "repository", "worktree"])
@pytest.mark.parametrize("value", [b"", b"\xc1", b"{}", b'{"version": "x"}', b"null"])
def test_a_record_that_makes_no_sense_changes_no_answer(kept: Kept, tmp_path: Path, kind: str, value: bytes) -> None:
    store = kept.copied(tmp_path / "store")
    with sqlite3.connect(database_of(store)) as database:
        changed = database.execute("UPDATE records SET value=? WHERE kind=?", (value, kind)).rowcount
    database.close()
    assert changed
    holds_up(store, kept.shop.root, kept.results)


def test_facts_that_make_no_sense_are_made_again_with_a_note(kept: Kept, tmp_path: Path) -> None:
    store = kept.copied(tmp_path / "store")
    with sqlite3.connect(database_of(store)) as database:
        database.execute("UPDATE facts SET value=x'c1'")
        database.execute("DELETE FROM records WHERE kind IN ('code', 'commits')")
    database.close()
    program = Program(store, tmp_path)
    found = answer(program, kept.shop.root, QUERY)
    assert found["results"] == kept.answer["results"] and not found["partial"]
    assert [note.split(":")[0] for note in found["notes"]] == [
        "damaged data in the store was removed (blob)",
        "damaged data in the store was removed (commit)",
    ]
    assert answer(program, kept.shop.root, QUERY) == kept.answer


def test_a_lost_write_ahead_log_changes_no_answer(kept: Kept, tmp_path: Path) -> None:
    with trackdown.open(kept.shop.root, settings=load_settings(store=tmp_path / "open")) as opened:
        opened.search(QUERY)
        log = Path(f"{database_of(tmp_path / 'open')}-wal")
        assert log.stat().st_size, "the log is what this test takes away"
        for number, gone in enumerate([("-wal",), ("-shm",), ("-wal", "-shm")]):
            store = Path(shutil.copytree(tmp_path / "open", tmp_path / f"store{number}"))
            for suffix in gone:
                Path(f"{database_of(store)}{suffix}").unlink()
            assert answer(Program(store, tmp_path), kept.shop.root, QUERY)["results"] == kept.answer["results"]
        cut = Path(shutil.copytree(tmp_path / "open", tmp_path / "cut"))
        with open(f"{database_of(cut)}-wal", "r+b") as stream:
            stream.truncate(log.stat().st_size // 2)
        assert answer(Program(cut, tmp_path), kept.shop.root, QUERY)["results"] == kept.answer["results"]


def test_another_version_inside_is_built_anew(kept: Kept, tmp_path: Path) -> None:
    store = kept.copied(tmp_path / "store")
    with sqlite3.connect(database_of(store)) as database:
        database.execute("PRAGMA user_version=99")
    database.close()
    assert answer(Program(store, tmp_path), kept.shop.root, QUERY)["results"] == kept.answer["results"]
    for kind in ("code", "commits"):
        target = the_file(store, kind)
        data = bytearray(target.read_bytes())
        data[4] += 1
        target.write_bytes(data)
    found = answer(Program(store, tmp_path), kept.shop.root, QUERY)
    assert found["results"] == kept.answer["results"] and any("another format" in note for note in found["notes"])


def test_other_versions_stand_beside_and_go_with_clear_all(kept: Kept, tmp_path: Path) -> None:
    store = kept.copied(tmp_path / "store")
    (store / "v999" / "arrays").mkdir(parents=True)
    (store / "v999" / "facts.sqlite3").write_bytes(b"from the future")
    (store / "v999" / MARK).touch()
    (store / "v3").mkdir()
    (store / "v3" / "thesis.tex").write_text("theirs")
    (store / "notes.txt").write_text("mine")
    program = Program(store, tmp_path)
    assert answer(program, kept.shop.root, QUERY) == kept.answer
    assert program("clear", kept.shop.root).code == 0 and (store / "v999" / "facts.sqlite3").exists()
    assert program("clear", "--all").code == 0
    assert sorted(path.name for path in store.iterdir()) == ["notes.txt", "v3"]
    program("clear", "--all").refused(1, str(store), "is not a store of Trackdown", "nothing was removed")
    assert (store / "v3" / "thesis.tex").read_text() == "theirs"
