"""Redmine's pages."""

from __future__ import annotations

from tests.lab.mine.archives.reading import read, read_one
from trackdown.lab.mine.archives.issue import FIXED, OPEN, REJECTED

PAGE = """<html><head><title>Bug #1000: lens ids - Exiv2</title>
<meta name="description" content="Redmine" /></head><body>
<h2>Bug #1000</h2>
<div class="issue tracker-1 status-5 closed details">
<div class="subject">
<div><h3>lens ids</h3></div>
</div>
<p class="author">Added by <a class="user active" href="/users/1">Ada</a>
 <a title="19 Nov 2014 17:20" href="/projects/exiv2/activity?from=2014-11-19">about 7 years</a> ago.
 Updated <a title="21 Jun 2015 16:42" href="/projects/exiv2/activity?from=2015-06-21">over 6 years</a> ago.</p>
<div class="attributes"><div class="status attribute"><div class="label">Status:</div>
<div class="value">{status}</div></div><div class="priority attribute"><div class="value">Normal</div></div></div>
<div class="description"><div class="contextual"></div><p><strong>Description</strong></p>
<div class="wiki"><p>A lens is out of order:</p><pre><code>{{ 4 }}</code></pre></div></div></div>
<div id="history"><div class="wiki"><p>Fixed in r3389.</p></div></div></body></html>"""


def test_an_issue_page() -> None:
    found = read_one("redmine", "issues/1000.html", PAGE.format(status="Closed"))
    assert (found.id, found.title, found.created, found.outcome) == ("1000", "lens ids", "2014-11-19", FIXED)
    assert found.body == "A lens is out of order:\n\n```\n{ 4 }\n```"


def test_outcomes_and_pages_that_are_no_issue() -> None:
    assert read_one("redmine", "1.html", PAGE.format(status="New")).outcome == OPEN
    assert read_one("redmine", "1.html", PAGE.format(status="Rejected")).outcome == REJECTED
    assert read("redmine", "index.html", "<title>Exiv2</title>") == []
