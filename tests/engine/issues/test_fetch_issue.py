"""An issue's name → a query: whose number it is, what is kept for later, and what the notes say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.trackers.code_host import CodeHost, code_host, github_issue, sends
from trackdown.engine.issues import kept_issues
from trackdown.engine.issues.fetch_issue import IssueText, fetch_issue
from trackdown.errors import TrackerError, TrackerUnavailable, UsageError
from trackdown.settings import Settings


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CodeHost]:
    """A Gitea with issue 7, and no variables that name another host."""
    with code_host() as host:
        host.has("gitea", 7, github_issue("Cookie is not signed", "Since 2.3.", comments=3))
        monkeypatch.setenv("GITEA_SERVER_URL", host.url)
        monkeypatch.delenv("GITHUB_SERVER_URL", raising=False)
        yield host


@pytest.fixture
def cloned(repo: Repo, host: CodeHost, settings: Settings) -> Iterator[trackdown.Repository]:
    """A repository that was cloned from the host."""
    repo.git("remote", "add", "origin", f"{host.url}/shop/web.git")
    repo.commit("Begin", {"a.py": "def sign(): pass\n"})
    with trackdown.open(repo.root, settings=settings) as opened:
        yield opened


def test_a_number_is_one_of_the_origin(cloned: trackdown.Repository, host: CodeHost) -> None:
    name = f"{host.host}/shop/web#7"
    expected = IssueText(
        "Cookie is not signed",
        "Cookie is not signed\n\nSince 2.3.\n\n#7",
        (f'fetched {name}, "Cookie is not signed" (an issue, open, 0 of 3 comments)',),
    )
    assert cloned.issue("7") == cloned.issue("#7") == cloned.issue("shop/web#7") == expected
    assert cloned.issue(f"{host.url}/shop/web/issues/7") == expected


def test_the_number_of_another_project_is_not_in_the_text(cloned: trackdown.Repository, host: CodeHost) -> None:
    host.has("gitea", 8, github_issue("Elsewhere", "Not here."), project="shop/other")
    assert cloned.issue("shop/other#8").text == "Elsewhere\n\nNot here.\n\n—"


def test_without_an_origin_a_number_names_nothing(repo: Repo, settings: Settings, tmp_path: Path) -> None:
    with trackdown.open(repo.root, settings=settings) as opened:
        with pytest.raises(UsageError, match=r"whose issue is #7\? repo has no `origin` remote on a code host"):
            opened.issue("7")
        repo.git("remote", "add", "origin", str(tmp_path / "elsewhere"))
        with pytest.raises(UsageError, match="owner/repo!7"):
            opened.issue("!7")
        with pytest.raises(UsageError, match="names no issue"):
            opened.issue("cookie")


def test_several_origins(cloned: trackdown.Repository, repo: Repo, tmp_path: Path, settings: Settings) -> None:
    other = Repo(tmp_path / "other")
    other.git("remote", "add", "origin", "https://github.com/shop/other")
    with trackdown.open(other.root, settings=settings) as second:
        sources = [cloned.source, second.source]
        with pytest.raises(UsageError, match="repo, other have several"):
            fetch_issue(sources, cloned.store, "7")
    assert fetch_issue([cloned.source] * 2, cloned.store, "7").title == "Cookie is not signed"


def test_servers_fetch_issues_of_their_own_repositories_only(
    cloned: trackdown.Repository, repo: Repo, host: CodeHost
) -> None:
    def own(name: str) -> str:
        return fetch_issue([cloned.source], cloned.store, name, only_own=True).title

    host.has("gitea", 8, github_issue("Upstream"), project="first/web")
    assert own("7") == "Cookie is not signed"
    asked = len(host.seen)
    for name in ("first/web#8", "https://github.com/shop/web/issues/7", f"{host.url}/shop/secret/issues/7"):
        with pytest.raises(UsageError, match="not an issue of a repository that is served here"):
            own(name)
    assert len(host.seen) == asked
    repo.git("remote", "add", "upstream", f"{host.url}/first/web")
    assert own("first/web#8") == "Upstream"


def test_a_copy_serves_when_the_host_does_not(cloned: trackdown.Repository, host: CodeHost) -> None:
    page = host.has("gitea", 7, github_issue("Cookie", "Text", comments=1))
    host.pages[f"{page}/comments"] = sends([{"body": "Same here."}])
    fresh = cloned.issue("7", comments=True)
    host.pages[page] = sends({}, 503)
    copy = cloned.issue("7", comments=True)
    assert copy.text == fresh.text == "Cookie\n\nText\n\nSame here.\n\n#7"
    (note,) = copy.notes
    assert "failed with 503" in note and "used the copy" in note and " UTC" in note and "\n" not in note
    assert cloned.issue("7").text == "Cookie\n\nText\n\n#7"
    host.pages[page] = sends({}, 404)
    with pytest.raises(TrackerError, match="has no shop/web#7"):
        cloned.issue("7")


def test_without_a_copy_the_reason_is_said(cloned: trackdown.Repository, host: CodeHost) -> None:
    host.has("gitea", 8, sends({}, 503))
    with pytest.raises(TrackerUnavailable, match="failed with 503"):
        cloned.issue("8")


def test_copies_are_bounded_and_go_with_their_repository(
    cloned: trackdown.Repository, host: CodeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    def numbers() -> list[int]:
        return [number for number in range(10) if kept_issues.kept(cloned.store, f"{host.host}/shop/web#{number}")]

    monkeypatch.setattr(kept_issues, "_MOST", 3)
    for number in range(1, 6):
        host.has("gitea", number, github_issue(f"Number {number}"))
        cloned.issue(str(number))
    assert numbers() == [3, 4, 5]
    monkeypatch.setattr(kept_issues, "_MOST_BYTES", 5000)
    host.has("gitea", 6, github_issue("Long", "x" * 4800))
    cloned.issue("6")
    assert numbers() == [6]
    cloned.clear()
    assert numbers() == []


def test_a_damaged_copy_counts_as_none(cloned: trackdown.Repository, host: CodeHost) -> None:
    name = f"{host.host}/shop/web#7"
    cloned.issue("7")
    assert kept_issues.kept(cloned.store, name) is not None
    for value in (b"[]", b"{}", b'{"version": 99}', b"\xff"):
        cloned.store.database.write_record("issue", name, value)
        assert kept_issues.kept(cloned.store, name) is None
