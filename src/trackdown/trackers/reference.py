"""The ways to name an issue: `5049`, `#5049`, `!12`, `owner/repo#5049`, `host/owner/repo#5049`, or its address."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from trackdown.trackers.project import Api, Project, project_at

_LONGEST = 2000
_NUMBER = re.compile(r"([#!]?)0*([1-9][0-9]{0,9})")
_NAMED = re.compile(r"(?P<path>[\w.~+:-]+(?:/[\w.~+-]+)+)(?P<mark>[#!])0*(?P<number>[1-9][0-9]{0,9})")
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?:[^/@]*@)?(?P<host>\[[0-9a-f:.]+\]|[^/:@]+)(?P<port>:\d{1,5})?/(?P<path>[^?#]*)"
    r"(?:[?#].*)?",
    re.I | re.S,
)
_PAGE = re.compile(
    r"(?P<path>[^/]+(?:/[^/]+)+?)(?P<dash>/-)?"
    r"/(?P<page>issues/incident|issues|work_items|merge_requests|pulls?)/(?P<number>[1-9][0-9]{0,9})(?:/.*)?",
    re.S,
)
_API_OF_PAGE: dict[str, Api] = {"work_items": "gitlab", "merge_requests": "gitlab", "pull": "github", "pulls": "gitea"}
_MERGES = ("merge_requests", "pull", "pulls")


@dataclass(frozen=True, slots=True)
class IssueReference:
    """An issue, a pull request or a merge request by its number.

    `server` and `path` are empty if the name has none. `merge` says that it names a pull or merge request. `api` is
    the kind of host that an address reveals, if it does.
    """

    number: int
    merge: bool = False
    path: str = ""
    server: str = ""
    api: Api | None = None

    @property
    def mark(self) -> str:
        """The number as people write it: `#5049` or `!12`."""
        return f"{'!' if self.merge else '#'}{self.number}"

    @property
    def project(self) -> Project | None:
        """The project, if the name has all of it."""
        return Project(self.server, self.path) if self.server else None

    def within(self, project: Project | None) -> IssueReference | None:
        """The same with what it lacks taken from a project: its host, or host and path. None if it lacks that, too."""
        if self.server:
            return self
        if self.path:
            return replace(self, server=project.server if project is not None else "https://github.com")
        return replace(self, server=project.server, path=project.path) if project is not None else None


def parse_reference(text: str) -> IssueReference | None:
    """The issue that a text names; None if it is no such name."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if found := _NUMBER.fullmatch(text):
        return IssueReference(int(found[2]), found[1] == "!")
    if found := _NAMED.fullmatch(text):
        return _named(found)
    found = _ADDRESS.fullmatch(text)
    page = _PAGE.fullmatch(found["path"]) if found else None
    if found is None or page is None:
        return None
    project = project_at(found["scheme"].lower(), found["host"], found["port"] or "", page["path"])
    if project is None:
        return None
    kind = "gitlab" if page["dash"] else _API_OF_PAGE.get(page["page"])
    return IssueReference(int(page["number"]), page["page"] in _MERGES, project.path, project.server, kind)


def _named(found: re.Match[str]) -> IssueReference | None:
    """A name with a path: a first part with a dot or a port before two others is a host."""
    first, _, rest = found["path"].partition("/")
    number, merge = int(found["number"]), found["mark"] == "!"
    if "/" in rest and re.search(r"[.:]", first):
        host, colon, port = first.partition(":")
        project = project_at("https", host, colon + port, rest) if not colon or port.isdecimal() else None
        return IssueReference(number, merge, project.path, project.server) if project is not None else None
    project = project_at("https", "github.com", "", found["path"])  # any host: which one is not known yet
    return IssueReference(number, merge, project.path) if project is not None else None
