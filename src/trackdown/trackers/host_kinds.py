"""Which kind of tracker a host runs, and where its API is.

Some hosts everybody knows. Others are named by the variables that the tools of GitHub, GitLab and Gitea read, or their
name says it. Any other host is asked, without a token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trackdown.errors import TrackerError
from trackdown.trackers.project import Api, Project

HOST_VARIABLES: dict[Api, tuple[str, ...]] = {
    "github": ("GH_HOST", "GITHUB_SERVER_URL"),
    "gitlab": ("GITLAB_HOST", "GITLAB_URI", "GL_HOST", "CI_SERVER_URL"),
    "gitea": ("GITEA_SERVER_URL", "GITEA_HOST", "FORGEJO_SERVER_URL", "FORGEJO_HOST"),
}
"""The variables that name a host of each kind, by address or name."""
_KNOWN: dict[str, Api] = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "gitea.com": "gitea",
    "codeberg.org": "gitea",
}
_NAMES: tuple[tuple[str, Api], ...] = (
    ("github", "github"),
    ("ghe", "github"),
    ("gitlab", "gitlab"),
    ("gitea", "gitea"),
    ("forgejo", "gitea"),
)
"""A part of a host's name → its kind."""
_ROOTS: dict[Api, str] = {"github": "/api/v3", "gitlab": "/api/v4", "gitea": "/api/v1"}
_OTHER_HOSTS = frozenset("bitbucket.org dev.azure.com ssh.dev.azure.com git.sr.ht sr.ht".split())
"""Hosts whose trackers speak none of the three."""

_ADDRESS = re.compile(r"(?:(https?)://)?((?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)(/[\w./~-]*)?")

Question = Callable[[str], tuple[int, Any]]
"""Asks for an address without a token. Returns the status and the JSON of the answer, None if it is none."""


@dataclass(frozen=True, slots=True)
class Tracker:
    """A host's tracker: its kind, its address, the project's path below that, and the address of its API."""

    api: Api
    server: str
    path: str

    @property
    def host(self) -> str:
        """The host's name, with its port and the folder that the program is installed in, if there are any."""
        return self.server.partition("://")[2]

    @property
    def root(self) -> str:
        """Where the API is."""
        scheme, _, host = self.server.partition("://")
        if self.api == "github" and (host == "github.com" or host.endswith(".ghe.com")):
            return f"{scheme}://api.{host}"
        return f"{self.server}{_ROOTS[self.api]}"


def server_address(value: str) -> str:
    """The address of a host that a variable names by address or by name; '' if it names none."""
    found = _ADDRESS.fullmatch(value.strip())
    return f"{found[1] or 'https'}://{found[2].lower()}{(found[3] or '').rstrip('/')}" if found else ""


def tracker_of(project: Project, api: Api | None, variables: Mapping[str, str], ask: Question | None) -> Tracker:
    """The tracker of a project. `api` is its kind if that is known; `ask` is None if the host must not be asked.

    Raises TrackerError if the host has none of the three kinds.
    """
    for named, address in _named(variables):
        if (below := _path_at(address, project)) is not None:
            return Tracker(named, address, below)
    kind = api or _kind_by_name(project.host)
    if kind is None and ask is not None and project.host not in _OTHER_HOSTS:
        kind = _kind_by_answer(project.server, ask)
    if kind is None:
        raise TrackerError(
            f"{project.host} is not known as GitHub, GitLab, Gitea or Forgejo: if it is, set GH_HOST, GITLAB_HOST or "
            "GITEA_SERVER_URL to it; otherwise save the issue's text to a file"
        )
    return Tracker(kind, project.server, project.path)


def _named(variables: Mapping[str, str]) -> list[tuple[Api, str]]:
    """The hosts that variables name. In a workflow of Gitea or Forgejo, GITHUB_SERVER_URL is theirs."""
    found: list[tuple[Api, str]] = []
    for kind, names in HOST_VARIABLES.items():
        for name in names:
            address = server_address(variables.get(name, ""))
            if address:
                found.append(("gitea" if name == "GITHUB_SERVER_URL" and in_gitea(variables) else kind, address))
    return found


def in_gitea(variables: Mapping[str, str]) -> bool:
    """Whether this is a workflow of Gitea or Forgejo, which use GitHub's variables for their own host."""
    return any(variables.get(name) == "true" for name in ("GITEA_ACTIONS", "FORGEJO_ACTIONS"))


def _path_at(address: str, project: Project) -> str | None:
    """The path of a project below an address that a variable names; None if it is on another host.

    The address may have a port and a folder that a remote over ssh doesn't show.
    """
    netloc, _, folder = address.partition("://")[2].partition("/")
    if project.host not in (netloc, re.sub(r":\d+$", "", netloc)):
        return None
    below = project.path.removeprefix(f"{folder}/") if folder else project.path
    return below if "/" in below else None


def _kind_by_name(host: str) -> Api | None:
    if host in _KNOWN:
        return _KNOWN[host]
    parts = re.split(r"[.:-]", host)
    return next((kind for name, kind in _NAMES if name in parts), None)


def _kind_by_answer(server: str, ask: Question) -> Api | None:
    """Ask a host for what only one kind of tracker answers. Raises TrackerError if it cannot be reached."""
    status, value = ask(f"{server}{_ROOTS['gitea']}/version")
    if status == 200 and isinstance(value, dict) and isinstance(value.get("version"), str):
        return "gitea"
    status, value = ask(f"{server}{_ROOTS['gitlab']}/version")  # without a token, GitLab answers 401 in JSON
    if status in (200, 401) and isinstance(value, dict) and ("version" in value or "message" in value):
        return "gitlab"
    status, value = ask(f"{server}{_ROOTS['github']}/meta")
    is_github = isinstance(value, dict) and ("verifiable_password_authentication" in value or "message" in value)
    return "github" if status in (200, 401) and is_github else None
