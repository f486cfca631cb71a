"""A token goes to the host that it belongs to, and to no other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trackdown.errors import UsageError
from trackdown.trackers.host_kinds import Tracker
from trackdown.trackers.project import Api
from trackdown.trackers.tokens import token_for

ALL = {
    "GH_TOKEN": "gh",
    "GITHUB_TOKEN": "github",
    "GH_ENTERPRISE_TOKEN": "enterprise",
    "GITLAB_TOKEN": "gitlab",
    "GITEA_TOKEN": "gitea",
    "FORGEJO_TOKEN": "forgejo",
}


@pytest.fixture(autouse=True)
def _without_gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def token(api: Api, server: str, **variables: str) -> str:
    return token_for(Tracker(api, server, "a/b"), variables).value


@pytest.mark.parametrize(
    ("api", "server", "expected"),
    [
        ("github", "https://github.com", "gh"),
        ("github", "https://github.example.org", ""),
        ("github", "https://github.com.example.org", ""),
        ("github", "https://github.com:8443", ""),
        ("github", "http://github.com", ""),
        ("github", "https://acme.ghe.com", ""),
        ("gitlab", "https://gitlab.com", "gitlab"),
        ("gitlab", "https://gitlab.example.org", ""),
        ("gitlab", "https://github.com", ""),
        ("gitea", "https://gitea.com", "gitea"),
        ("gitea", "https://codeberg.org", "forgejo"),
        ("gitea", "https://git.example.org", ""),
    ],
)
def test_without_a_host_beside_it_a_token_goes_to_the_public_one_only(api: Api, server: str, expected: str) -> None:
    assert token(api, server, **ALL) == expected


def test_a_variable_beside_it_names_the_host_of_a_token() -> None:
    for name in ("GITLAB_HOST", "GITLAB_URI", "GL_HOST", "CI_SERVER_URL"):
        named = {**ALL, name: "https://git.example.org/"}
        assert token("gitlab", "https://git.example.org", **named) == "gitlab"
        assert token("gitlab", "https://gitlab.com", **named) == ""
    assert token("github", "https://git.example.org", **ALL, GH_HOST="git.example.org") == "enterprise"
    assert token("github", "https://github.com", **ALL, GH_HOST="git.example.org") == "gh"
    assert token("github", "https://git.example.org", GITHUB_TOKEN="github", GH_HOST="git.example.org") == ""
    at_work = {"GITHUB_TOKEN": "github", "GITHUB_SERVER_URL": "https://git.example.org"}
    assert token("github", "https://git.example.org", **at_work) == "github"
    assert token("github", "https://github.com", **at_work) == ""
    assert token("gitea", "https://git.example.org", **ALL, GITEA_SERVER_URL="https://git.example.org") == "gitea"
    assert token("gitea", "https://git.example.org", **ALL, FORGEJO_HOST="git.example.org") == "forgejo"


def test_in_a_workflow_of_gitea_githubs_variables_are_its_own() -> None:
    there = {"GITEA_ACTIONS": "true", "GITHUB_SERVER_URL": "https://git.example.org", "GITHUB_TOKEN": "github"}
    assert token("gitea", "https://git.example.org", **there) == "github"
    assert token("github", "https://github.com", **there) == ""


def test_a_token_goes_over_https_or_to_this_machine() -> None:
    near, far = "http://127.0.0.1:3000", "http://git.example.org"
    assert token("gitlab", near, GITLAB_HOST=near, GITLAB_TOKEN="x") == "x"
    assert token("gitlab", far, GITLAB_HOST=far, GITLAB_TOKEN="x") == ""
    why = token_for(Tracker("gitlab", far, "a/b"), {"GITLAB_HOST": far, "GITLAB_TOKEN": "x"}).origin
    assert "not encrypted" in why


def test_gh_is_asked_for_this_host_and_sees_no_token_of_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\n[ "$*" = "auth token --hostname=git.example.org" ] && echo "known$GH_ENTERPRISE_TOKEN"\n')
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.defpath}")
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "of-another-host")
    assert token("github", "https://git.example.org") == "known"
    assert token("github", "https://git.other.org") == ""
    assert token("gitlab", "https://git.example.org") == ""
    gh.write_text("#!/bin/sh\necho not a token\n")
    assert token("github", "https://git.example.org") == ""


def test_a_token_that_no_header_can_carry_is_refused_and_not_shown() -> None:
    with pytest.raises(UsageError, match="GITHUB_TOKEN") as caught:
        token("github", "https://github.com", GITHUB_TOKEN="secret\r\nX-Header: 1")
    assert "secret" not in str(caught.value)


def test_advice_names_the_variables_and_no_token_is_printed() -> None:
    found = token_for(Tracker("gitlab", "https://git.example.org", "a/b"), ALL)
    assert found.origin == "set GITLAB_HOST=git.example.org and GITLAB_TOKEN"
    assert "secret" not in repr(token_for(Tracker("gitlab", "https://gitlab.com", "a/b"), {"GITLAB_TOKEN": "secret"}))
