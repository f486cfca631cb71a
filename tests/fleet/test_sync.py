"""A sync builds what moved, once, and publishes it whole."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fleet.fleets import SOURCES, SmallFleet, needs_extra, places
from trackdown.errors import FleetError
from trackdown.fleet import Place, fleet_state, read_fleet, syncing
from trackdown.fleet.building import BuildTask
from trackdown.fleet.cluster import Outcome
from trackdown.fleet.collection import collect
from trackdown.fleet.failures import BuildFailure
from trackdown.fleet.manifest import OBJECTS, manifest_numbers, read_latest
from trackdown.fleet.place import file_digest
from trackdown.fleet.table import GroupTables

pytestmark = needs_extra


def manifest_of(fleet: SmallFleet) -> dict[str, str]:
    latest = read_latest(Place(read_fleet(fleet.file).address))
    return {name: one.built.commit for name, one in latest.repositories.items()}


def test_what_moved_is_built_and_nothing_twice(fleet: SmallFleet) -> None:
    first = fleet.sync()
    assert (first.number, set(first.built), first.problems) == (1, set(SOURCES), {})
    again = fleet.sync()
    assert (again.number, again.built, set(again.reused)) == (1, (), set(SOURCES))
    commit = fleet.repositories["shop"].commit(
        "Check it", {"web/check.py": "def verify_cookie(value):\n    return value\n"}
    )
    moved = fleet.sync()
    assert (moved.number, moved.built) == (2, ("shop",))
    assert manifest_of(fleet)["shop"] == commit
    assert places(fleet.search("verify cookie"))[0] == ("shop", "web/check.py", "verify_cookie")


def test_a_model_or_a_limit_that_changes_gives_other_shards(fleet: SmallFleet) -> None:
    fleet.sync()
    fleet.file.write_text(fleet.file.read_text().replace('path = "shop"', 'path = "shop"\nmax_file_kb = 77'))
    assert fleet.sync().built == ("shop",)
    assert places(fleet.search("sign the session cookie"))[0][0] == "shop"


def test_a_model_that_is_taken_away_leaves_a_table_without_vectors(
    fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackdown.fleet.table._WORTH_AN_INDEX", 1)
    fleet.settings = replace(fleet.settings, models="packaged")
    fleet.sync()
    fleet.settings = replace(fleet.settings, models="none")
    assert set(fleet.sync().built) == set(fleet.repositories)
    assert places(fleet.search("sign the session cookie"))[0][0] == "shop"


def test_equal_content_is_built_once(fleet: SmallFleet) -> None:
    fleet.sync()
    fleet.repositories["shop"].git("clone", "-q", ".", str(fleet.folder / "twin"))
    fleet.write(shop=["open"], twin=["open"])
    report = fleet.sync()
    assert (report.built, set(report.reused), set(report.removed)) == ((), {"shop", "twin"}, {"bank", "maps"})
    assert len(list((fleet.folder / "place" / "shards").iterdir())) == 3
    assert {name for name, _, _ in places(fleet.search("sign the session cookie"))} == {"shop", "twin"}


def test_a_url_is_cloned_by_the_builder(fleet: SmallFleet) -> None:
    url = fleet.repositories["bank"].root.as_uri()
    fleet.file.write_text(f'place = "place"\n[[repositories]]\nurl = "{url}"\nname = "far"\n', "utf-8")
    assert fleet.sync().built == ("far",)
    commit = fleet.repositories["bank"].commit("Move", {"src/more.go": "package ledger\n\nfunc Close() {\n}\n"})
    assert fleet.sync().built == ("far",) and manifest_of(fleet) == {"far": commit}


def test_a_broken_repository_is_a_line_and_what_it_had_stays(fleet: SmallFleet) -> None:
    fleet.sync()
    (fleet.folder / "empty").mkdir()
    fleet.write(shop=["open"], bank=["closed"], maps=["open"], empty=["open"], gone=["open"])
    shop = fleet.repositories["shop"]
    shop.commit("More", {"more.py": "def more():\n    return 1\n"})
    for pack in (shop.root / ".git" / "objects").glob("[0-9a-f][0-9a-f]/*"):
        if pack.stat().st_size < 90:
            pack.chmod(0o600)
            pack.write_bytes(b"broken")
    report = fleet.sync()
    assert set(report.problems) == {"empty", "gone", "shop"}
    assert all("\n" not in message for message in report.problems.values())
    state = {one.name: one for one in fleet_state(read_fleet(fleet.file)).repositories}
    assert state["gone"].state == "failed" and "no such file" in state["gone"].problem
    assert state["shop"].state == "failed" and state["shop"].units
    assert places(fleet.search("sign the session cookie"))[0] == ("shop", "web/session.py", "sign_cookie")


def test_what_is_removed_or_moves_to_another_group_leaves_the_table(fleet: SmallFleet) -> None:
    fleet.sync()
    fleet.write(shop=["closed"], bank=["closed"])
    assert fleet.sync().removed == ("maps",)
    with fleet.opened("open") as opened:
        assert opened.names == ()
    assert set(fleet.opened("closed").names) == {"bank", "shop"}


def test_rows_that_a_dead_writer_left_are_repaired(fleet: SmallFleet) -> None:
    fleet.sync()
    place = Place(read_fleet(fleet.file).address)
    table = GroupTables(place).open("open")
    table.delete("repository = 'maps'")
    table.add(table.to_arrow())  # all rows of shop twice, and none of maps
    fleet.repositories["maps"].commit("Move", {"b.rb": "def longest_route\nend\n"})
    fleet.sync()
    latest = read_latest(place)
    table = GroupTables(place).open("open", latest.tables["open"])
    rows = table.to_arrow().to_pydict()
    expected = {name: latest.repositories[name].built for name in ("maps", "shop")}
    assert {name: rows["repository"].count(name) for name in expected} == {
        name: built.rows for name, built in expected.items()
    }
    assert set(zip(rows["repository"], rows["key"], strict=True)) == {(name, one.key) for name, one in expected.items()}


def test_a_reader_keeps_its_state_while_a_sync_publishes(fleet: SmallFleet) -> None:
    fleet.sync()
    with fleet.opened() as opened:
        before = places(opened.search("sign the session cookie", effort="fast"))
        table = GroupTables(Place(read_fleet(fleet.file).address)).open("open", 6)
        count = table.count_rows()
        fleet.write(bank=["closed"])
        fleet.sync()
        assert table.count_rows() == count
    assert before[0][0] == "shop" and fleet.opened().names == ("bank",)


def test_two_syncs_at_once_agree(fleet: SmallFleet) -> None:
    errors: list[BaseException] = []

    def run() -> None:
        try:
            fleet.sync()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert set(manifest_of(fleet)) == set(SOURCES)
    assert places(fleet.search("book a transfer"))[0][0] == "bank"


def test_a_slow_sync_undoes_nothing_that_a_later_one_published(
    fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.write(shop=["open"], bank=["open"], maps=["open"])
    fleet.sync()
    fleet.repositories["shop"].commit("Move", {"web/old.py": "def old():\n    return 1\n"})
    slow = fleet.repositories["bank"].commit("Move", {"src/more.go": "package ledger\n\nfunc Close() {\n}\n"})
    build_all = syncing.build_all
    newest: list[str] = []

    def slowly(tasks: Sequence[BuildTask], *more: Any) -> Iterator[tuple[BuildTask, Outcome]]:
        yield from build_all(tasks, *more)
        if not newest:
            newest.append(fleet.repositories["shop"].commit("Move on", {"web/new.py": "def new():\n    return 2\n"}))
            fleet.repository("tool", {"a.py": "def tool():\n    return 3\n"})
            fleet.write(shop=["open"], bank=["closed"], tool=["open"])
            fleet.repositories["bank"].git("reset", "-q", "--hard", "HEAD~1")
            fleet.sync()

    monkeypatch.setattr(syncing, "build_all", slowly)
    report = fleet.sync()
    latest = read_latest(Place(read_fleet(fleet.file).address))
    assert {name: one.groups for name, one in latest.repositories.items()} == {
        "shop": ["open"],
        "bank": ["closed"],
        "tool": ["open"],
    }
    assert manifest_of(fleet)["shop"] == newest[0]
    assert manifest_of(fleet)["bank"] == slow  # nobody else built it meanwhile
    assert (report.number, report.removed) == (3, ("maps",))


def test_a_name_that_goes_to_another_repository_does_not_publish_the_first(fleet: SmallFleet) -> None:
    fleet.sync()
    text = fleet.file.read_text().replace("path = \"bank\"\ngroups = ['closed']", 'path = "gone"\nname = "bank"')
    fleet.file.write_text(text, "utf-8")
    assert set(fleet.sync().problems) == {"bank"}
    assert set(manifest_of(fleet)) == {"shop", "maps"}


def test_old_objects_and_manifests_are_collected_after_the_grace_period(fleet: SmallFleet) -> None:
    fleet.sync()
    fleet.repositories["shop"].commit("Move", {"c.py": "def later():\n    return 2\n"})
    assert fleet.sync().collected.manifests == 0
    shards = fleet.folder / "place" / "shards"
    assert len(list(shards.iterdir())) == 4
    fleet.more = "grace_hours = 0"
    fleet.write(shop=["open"], bank=["closed"], maps=["open"])
    fleet.repositories["shop"].commit("Move on", {"c.py": "def latest():\n    return 3\n"})
    collected = fleet.sync().collected
    assert collected.manifests == 2 and len(list(shards.iterdir())) == 3
    assert manifest_numbers(Place(read_fleet(fleet.file).address)) == [3]
    assert places(fleet.search("latest"))[0][2] == "latest"


def _age(folder: Path) -> None:
    long_ago = time.time() - 48 * 3600
    for file in folder.rglob("*"):
        os.utime(file, (long_ago, long_ago))


def test_what_another_sync_collected_meanwhile_is_built_again(
    fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.sync()
    place = Place(read_fleet(fleet.file).address)
    for name, repo in fleet.repositories.items():
        repo.commit("Move", {"moved.py": f"def moved_{name}():\n    return 1\n"})
    fleet.sync()  # leaves a record of what the long sync finds built
    newest = fleet.folder / "place" / "manifests" / "0000000002.json"
    newest.unlink()
    build_all = syncing.build_all
    rounds: list[int] = []

    def slow(tasks: Sequence[BuildTask], *more: Any) -> Iterator[tuple[BuildTask, Outcome]]:
        yield from build_all(tasks, *more)
        rounds.append(len(tasks))
        if len(rounds) == 1:
            _age(fleet.folder / "place")
            assert collect(place, 24.0).objects  # as another sync does at its end

    monkeypatch.setattr(syncing, "build_all", slow)
    fleet.repositories["shop"].commit("Move on", {"on.py": "def moved_on():\n    return 2\n"})
    report = fleet.sync()
    assert (rounds, set(report.built), report.problems) == ([1, 3], set(SOURCES), {})
    present = {one.path for kind in OBJECTS for one in place.listed(kind)}
    assert all(present.issuperset(one.built.objects) for one in read_latest(place).repositories.values())
    assert places(fleet.search("moved_on"))[0][2] == "moved_on"


def test_what_cannot_be_built_again_keeps_its_last_version(fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet.sync()
    before = manifest_of(fleet)
    build_all = syncing.build_all
    rounds: list[int] = []

    def failing(tasks: Sequence[BuildTask], *more: Any) -> Iterator[tuple[BuildTask, Outcome]]:
        rounds.append(len(tasks))
        if len(rounds) > 1:
            yield from ((task, BuildFailure("no room")) for task in tasks)
            return
        yield from build_all(tasks, *more)
        _age(fleet.folder / "place")
        collect(Place(read_fleet(fleet.file).address), 24.0)

    monkeypatch.setattr(syncing, "build_all", failing)
    fleet.repositories["shop"].commit("Move", {"on.py": "def moved_on():\n    return 2\n"})
    assert fleet.sync().problems == {"shop": "no room"} and manifest_of(fleet) == before
    assert places(fleet.search("sign the session cookie"))[0][0] == "shop"


def test_an_object_that_is_gone_is_built_by_the_next_sync(fleet: SmallFleet) -> None:
    fleet.sync()
    shard = read_latest(Place(read_fleet(fleet.file).address)).repositories["shop"].built.objects[0]
    (fleet.folder / "place" / shard).unlink()
    with pytest.raises(FleetError, match="lacks"):
        fleet.search("sign the session cookie", only=("shop",))
    assert fleet.sync().built == ("shop",)
    assert places(fleet.search("sign the session cookie"))[0][0] == "shop"


def test_objects_are_named_by_their_bytes(fleet: SmallFleet) -> None:
    fleet.sync()
    objects = [file for kind in OBJECTS for file in (fleet.folder / "place" / kind).iterdir()]
    assert len(objects) == 9 and all(file.stem == file_digest(file) for file in objects)


def test_a_damaged_object_is_not_served(fleet: SmallFleet) -> None:
    fleet.sync()
    for shard in (fleet.folder / "place" / "shards").iterdir():
        content = bytearray(shard.read_bytes())
        content[-20] ^= 255
        shard.write_bytes(content)
    with pytest.raises(FleetError, match="damaged"):
        fleet.search("sign the session cookie", only=("shop",))
    fleet.sync(rebuild=True)
    assert places(fleet.search("sign the session cookie"))[0][0] == "shop"


def test_a_place_that_cannot_be_written_says_so(fleet: SmallFleet, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    fleet.place = "file/below"
    fleet.write(shop=["open"])
    with pytest.raises(FleetError, match="failed"):
        fleet.sync()


@pytest.mark.parametrize("key", ["/etc", "../../other", "a" * 39, "A" * 40])
def test_a_manifest_cannot_name_folders_of_readers(fleet: SmallFleet, key: str) -> None:
    fleet.sync()
    place = Place(read_fleet(fleet.file).address)
    file = fleet.folder / "place" / "manifests" / f"{manifest_numbers(place)[-1]:010d}.json"
    file.write_text(file.read_text().replace(read_latest(place).repositories["shop"].built.key, key), "utf-8")
    with pytest.raises(FleetError, match="cannot be read"):
        fleet.search("sign the session cookie")


def test_what_was_read_goes_on_while_the_place_does_not_answer(fleet: SmallFleet) -> None:
    fleet.sync()
    with fleet.opened() as opened:
        before = opened.search("sign the session cookie", effort="fast")
        for manifest in (fleet.folder / "place" / "manifests").iterdir():
            manifest.write_bytes(b"{")
        after = opened.search("sign the session cookie", effort="fast")
    assert places(after) == places(before)
