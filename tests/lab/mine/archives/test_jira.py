"""Jira's JSON, and its markup as Markdown."""

from __future__ import annotations

from typing import Any

from tests.lab.mine.archives.reading import read, read_one
from trackdown.lab.mine.archives.issue import FIXED, OPEN, REJECTED

FIELDS: dict[str, Any] = {
    "summary": "Labels are cut",
    "description": "h2. Steps\r\n{code:java}\nvar a;\n{code}\nSee {{Ti.UI.Label}} and [docs|https://example.org/x]. "
    "!shot.png|thumbnail! [~ada] {color:red}now{color}",
    "created": "2015-04-24T12:04:05.000+0000",
    "resolutiondate": "2015-05-12T21:25:49.000+0000",
    "resolution": {"name": "Fixed"},
}


def test_an_issue_in_markdown() -> None:
    found = read_one("jira", "data/AC/AC-101.json", {"key": "AC-101", "fields": FIELDS})
    assert (found.id, found.title, found.outcome) == ("AC-101", "Labels are cut", FIXED)
    assert found.created.startswith("2015-04-24") and found.closed.startswith("2015-05-12")
    assert found.body.startswith("Steps\n\n```\n\nvar a;\n\n```\n")
    assert found.body.endswith("See `Ti.UI.Label` and docs (https://example.org/x).   now")


def test_html_of_tickets_that_were_moved() -> None:
    fields = FIELDS | {
        "description": "{html}<p>It &lt;fails&gt;</p><pre><code>x</code></pre><ul><li>one</li></ul>{html}"
    }
    body = read_one("jira", "1.json", {"key": "A-1", "fields": fields}).body
    assert body == "It <fails>\n\n```\nx\n```\n\n- one"


def test_a_search_and_its_outcomes() -> None:
    resolutions = ({"name": "Duplicate"}, None)
    issues = [{"key": f"A-{n}", "fields": FIELDS | {"resolution": one}} for n, one in enumerate(resolutions)]
    found = read("jira", "search.json", {"issues": issues})
    assert [issue and issue.outcome for issue in found] == [REJECTED, OPEN]


def test_what_cannot_be_read_and_what_is_no_issue() -> None:
    assert read("jira", "1.json", {"key": "A-1", "fields": None}) == [None]
    assert read("jira", "1.json", {"key": "A-1", "fields": {"summary": "x", "description": {"type": "doc"}}}) == [None]
    assert read("jira", "package.json", {"name": "x"}) == []


def test_a_text_that_nests_too_deeply_costs_one_issue_of_a_search() -> None:
    deep = FIELDS | {"description": "{html}" + "<b>" * 1000 + "{html}"}
    found = read("jira", "search.json", [{"key": "A-1", "fields": deep}, {"key": "A-2", "fields": FIELDS}])
    assert [issue and issue.id for issue in found] == [None, "A-2"]
