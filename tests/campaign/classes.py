"""The classes of the campaign, with the share of cases that each gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.campaign import (
    damage,
    endpoints,
    grown_sources,
    hostile_repositories,
    http_requests,
    kills,
    mcp_http,
    mcp_messages,
    refused_io,
    side_by_side,
)
from tests.campaign.scene import CaseRun


def _nothing() -> str:
    return ""


@dataclass(frozen=True)
class FaultClass:
    """How a class runs a case, how many of all cases it gets, and what it lacks on this machine, if anything."""

    run: CaseRun
    share: int
    lacks: Callable[[], str] = _nothing


CLASSES: dict[str, FaultClass] = {
    "kills": FaultClass(kills.run, 6),
    "damage": FaultClass(damage.run, 6),
    "io": FaultClass(refused_io.run, 4, refused_io.lacks),
    "side by side": FaultClass(side_by_side.run, 4),
    "hostile": FaultClass(hostile_repositories.run, 6),
    "grammar": FaultClass(grown_sources.run, 4),
    "http": FaultClass(http_requests.run, 6),
    "mcp": FaultClass(mcp_messages.run, 2),
    "mcp http": FaultClass(mcp_http.run, 2),
    "endpoints": FaultClass(endpoints.run, 4),
}
