"""The place on an S3 server: the same answers as from a folder, and faults that harm nothing."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from tests.fleet.faulty_proxy import Fault, FaultyProxy
from tests.fleet.fleets import SmallFleet, needs_extra, places
from tests.fleet.s3 import KEYS, s3_server
from trackdown.errors import FleetError
from trackdown.fleet import Place, place, read_fleet
from trackdown.fleet.manifest import read_latest
from trackdown.fleet.table import GroupTables

pytestmark = [needs_extra, pytest.mark.slow]
GROUPS = {"shop": ["open"], "bank": ["closed"], "maps": ["open"]}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server("bucket") as url:
        yield url


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


def test_a_bucket_answers_as_a_folder_does(fleet: SmallFleet, server: str) -> None:
    fleet.sync()
    queries = ("sign the session cookie", "BookTransfer", "no road leads there")
    before = [fleet.search(query, look_into=2) for query in queries]
    fleet.place, fleet.more = "s3://bucket/same", f'endpoint = "{server}"'
    fleet.write(**GROUPS)
    report = fleet.sync()
    assert (report.number, len(report.built), report.problems) == (1, 3, {})
    for query, expected in zip(queries, before, strict=True):
        found = fleet.search(query, look_into=2)
        assert (found.results, found.notes) == (expected.results, expected.notes)
    again = fleet.sync()
    assert (again.number, again.built) == (1, ())


def test_a_number_is_published_once(fleet: SmallFleet, server: str) -> None:
    fleet.place, fleet.more = "s3://bucket/once", f'endpoint = "{server}"'
    fleet.write(**GROUPS)
    place = Place(read_fleet(fleet.file).address)
    assert place.create("manifests/0000000009.txt", b"one") and not place.create("manifests/0000000009.txt", b"two")
    assert place.read("manifests/0000000009.txt") == b"one"


def test_faults_of_the_store_leave_what_was_published(
    fleet: SmallFleet, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    retries = {"max_retries": 1, "retry_timeout": timedelta(seconds=2)}
    monkeypatch.setattr("trackdown.fleet.place._RETRIES", retries)
    proxy = FaultyProxy(server)
    fleet.place, fleet.more = "s3://bucket/faults", f'endpoint = "{proxy.url}"'
    fleet.write(**GROUPS)
    fleet.sync()
    fleet.repositories["shop"].commit("Move", {"web/more.py": "def forget_cookie():\n    return None\n"})
    proxy.begin(Fault("refuse"))
    with pytest.raises(FleetError, match="failed"):
        fleet.sync()
    proxy.heal()
    proxy.begin(Fault("cut", cut_after=3000))
    with pytest.raises(FleetError, match="failed"):
        fleet.sync()
    proxy.heal()
    assert read_latest(Place(read_fleet(fleet.file).address)).number == 1
    assert places(fleet.search("sign the session cookie"))[0][0] == "shop"
    proxy.begin(Fault("slow", pause=0.01))
    assert fleet.sync().built == ("shop",)
    assert places(fleet.search("forget the cookie"))[0][2] == "forget_cookie"
    proxy.close()


def test_a_store_that_hangs_costs_a_limited_time_and_a_line(
    fleet: SmallFleet, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same limits as ever, with half a second for a request instead of 15."""
    monkeypatch.setattr(place, "_RETRIES", {"max_retries": 1, "retry_timeout": timedelta(seconds=0.5)})
    monkeypatch.setattr(place, "_CLIENT", {**place._CLIENT, "read_timeout": "0.5s"})
    monkeypatch.setattr(place, "_TABLES", {**place._TABLES, "timeout": "500ms", "client_retry_timeout": "0"})
    proxy = FaultyProxy(server)
    fleet.place, fleet.more = "s3://bucket/hangs", f'endpoint = "{proxy.url}"'
    fleet.write(**GROUPS)
    fleet.sync()
    at = Place(read_fleet(fleet.file).address)
    built = read_latest(at).repositories["shop"].built
    with fleet.opened() as opened:
        expected = opened.search("sign the session cookie", effort="fast")
        shutil.rmtree(fleet.folder / "reader")
        asked: list[Callable[[], object]] = [
            lambda: at.read("manifests/0000000001.json"),
            lambda: at.listed("manifests"),
            lambda: at.write("probe", b"value"),
            lambda: at.download(built.objects[0], fleet.folder / "copy", built.shard_sha256),
            lambda: GroupTables(at).open("open"),
            lambda: opened.search("book a transfer", effort="fast"),
            fleet.sync,
        ]
        for ask in asked:
            proxy.begin(Fault("hang"))
            started = time.monotonic()
            with pytest.raises(FleetError, match="failed: "):
                ask()
            assert time.monotonic() - started < 20
            proxy.heal()
        assert opened.search("sign the session cookie", effort="fast").results == expected.results
    proxy.close()
