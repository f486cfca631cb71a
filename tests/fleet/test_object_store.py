"""The place on an S3 server: the same answers as from a folder, and faults that harm nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.fleet.fleets import SmallFleet, needs_extra, places
from tests.fleet.s3 import KEYS, FaultyProxy, s3_server
from trackdown.errors import FleetError
from trackdown.fleet import Place, read_fleet
from trackdown.fleet.manifest import read_latest

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
    proxy.refuses = True
    with pytest.raises(FleetError, match="failed"):
        fleet.sync()
    proxy.refuses, proxy.cut_after = False, 3000
    with pytest.raises(FleetError, match="failed"):
        fleet.sync()
    proxy.cut_after = None
    assert read_latest(Place(read_fleet(fleet.file).address)).number == 1
    assert places(fleet.search("sign the session cookie"))[0][0] == "shop"
    proxy.delay = 0.01
    assert fleet.sync().built == ("shop",)
    assert places(fleet.search("forget the cookie"))[0][2] == "forget_cookie"
    proxy.close()
