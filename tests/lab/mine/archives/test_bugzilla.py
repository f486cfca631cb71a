"""Bugzilla's pages and its XML."""

from __future__ import annotations

import pytest

from tests.lab.mine.archives.reading import read, read_one
from trackdown.lab.mine.archives.bugzilla import BUGZILLA
from trackdown.lab.mine.archives.issue import FIXED, OPEN, REJECTED

PAGE = """<html lang="en"><head>
<title>10000 – Segmentation fault at exit</title>
<style>#status {{color: red}}</style></head><body>
<table><tr><td><div id="status">RESOLVED

  <noscript><br>resolved as </noscript>
  <span id="resolution_settings">{resolution}
  </span></div></td></tr></table>
<div id="c0" class="bz_comment bz_first_comment">
  <span class="bz_comment_time">
    2013-02-03 04:34:19 UTC
  </span>
<pre class="bz_comment_text">Created attachment 12 [details]
a log

It loads &lt;Npgsql&gt; and
crashes, see <a href="http://example.org/">http://example.org/</a></pre></div>
<div class="bz_comment"><span class="bz_comment_time">2014-01-01 00:00:00 UTC</span>
<pre class="bz_comment_text">A second comment</pre></div>
</body></html>"""
XML = """<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE bugzilla SYSTEM "https://bugs.example.org/page.cgi?id=bugzilla.dtd">
<bugzilla version="4.2">
  <bug><bug_id>77</bug_id><creation_ts>2010-05-06 07:08:00 +0000</creation_ts><short_desc>Crash</short_desc>
    <bug_status>RESOLVED</bug_status><resolution>FIXED</resolution>
    <long_desc><who>a</who><bug_when>2010-05-06</bug_when><thetext>It crashes.</thetext></long_desc>
    <long_desc><thetext>Me too.</thetext></long_desc></bug>
  <bug error="NotPermitted"><bug_id>78</bug_id></bug>
</bugzilla>"""


def test_the_report_is_the_first_comment_of_a_page() -> None:
    found = read_one("bugzilla", "10/10000/bug.html", PAGE.format(resolution="FIXED"))
    assert (found.id, found.title, found.created) == ("10000", "Segmentation fault at exit", "2013-02-03 04:34:19")
    assert found.body == "It loads <Npgsql> and\ncrashes, see http://example.org/"
    assert found.outcome == FIXED


def test_other_outcomes() -> None:
    assert read_one("bugzilla", "1.html", PAGE.format(resolution="NOT_REPRODUCIBLE")).outcome == REJECTED
    is_open = PAGE.replace("RESOLVED", "NEW").format(resolution="")
    assert read_one("bugzilla", "1.html", is_open).outcome == OPEN


def test_xml_of_several_bugs() -> None:
    first, hidden = read("bugzilla", "bugs.xml", XML)
    assert first is not None and hidden is None
    assert (first.id, first.title, first.body, first.outcome) == ("77", "Crash", "It crashes.", FIXED)


def test_pages_that_are_no_bug() -> None:
    assert not BUGZILLA.wants("10/10000/activity.html")
    assert read("bugzilla", "index.html", "<title>Bugs</title>") == []
    with pytest.raises(ValueError, match="nests too deeply"):
        read("bugzilla", "1.html", "<div>" * 1000)
    with pytest.raises(ValueError, match="too large"):
        read("bugzilla", "1.html", b" " * (3 << 20))
