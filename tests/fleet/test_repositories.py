"""What a server lists of a fleet costs as much for each repository, however many there are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.fleet.fleets import SmallFleet, needs_extra
from trackdown.fleet import FleetReader, PublishedShard

pytestmark = needs_extra


def test_a_list_of_all_repositories_copies_what_is_published_once(
    fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.sync()
    published, calls = FleetReader.published, list[int]()

    def counted(self: FleetReader, groups: Sequence[str] = ()) -> dict[str, PublishedShard]:
        calls.append(1)
        return published(self, groups)

    monkeypatch.setattr(FleetReader, "published", counted)
    with fleet.opened() as opened:
        assert [(one.name, one.state.ready) for one in opened.places()] == [
            ("bank", True),
            ("maps", True),
            ("shop", True),
        ]
        assert len(calls) == 1
        calls.clear()
        assert [opened.status(name).files + opened.state(name).files for name in opened.names] == [2, 2, 2]
        assert len(calls) == 1
