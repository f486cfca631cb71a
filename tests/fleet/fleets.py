"""Small fleets on disk, synced in this process."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo
from trackdown.fleet import (
    ClusterOptions,
    FleetReader,
    FleetRepositories,
    FleetSearch,
    Place,
    SyncOptions,
    SyncReport,
    read_fleet,
    sync,
)
from trackdown.settings import Settings
from trackdown.types import SearchResults

needs_extra = pytest.mark.skipif(find_spec("lancedb") is None, reason="needs trackdown[fleet]")

_SESSION = """def sign_cookie(value, secret):
    'Sign the session cookie.'
    return value + secret
"""
_LEDGER = """package ledger

// Book a transfer between two accounts.
func BookTransfer(a int) int {
	return a
}
"""
_ROUTE = """def shortest_route(from, to)
  raise 'no road leads there from here' if from == to
end
"""
SOURCES = {"shop": {"web/session.py": _SESSION}, "bank": {"src/ledger.go": _LEDGER}, "maps": {"route.rb": _ROUTE}}


@dataclass
class SmallFleet:
    """A fleet in a folder: repositories, fleet.toml and a place."""

    folder: Path
    settings: Settings
    repositories: dict[str, Repo] = field(default_factory=dict)
    place: str = "place"
    more: str = ""

    @property
    def file(self) -> Path:
        return self.folder / "fleet.toml"

    def repository(self, name: str, files: dict[str, str] | None = None) -> Repo:
        """Make a repository with a commit."""
        repo = self.repositories[name] = Repo(self.folder / name)
        repo.commit(f"Begin the {name}", files or SOURCES[name])
        return repo

    def write(self, **groups: list[str]) -> None:
        """Write fleet.toml with these repositories and their groups."""
        entries = [f'[[repositories]]\npath = "{name}"\ngroups = {own!r}\n' for name, own in groups.items()]
        self.file.write_text("\n".join([f'place = "{self.place}"', self.more, *entries]), "utf-8")

    def sync(self, **options: Any) -> SyncReport:
        """Sync, in this process unless a cluster is given."""
        asked = SyncOptions(**{"cluster": ClusterOptions(workers=0), **options})
        return sync(read_fleet(self.file), self.settings, asked)

    def opened(self, *groups: str) -> FleetRepositories:
        """The fleet for a reader of some groups, or of all; with a cache of its own."""
        own = replace(self.settings, store=self.folder / "reader")
        reader = FleetReader(Place(read_fleet(self.file).address), own, groups or None, fresh_seconds=0.0)
        return FleetRepositories(reader, own)

    def search(
        self, query: str, *groups: str, look_into: int | None = None, only: tuple[str, ...] = (), **more: Any
    ) -> SearchResults:
        """Search as a reader of some groups."""
        with self.opened(*groups) as opened:
            return opened.search(query, effort="fast", fleet=FleetSearch(only, look_into), **more)


def places(answer: SearchResults) -> list[tuple[str, str, str]]:
    """Where the results are."""
    return [(one.repository, one.path, one.symbol) for one in answer]
