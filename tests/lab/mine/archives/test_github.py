"""Issues as GitHub's API gives them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab.mine.archives.reading import read, read_one
from trackdown.lab.mine.archives.github import GITHUB
from trackdown.lab.mine.archives.issue import FIXED, OPEN, REJECTED

ISSUE: dict[str, Any] = {
    "number": 12,
    "title": "It fails",
    "body": "Always\r\nso",
    "state": "closed",
    "created_at": "2020-01-01T00:00:00Z",
    "closed_at": "2020-02-01T00:00:00Z",
}


def test_a_file_per_issue() -> None:
    found = read_one("github-json", "12.json", ISSUE)
    assert (found.id, found.title, found.body, found.outcome, found.is_pull) == (
        "12",
        "It fails",
        "Always\nso",
        FIXED,
        False,
    )
    assert (found.created, found.closed) == ("2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z")


def test_a_backup_tells_which_commit_closed_an_issue() -> None:
    events = [{"event": "closed", "commit_id": "a" * 40}, {"event": "closed", "commit_id": None}, {"event": "labeled"}]
    backup = {"type": "issue", "issue": ISSUE, "events": events}
    assert read_one("github-json", "issues/issue-12.json", backup).commits == ("a" * 40,)
    assert read_one("github-json", "pulls/pull-13.json", {"pull": ISSUE | {"number": 13}}).is_pull


def test_pull_requests_among_the_issues() -> None:
    assert read_one("github-json", "1.json", ISSUE | {"pull_request": {"url": "x"}}).is_pull
    assert read_one("github-json", "1.json", ISSUE | {"merged_at": "2020-02-01T00:00:00Z"}).is_pull


def test_what_gh_lists() -> None:
    listed = [{"number": 1, "title": "A", "body": "B", "state": "OPEN", "createdAt": "2020-01-01T00:00:00Z"}]
    (found,) = read("github-json", "issues.json", listed)
    assert found is not None and (found.created, found.outcome) == ("2020-01-01T00:00:00Z", OPEN)


def test_outcomes() -> None:
    assert read_one("github-json", "1.json", ISSUE | {"state_reason": "not_planned"}).outcome == REJECTED
    assert read_one("github-json", "1.json", ISSUE | {"body": None}).body == ""


def test_issues_that_were_moved_from_google_code() -> None:
    body = "by **ada**:\n\n<pre>It &lt;fails&gt;:\n<b>always</b></pre>\nAttachments:\n1. x.txt"
    assert read_one("github-json", "1.json", ISSUE | {"body": body}).body == "It <fails>:\nalways"


def test_files_that_hold_no_issue_are_passed_over_and_broken_ones_are_not() -> None:
    assert read("github-json", "package.json", {"name": "x"}) == []
    assert read("github-json", "numbers.json", [1, 2]) == []
    with pytest.raises(ValueError, match="Expecting property name"):
        read("github-json", "1.json", "{")
    with pytest.raises(ValueError, match="nests too deeply"):
        read("github-json", "1.json", "[" * 100_000)
    assert not GITHUB.wants("issues/12.comments/1.json") and not GITHUB.wants("README.md")
    assert GITHUB.wants("items/00012-main.json")


def test_a_text_that_nests_too_deeply_costs_one_issue_of_a_list() -> None:
    deep = ISSUE | {"number": 13, "body": f"by **ada**:\n\n<pre>{'<b>' * 1000}</pre>"}
    found = read("github-json", "issues.json", [ISSUE, deep, ISSUE | {"number": 14}])
    assert [issue and issue.id for issue in found] == ["12", None, "14"]
