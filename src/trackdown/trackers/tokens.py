"""Which token may go to which host.

A token belongs to one host: to the one that a variable beside it names, or else to the public one that it is known for.
It goes nowhere else, and only over https or to this machine.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from trackdown.errors import UsageError
from trackdown.network import is_this_machine
from trackdown.trackers.host_kinds import HOST_VARIABLES, Tracker, in_gitea, server_address
from trackdown.trackers.project import Api

_GH_SECONDS = 5.0
_LONGEST_TOKEN = 4096


@dataclass(frozen=True, slots=True)
class TokenRule:
    """Variables with a token, those that name its host, and the host it belongs to if none does."""

    api: Api
    tokens: tuple[str, ...]
    hosts: tuple[str, ...]
    default: str = ""


_RULES = (
    TokenRule("github", ("GH_TOKEN", "GITHUB_TOKEN"), ("GITHUB_SERVER_URL",), "github.com"),
    TokenRule("github", ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"), ("GH_HOST",)),
    TokenRule("gitlab", ("GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN"), HOST_VARIABLES["gitlab"], "gitlab.com"),
    TokenRule("gitea", ("GITEA_TOKEN", "GITEA_SERVER_TOKEN"), ("GITEA_SERVER_URL", "GITEA_HOST"), "gitea.com"),
    TokenRule("gitea", ("FORGEJO_TOKEN",), ("FORGEJO_SERVER_URL", "FORGEJO_HOST"), "codeberg.org"),
)
_IN_GITEA = TokenRule("gitea", ("GITEA_TOKEN", "FORGEJO_TOKEN", "GITHUB_TOKEN"), ("GITHUB_SERVER_URL",))


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token, empty if there is none, and where it came from or why there is none, in words."""

    value: str = field(repr=False)
    origin: str

    def header(self, api: Api) -> dict[str, str]:
        """The header that carries it."""
        if not self.value:
            return {}
        return {"Authorization": f"{'token' if api == 'gitea' else 'Bearer'} {self.value}"}


def token_for(tracker: Tracker, variables: Mapping[str, str]) -> ApiToken:
    """The token that belongs to a tracker's host. Raises UsageError for one that cannot be sent in a header."""
    if not (tracker.server.startswith("https://") or is_this_machine(urlsplit(tracker.server).hostname or "")):
        return ApiToken("", "no token is sent, because the connection is not encrypted")
    for rule in _rules(variables):
        if rule.api == tracker.api and _host_of(rule, variables) == _netloc(tracker.server):
            for name in rule.tokens:
                if variables.get(name):
                    return ApiToken(_checked(variables[name], name), name)
    if tracker.api == "github":
        value = _ask_gh(tracker.host)
        if value:
            return ApiToken(value, "gh")
    return ApiToken("", _advice(tracker))


def token_variables() -> dict[str, tuple[str, ...]]:
    """The kinds of hosts, each with the variables that may hold its token."""
    titles = {"github": "GitHub", "gitlab": "GitLab", "gitea": "Gitea, Forgejo"}
    return {
        title: tuple(name for rule in _RULES if rule.api == api for name in rule.tokens)
        for api, title in titles.items()
    }


def _rules(variables: Mapping[str, str]) -> tuple[TokenRule, ...]:
    return (_IN_GITEA, *_RULES[1:]) if in_gitea(variables) else _RULES


def _host_of(rule: TokenRule, variables: Mapping[str, str]) -> str:
    """The host that a rule's tokens belong to."""
    named = next((variables[name] for name in rule.hosts if variables.get(name)), "")
    return _netloc(server_address(named)) if named else rule.default


def _netloc(address: str) -> str:
    return address.partition("://")[2].partition("/")[0]


def _checked(value: str, name: str) -> str:
    value = value.strip()
    if not (value.isascii() and value.isprintable() and " " not in value and len(value) <= _LONGEST_TOKEN):
        raise UsageError(f"{name} is not a token: it has spaces or other characters that a token cannot have")
    return value


def _ask_gh(host: str) -> str:
    """The token that the user gave to GitHub's `gh` for this host; '' if there is none.

    gh would answer with the token of a variable for every host, so it doesn't see those.
    """
    hidden = {name for rule in _RULES for name in rule.tokens}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    command = ["gh", "auth", "token", f"--hostname={host}"]
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_GH_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return ""
    token = done.stdout[: _LONGEST_TOKEN + 1].decode("ascii", "replace").strip()
    return token if done.returncode == 0 and token.isprintable() and len(token.split()) == 1 else ""


def _advice(tracker: Tracker) -> str:
    """How to give a token for a host."""
    host = tracker.host
    if tracker.api == "github":
        if host == "github.com":
            return "set GITHUB_TOKEN, or log in with `gh auth login`"
        return f"set GH_HOST={host} and GH_ENTERPRISE_TOKEN, or log in with `gh auth login --hostname {host}`"
    if tracker.api == "gitlab":
        return "set GITLAB_TOKEN" if host == "gitlab.com" else f"set GITLAB_HOST={host} and GITLAB_TOKEN"
    return "set GITEA_TOKEN" if host == "gitea.com" else f"set GITEA_SERVER_URL={tracker.server} and GITEA_TOKEN"
