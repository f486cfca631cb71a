"""Issues from a server that speaks the three APIs, and from one that fails in every way it can."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.trackers.code_host import (
    CodeHost,
    Reply,
    code_host,
    drips,
    github_issue,
    gitlab_issue,
    hangs,
    moves,
    only_with,
    sends,
    sends_bytes,
)
from trackdown.errors import TrackerError, TrackerUnavailable
from trackdown.trackers import IssueReference, TrackedIssue, fetch
from trackdown.trackers.project import Api

HOST_VARIABLE = {"github": "GITHUB_SERVER_URL", "gitlab": "GITLAB_HOST", "gitea": "GITEA_SERVER_URL"}
TOKEN_VARIABLE = {"github": "GITHUB_TOKEN", "gitlab": "GITLAB_TOKEN", "gitea": "GITEA_TOKEN"}
HEADER = {"github": "Bearer s3cret", "gitlab": "Bearer s3cret", "gitea": "token s3cret"}
APIS: tuple[Api, ...] = ("github", "gitlab", "gitea")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CodeHost]:
    """A code host; there is no gh."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with code_host() as host:
        yield host


def fetched(
    host: CodeHost,
    api: Api | None = None,
    number: int = 7,
    *,
    path: str = "shop/web",
    merge: bool = False,
    comments: bool = False,
    seconds: float = 10.0,
    variables: Mapping[str, str] | None = None,
) -> TrackedIssue:
    """Fetch an issue, with a token that belongs to the host if its kind is given."""
    if api is not None:
        variables = {HOST_VARIABLE[api]: host.url, TOKEN_VARIABLE[api]: "s3cret"}
    reference = IssueReference(number, merge, path, host.url)
    return fetch(reference, comments=comments, variables=variables or {}, seconds=seconds)


def refused(host: CodeHost, api: Api | None = None, seconds: float = 10.0) -> TrackerError:
    """The error of fetching: one line, without the token."""
    with pytest.raises(TrackerError) as caught:
        fetched(host, api, seconds=seconds)
    assert "\n" not in str(caught.value) and "s3cret" not in str(caught.value)
    return caught.value


def test_github(host: CodeHost) -> None:
    page = host.has("github", 7, github_issue("Cookie is not signed", "Since 2.3\r\nit is not.", comments=2))
    host.pages[f"{page}/comments"] = sends([{"body": "Same here."}, {"body": "Fixed in #9."}])
    issue = fetched(host, "github")
    assert issue == TrackedIssue("Cookie is not signed", "Since 2.3\r\nit is not.", "open", False, 2)
    assert [asked.path for asked in host.seen] == [page] and host.seen[0].token == HEADER["github"]
    assert fetched(host, "github", comments=True).comments == ("Same here.", "Fixed in #9.")
    assert host.paths[-1] == f"{page}/comments?per_page=100&page=1"


def test_gitlab_with_nested_groups_and_merge_requests(host: CodeHost) -> None:
    group = "shop/back/end"
    page = host.has("gitlab", 7, gitlab_issue("Cookie", "Not signed", user_notes_count=1), project=group)
    notes = [{"body": "changed the title", "system": True}, {"body": "Same here.", "system": False}]
    host.pages[f"{page}/notes"] = sends(notes)
    issue = fetched(host, "gitlab", path=group, comments=True)
    assert issue == TrackedIssue("Cookie", "Not signed", "open", False, 1, ("Same here.",))
    assert host.paths[0] == "/api/v4/projects/shop%2Fback%2Fend/issues/7"
    host.has("gitlab", 7, gitlab_issue("Sign it", None, state="merged"), project=group, merge=True)
    assert fetched(host, "gitlab", path=group, merge=True) == TrackedIssue("Sign it", "", "merged", True)


def test_gitea_and_pull_requests(host: CodeHost) -> None:
    page = host.has("gitea", 7, github_issue("Cookie", "Not signed", pull_request={"merged": False}))
    host.pages[f"{page}/comments"] = sends([{"body": str(number)} for number in range(100)])
    assert fetched(host, "gitea") == TrackedIssue("Cookie", "Not signed", "open", True)
    assert host.seen[0].token == HEADER["gitea"]
    assert len(fetched(host, "gitea", comments=True).comments) == 100
    assert host.paths.count(f"{page}/comments?per_page=100&page=1") == 1 and "page=2" not in host.paths[-1]


