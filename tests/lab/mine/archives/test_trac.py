"""Trac's ticket pages, static copies of them, and the Markdown of migrations."""

from __future__ import annotations

import json

from tests.lab.mine.archives.reading import read, read_one
from trackdown.lab.mine.archives.issue import FIXED, OPEN, REJECTED, seconds_of
from trackdown.lab.mine.archives.trac import TRAC

PAGE = """<html><head><title>
  #1000 (Mail for rooms)
   – Indico</title></head><body>
<div id="ticket" class="trac-content">
  <div class="date">
    <p>Opened <a class="timeline" href="http://x/timeline?from=2012-03-06T15%3A42%3A48%2B01%3A00&amp;precision=second"
       title="See timeline at 03/06/12 15:42:48">4 years ago</a></p>
    <p>Closed <a class="timeline" href="http://x/timeline?from=2012-03-27T15%3A20%3A59%2B02%3A00&amp;precision=second"
       >4 years ago</a></p>
  </div>
  <h2><span class="trac-status"><a href="http://x/query">closed</a></span>
    <span class="trac-resolution">(<a href="http://x/query">fixed</a>)</span></h2>
  <h1 id="trac-ticket-title" class="searchable"><span class="summary">Mail for rooms</span></h1>
  <table class="properties"><tr><td headers="h_reporter" class="searchable">ada</td></tr></table>
  <div class="description">
    <h3 id="comment:description">Description <span class="lastmod">(last modified by ada)</span></h3>
    <div class="searchable"><p>Nobody gets a <tt>mail</tt>:</p><pre class="wiki">send()
</pre></div>
  </div>
</div><h3>Change History</h3><div class="comment searchable">This was fixed.</div></body></html>"""
STATIC = """<title>#5000 (Join objects) - jQuery - Bug Tracker</title>
<h3><span class="ticket-status">closed</span> <span class="ticket-resolution">(worksforme)</span></h3>
<div class="ticket-dates"><p>Opened August 01, 2009 02:18PM UTC</p><p>Closed August 02, 2009 07:53PM UTC</p></div>
<h1 class="ticket-title">Join objects</h1>
<div class="ticket-description"><p>It would be cool</p><p>to have it.</p></div>"""


def test_a_ticket_page() -> None:
    found = read_one("trac", "ticket/1000.html", PAGE)
    assert (found.id, found.title, found.outcome) == ("1000", "Mail for rooms", FIXED)
    assert found.body == "Nobody gets a mail:\n\n```\nsend()\n\n```"
    assert (seconds_of(found.created), seconds_of(found.closed)) == (1331044968, 1332854459)


def test_a_static_copy() -> None:
    found = read_one("trac", "ticket/5000/index.html", STATIC)
    assert (found.id, found.title, found.outcome) == ("5000", "Join objects", REJECTED)
    assert found.body == "It would be cool\n\nto have it."
    assert seconds_of(found.created) == 1249136280


def test_an_open_ticket_and_pages_that_are_none() -> None:
    is_open = PAGE.replace("closed</a>", "new</a>").replace("fixed</a>", "</a>")
    assert read_one("trac", "1.html", is_open).outcome == OPEN
    assert read("trac", "about.html", "<title>About</title>") == []
    assert not TRAC.wants("attachment/ticket/1/x.html")


def block(name: str, value: object) -> str:
    return f"archive/{name}.json:\n```json\n{json.dumps(value, indent=4)}\n```\n\n"


def ticket(body: str, *diffs: str) -> str:
    footer = "\n\n**Assignee:** @ada\n\n**Resolution:** fixed\n\nIssue created by migration from https://x/ticket/7\n"
    told = {
        "body": body + footer,
        "closed_at": "2014-12-11T18:35:56Z",
        "created_at": "2010-04-27T04:38:16Z",
        "title": "Undo doesn't work",
        "type": "issue",
    }
    comments = [
        block(f"issue_comments_{n}", {"body": diff, "created_at": f"2011-0{n}-01T00:00:00Z", "type": "issue_comment"})
        for n, diff in enumerate(diffs, 1)
    ]
    return f"# Issue 7: Undo\n\n{block('issues_000007', told)}{body}\n\n---\n\n{''.join(comments)}"


def changed(*lines: str) -> str:
    return "\n".join(["Description changed:", "````diff", "--- ", "+++ ", *lines, "````", "", "Thanks."])


def test_a_ticket_in_markdown() -> None:
    found = read_one("trac", "Issues-00xxx/7.md", ticket("It loses text.", "Me too"))
    assert (found.id, found.title, found.body) == ("7", "Undo doesn't work", "It loses text.")
    assert (found.outcome, found.edited_after) == (FIXED, "no")
    assert found.created == "2010-04-27T04:38:16Z" and found.closed == "2014-12-11T18:35:56Z"


def test_a_description_is_taken_back_to_what_was_reported() -> None:
    first = changed("@@ -1,2 +1,2 @@", "-It fails.", "+It loses text.", " Always.")
    second = changed("@@ -1,2 +1,3 @@", " It loses text.", " Always.", "+The attached patch fixes it.")
    body = "It loses text.\nAlways.\nThe attached patch fixes it."
    found = read_one("trac", "7.md", ticket(body, first, second))
    assert (found.body, found.edited_after) == ("It fails.\nAlways.", "no (original restored)")


def test_a_change_that_does_not_fit_leaves_the_last_version() -> None:
    found = read_one("trac", "7.md", ticket("It loses text.", changed("@@ -1 +1 @@", "-x", "+Something else")))
    assert (found.body, found.edited_after) == ("It loses text.", "yes")


def test_markdown_that_is_no_ticket() -> None:
    assert read("trac", "README.md", ticket("x")) == [] == read("trac", "7.md", "# Readme")
