"""A project on a code host, from the URL of a git remote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Api = Literal["github", "gitlab", "gitea"]
"""The kinds of trackers; Forgejo speaks Gitea's API."""
_SCP = re.compile(r"(?:[^@/:\s]+@)?([\w.-]{2,}):(?!//)(.+)")
_URL = re.compile(r"(https?|ssh|git|git\+ssh|ssh\+git)://(?:[^/]*@)?(\[[0-9a-fA-F:.]+\]|[^/:@]+)(:\d{1,5})?/(.+)", re.I)
_HOST = re.compile(r"\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?")
_PATH = re.compile(r"[\w.~+-]+(?:/[\w.~+-]+)+")
_LONGEST = 2000
_ALIASES = {
    "ssh.github.com": "github.com",
    "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "www.gitlab.com": "gitlab.com",
}
"""Other names of a host: ssh over port 443 has one of its own."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project: the address of its host, such as `https://github.com`, and its path there, such as `pallets/flask`."""

    server: str
    path: str

    @property
    def host(self) -> str:
        """The host's name, with its port if it has one."""
        return self.server.partition("://")[2]

    @property
    def name(self) -> str:
        """Host and path, for people."""
        return f"{self.host}/{self.path}"


def project_at(scheme: str, host: str, port: str, path: str) -> Project | None:
    """The project with this path on a host; None if they cannot be one. `port` is empty or begins with a colon."""
    host = host.lower().rstrip(".")
    host = _ALIASES.get(host, host)
    path = path.strip("/").removesuffix(".git")
    if not _HOST.fullmatch(host) or not _PATH.fullmatch(path) or {".", ".."} & set(path.split("/")):
        return None
    default = {"https": ":443", "http": ":80"}[scheme]
    return Project(f"{scheme}://{host}{'' if port == default else port}", path)


def project_of_remote(url: str) -> Project | None:
    """The project that a remote's URL leads to; None for a path, a file or a URL that names none.

    Over ssh or git the host is asked by https, at its usual port.
    """
    url = url.strip()
    if len(url) > _LONGEST:
        return None
    if found := _URL.fullmatch(url):
        scheme = found[1].lower()
        if scheme in ("http", "https"):
            return project_at(scheme, found[2], found[3] or "", found[4])
        return project_at("https", found[2], "", found[4])
    if "://" not in url and (found := _SCP.fullmatch(url)):
        return project_at("https", found[1], "", found[2])
    return None