def test_comments_of_several_pages_up_to_a_limit(host: CodeHost) -> None:
    page = host.has("github", 7, github_issue("Cookie"))
    host.pages[f"{page}/comments"] = sends([{"body": "more"}] * 100)
    assert len(fetched(host, "github", comments=True).comments) == 300
    host.pages[f"{page}/comments"] = sends([{"body": "x" * 2500}] * 100)
    issue = fetched(host, "github", comments=True)
    assert len(issue.comments) == 100 and len(issue.text("#7")) <= 200_000 and issue.text("#7").endswith("\n\n#7")


@pytest.mark.parametrize("api", APIS)
def test_the_kind_of_an_unknown_host_is_asked_without_a_token(host: CodeHost, api: Api) -> None:
    answers: dict[str, tuple[str, Reply]] = {
        "gitea": ("/api/v1/version", sends({"version": "1.22.0"})),
        "gitlab": ("/api/v4/version", sends({"message": "401 Unauthorized"}, 401)),
        "github": ("/api/v3/meta", sends({"verifiable_password_authentication": True})),
    }
    path, reply = answers[api]
    host.pages[path] = reply
    host.has(api, 7, gitlab_issue("Cookie") if api == "gitlab" else github_issue("Cookie"))
    everything = dict.fromkeys(TOKEN_VARIABLE.values(), "s3cret")
    assert fetched(host, variables=everything).title == "Cookie"
    assert all(asked.token is None for asked in host.seen)


def test_a_host_of_no_known_kind(host: CodeHost) -> None:
    host.pages["/api/v1/version"] = sends_bytes(b"<html>Welcome</html>")
    assert "not known as GitHub, GitLab, Gitea or Forgejo" in str(refused(host))
    assert len(host.seen) == 3
    reference = IssueReference(7, False, "shop/web", host.url)
    with pytest.raises(TrackerError, match="not known"):
        fetch(reference, comments=False, variables={}, may_ask=False)
    assert len(host.seen) == 3


def test_a_tracker_in_a_folder_of_its_host(host: CodeHost) -> None:
    host.pages["/code/api/v4/projects/shop%2Fweb/issues/7"] = gitlab_issue("Cookie")
    variables = {"GITLAB_HOST": f"{host.url}/code/", "GITLAB_TOKEN": "s3cret"}
    for path in ("code/shop/web", "shop/web"):
        assert fetched(host, path=path, variables=variables).title == "Cookie"
        assert host.seen[-1].token == HEADER["gitlab"]


@pytest.mark.parametrize("api", APIS)
def test_a_redirect_to_another_host_is_not_followed(host: CodeHost, api: Api) -> None:
    with code_host() as other:
        host.has(api, 7, moves(f"{other.url}/api/v3/repos/shop/web/issues/7"))
        error = refused(host, api)
        assert f"redirects shop/web#7 to {other.host}" in str(error)
        host.has(api, 7, moves(f"http://x:y@{other.host}/issues/7"))
        assert "x:y" not in str(refused(host, api))
        assert other.seen == []


@pytest.mark.parametrize("api", APIS)
def test_a_redirect_on_the_host_is_followed_without_the_token(host: CodeHost, api: Api) -> None:
    issue = gitlab_issue("Cookie") if api == "gitlab" else github_issue("Cookie")
    old = host.has(api, 7, moves("/moved/7", 307))
    host.pages["/moved/7"] = issue
    assert fetched(host, api).title == "Cookie"
    assert [(asked.path, asked.token) for asked in host.seen] == [(old, HEADER[api]), ("/moved/7", None)]
    host.pages["/moved/7"] = only_with(HEADER[api], issue)
    assert "never sent across a redirect" in str(refused(host, api))


def test_redirects_end(host: CodeHost) -> None:
    page = host.has("github", 7, lambda visit: None)
    host.pages[page] = moves(page)
    assert "answered 301" in str(refused(host, "github")) and len(host.seen) == 4


