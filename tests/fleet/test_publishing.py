"""Tables that are damaged or lost are built again by the next sync, and readers find their way to the new ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fleet.fleets import SmallFleet, needs_extra, places
from trackdown.errors import FleetError
from trackdown.fleet import Place, read_fleet
from trackdown.fleet.manifest import FleetManifest, read_latest
from trackdown.fleet.table import GroupTables

pytestmark = needs_extra
QUERY = "sign the session cookie"
TABLE = Path("place/tables/open.lance")


def latest_of(fleet: SmallFleet) -> FleetManifest:
    return read_latest(Place(read_fleet(fleet.file).address))


def rows_of(fleet: SmallFleet) -> dict[str, int]:
    """Repository → its rows in the published table of the group open."""
    table = GroupTables(Place(read_fleet(fleet.file).address)).open("open", latest_of(fleet).tables["open"])
    names = table.to_arrow()["repository"].to_pylist()
    return {name: names.count(name) for name in sorted(set(names))}


def lose_the_table(table: Path) -> None:
    shutil.rmtree(table)


def lose_data(table: Path) -> None:
    for file in (table / "data").iterdir():
        file.unlink()


def cut_data(table: Path) -> None:
    for file in (table / "data").iterdir():
        file.write_bytes(file.read_bytes()[:-9])


def lose_an_index(table: Path) -> None:
    for file in (table / "_indices").glob("*/*"):
        file.unlink()


def lose_versions(table: Path) -> None:
    shutil.rmtree(table / "_versions")


def damage_versions(table: Path) -> None:
    for file in (table / "_versions").glob("*.manifest"):
        file.write_bytes(bytes(100))


DAMAGES = [lose_the_table, lose_data, cut_data, lose_an_index, lose_versions, damage_versions]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_built_again_though_nothing_moved(fleet: SmallFleet, damage: Callable[[Path], None]) -> None:
    fleet.sync()
    rows, answer = rows_of(fleet), places(fleet.search(QUERY))
    with fleet.opened() as opened:
        assert places(opened.search(QUERY, effort="fast")) == answer
        damage(fleet.folder / TABLE)
        report = fleet.sync()
        assert (report.number, report.built) == (2, ())
        assert places(opened.search(QUERY, effort="fast")) == answer
    assert rows_of(fleet) == rows and places(fleet.search(QUERY)) == answer
    assert fleet.sync().number == 2


def test_lost_deletions_change_the_digest_of_a_version(fleet: SmallFleet) -> None:
    fleet.sync()
    tables = GroupTables(Place(read_fleet(fleet.file).address))
    table = tables.open("open")
    table.delete("repository = 'maps'")
    digest = tables.files_digest("open", table.version)
    assert digest == tables.files_digest("open", table.version) != tables.files_digest("open", table.version - 1)
    shutil.rmtree(fleet.folder / TABLE / "_deletions")
    assert tables.files_digest("open", table.version) != digest


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_table_of_a_manifest_that_does_not_know_its_files_is_built_again(fleet: SmallFleet, is_lost: bool) -> None:
    fleet.sync()
    if is_lost:
        shutil.rmtree(fleet.folder / TABLE)
    file = fleet.folder / "place" / "manifests" / "0000000001.json"
    file.write_text(file.read_text().replace('"table_files"', '"unknown"'))
    assert not latest_of(fleet).table_files
    assert fleet.sync().number == 2 and set(latest_of(fleet).table_files) == {"open", "closed"}


def test_rebuild_builds_tables_whatever_the_manifest_says(fleet: SmallFleet) -> None:
    fleet.sync()
    rows = rows_of(fleet)
    for file in (fleet.folder / TABLE / "data").iterdir():
        content = file.read_bytes()
        file.write_bytes(bytes(len(content) // 2) + content[len(content) // 2 :])  # as long as before
    assert fleet.sync().number == 1  # its length is all that a sync looks at
    fleet.sync(rebuild=True)
    assert rows_of(fleet) == rows
    assert places(fleet.search(QUERY))[0][0] == "shop"


def test_old_versions_are_collected_after_a_table_began_anew(fleet: SmallFleet) -> None:
    fleet.sync()
    number = latest_of(fleet).number
    lose_the_table(fleet.folder / TABLE)
    fleet.sync()
    fleet.more = "grace_hours = 0"
    fleet.write(shop=["open"], bank=["closed"], maps=["open"])
    fleet.repositories["shop"].commit("Move", {"c.py": "def later():\n    return 2\n"})
    assert fleet.sync().collected.manifests == number + 1
    assert places(fleet.search("later"))[0][2] == "later"


def test_a_reader_says_in_one_line_that_a_table_is_damaged(fleet: SmallFleet) -> None:
    fleet.sync()
    lose_the_table(fleet.folder / TABLE)
    with pytest.raises(FleetError, match=r"the tables at .* failed"):
        fleet.search(QUERY, "open")
