"""Adapters by name."""

from __future__ import annotations

from trackdown.errors import UsageError
from trackdown.lab.mine.archives.bugzilla import BUGZILLA
from trackdown.lab.mine.archives.github import GITHUB
from trackdown.lab.mine.archives.issue import Adapter
from trackdown.lab.mine.archives.jira import JIRA
from trackdown.lab.mine.archives.redmine import REDMINE
from trackdown.lab.mine.archives.swe import SWE
from trackdown.lab.mine.archives.table import TABLE
from trackdown.lab.mine.archives.trac import TRAC
from trackdown.lab.mine.archives.youtrack import YOUTRACK

ADAPTERS = {adapter.name: adapter for adapter in (GITHUB, JIRA, TRAC, BUGZILLA, REDMINE, YOUTRACK, TABLE, SWE)}


def adapter_named(name: str) -> Adapter:
    """The adapter of this name. Raises UsageError that lists all if there is none."""
    if name not in ADAPTERS:
        raise UsageError(f"there is no adapter {name!r}: choose one of {', '.join(ADAPTERS)}")
    return ADAPTERS[name]