@pytest.mark.parametrize(
    ("reply", "words", "unavailable"),
    [
        (sends({"message": "Not Found"}, 404), ["has no shop/web#7", "token of GITHUB_TOKEN may not see it"], False),
        (sends({"message": "Bad credentials"}, 401), ["refused the token of GITHUB_TOKEN", "401"], False),
        (sends({"message": "Forbidden"}, 403), ["refused the token of GITHUB_TOKEN", "403"], False),
        (sends({"message": "limit"}, 403, X_RateLimit_Remaining="0"), ["accepts no more requests"], True),
        (sends({"message": "limit"}, 429, Retry_After="60"), ["accepts no more requests"], True),
        (sends({"message": "This issue was deleted"}, 410), ["any more", "deleted"], False),
        (sends({}, 500), ["failed with 500"], True),
        (sends({}, 418), ["answered 418"], False),
        (sends_bytes(b"<html>"), ["did not send JSON"], False),
        (sends_bytes(b"[" * 100_000), ["did not send JSON"], False),
        (sends_bytes(b"\xff\xfe"), ["did not send JSON"], False),
        (sends_bytes(b" " * (5 << 20)), ["more than 4,194,304 bytes"], False),
        (sends([]), ["is not an issue"], False),
        (sends({"name": "web"}), ["is not an issue"], False),
        (sends({"title": 5, "body": ""}), ["is not an issue"], False),
        (sends({"title": " ", "body": ""}), ["is not an issue"], False),
        (sends({"title": "x", "body": {"a": 1}}), ["is not an issue"], False),
    ],
)
def test_everything_that_is_not_an_issue_is_one_clear_line(
    host: CodeHost, reply: Reply, words: list[str], unavailable: bool
) -> None:
    host.has("github", 7, reply)
    error = refused(host, "github")
    assert isinstance(error, TrackerUnavailable) == unavailable
    assert all(word in str(error) for word in [*words, "127.0.0.1"]), error


@pytest.mark.parametrize("api", APIS)
def test_without_a_token_the_line_says_how_to_give_one(host: CodeHost, api: Api) -> None:
    variables = {HOST_VARIABLE[api]: host.url}
    with pytest.raises(TrackerError, match=r"has no shop/web#7, or it is private \(set G"):
        fetched(host, variables=variables)
    host.has(api, 7, sends({"message": "no"}, 401))
    with pytest.raises(TrackerError, match=r"only to those it knows \(401\): set G"):
        fetched(host, variables=variables)


@pytest.mark.parametrize("reply", [hangs, drips], ids=["hangs", "drips"])
def test_an_answer_that_does_not_come_is_not_waited_for(host: CodeHost, reply: Reply) -> None:
    host.has("github", 7, reply)
    began = time.monotonic()
    error = refused(host, "github", seconds=0.3)
    assert isinstance(error, TrackerUnavailable) and "did not answer within 0.3 seconds" in str(error)
    assert time.monotonic() - began < 3


def test_no_network() -> None:
    with code_host() as gone:
        pass
    error = refused(gone, "github")
    assert isinstance(error, TrackerUnavailable) and f"cannot reach {gone.host}" in str(error)


def test_odd_values_in_an_issue_do_no_harm(host: CodeHost) -> None:
    odd = {"title": "a\nb\t c" + "x" * 5000, "body": "y" * 300_000, "state": 5, "comments": -3, "pull_request": None}
    host.has("github", 7, sends(odd))
    issue = fetched(host, "github")
    assert issue.title.startswith("a b cx") and len(issue.title) == 1000
    assert (issue.state, issue.comment_count, issue.merge, len(issue.body)) == ("", 0, False, 200_000)
    assert len(issue.text("")) <= 200_000
    page = host.has("github", 7, github_issue("Cookie"))
    host.pages[f"{page}/comments"] = sends([7, None, {}, {"body": 5}, {"body": "fine"}])
    assert fetched(host, "github", comments=True).comments == ("fine",)
    host.pages[f"{page}/comments"] = sends({"not": "a list"})
    assert fetched(host, "github", comments=True).comments == ()


def test_a_path_of_three_names_is_no_project_of_github(host: CodeHost) -> None:
    with pytest.raises(TrackerError, match="name it as owner/repo"):
        fetched(host, "github", path="a/b/c")
    assert host.seen == []


def test_the_text_has_several_lines_so_that_nothing_in_it_is_a_filter() -> None:
    assert TrackedIssue("lang:python breaks", "").text("#7") == "lang:python breaks\n\n#7"
    assert TrackedIssue("lang:python breaks", " \n").text("") == "lang:python breaks\n\n—"
    assert TrackedIssue("A", "B", comments=("C",)).text("!7") == "A\n\nB\n\nC\n\n!7"
