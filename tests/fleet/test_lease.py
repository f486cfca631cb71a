"""One writer at a time, and one that slept finds out that it is no longer the one."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from tests.fleet.fleets import SmallFleet, needs_extra
from trackdown.errors import FleetError
from trackdown.fleet import Place, lease, publishing, read_fleet
from trackdown.fleet.definition import PlaceAddress
from trackdown.fleet.lease import Lease, writing
from trackdown.fleet.manifest import read_latest

pytestmark = needs_extra


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(PlaceAddress(tmp_path.as_uri()))


def taken_over(place: Place) -> None:
    """Another writer takes the lease, as it does when its holder has slept past its end."""
    place.write("writer.lease", msgspec.json.encode(Lease("another", time.time() + 60)))


def test_a_lease_is_held_until_it_is_given_back(place: Place) -> None:
    with writing(place) as is_held:
        assert is_held()
        with pytest.raises(FleetError, match="another sync is publishing"), writing(place, longest_wait=0):
            pass
    assert not is_held()
    with writing(place, longest_wait=0):
        pass


class _LosesAnswers(Place):
    """A place whose answer to a conditional write is lost; the repeated request finds the object there."""

    def create(self, path: str, value: bytes) -> bool:
        return super().create(path, value) and super().create(path, value)


def test_a_lease_whose_answer_was_lost_is_held(tmp_path: Path) -> None:
    place = _LosesAnswers(PlaceAddress(tmp_path.as_uri()))
    with writing(place, longest_wait=0) as is_held:
        assert is_held()
    assert place.read("writer.lease") is None


def test_a_holder_that_slept_neither_renews_nor_ends_the_lease_of_another(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "_RENEW", 0.01)
    with writing(place) as is_held:
        taken_over(place)
        time.sleep(0.1)
        assert not is_held()
    assert b"another" in (place.read("writer.lease") or b"")


def test_a_sync_that_slept_publishes_nothing(fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(read_fleet(fleet.file).address)
    fleet.sync()
    number = read_latest(place).number
    fleet.repositories["shop"].commit("Check it", {"web/check.py": "def verify():\n    return 1\n"})
    bring_to = publishing.GroupTables.bring_to

    def slowly(self: publishing.GroupTables, *arguments: object) -> int:
        taken_over(place)
        return bring_to(self, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(publishing.GroupTables, "bring_to", slowly)
        with pytest.raises(FleetError, match=r"another sync took over at .* while this one slept: run it again"):
            fleet.sync()
    assert read_latest(place).number == number
    place.delete(["writer.lease"])
    assert fleet.sync().number == number + 1
