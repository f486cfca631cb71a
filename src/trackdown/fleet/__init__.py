"""Many repositories as one: shards in a shared place, tables of candidates, and searches in the best repositories."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.fleet.cluster import ClusterOptions
    from trackdown.fleet.definition import DEFAULT_GROUP, LARGEST_FILE_KB, Fleet, FleetEntry, read_fleet
    from trackdown.fleet.edit import add_entries, create_fleet, remove_entries
    from trackdown.fleet.manifest import FleetManifest, PublishedShard
    from trackdown.fleet.members import Member, find_members
    from trackdown.fleet.place import Place
    from trackdown.fleet.reader import FleetReader
    from trackdown.fleet.repositories import FleetRepositories, FleetSearch
    from trackdown.fleet.state import FleetState, MemberState, fleet_state
    from trackdown.fleet.syncing import SyncOptions, SyncReport, sync
    from trackdown.fleet.tokens import TokenGrant, grant_for, read_grants
else:
    __getattr__ = door(__name__)
