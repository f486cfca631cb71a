"""YouTrack's XML."""

from __future__ import annotations

import pytest

from tests.lab.mine.archives.reading import read, read_one
from trackdown.lab.mine.archives.issue import FIXED, OPEN, REJECTED, seconds_of

XML = """<?xml version="1.0" encoding="utf-8"?>
<issues>
  <issue>
    <field name="State"><value>{state}</value></field>
    <field name="Assignee" />
    <field name="summary"><value>Exists&lt;T&gt; is missing</value></field>
    <field name="description"><value>Please {{code}}x{{code}}</value></field>
    <field name="created"><value>1165447858000</value></field>
    <field name="resolved"><value>1282136229807</value></field>
  </issue>
</issues>"""


def test_an_issue_has_the_name_of_its_file() -> None:
    found = read_one("youtrack", "AR/AR-100.xml", "\ufeff" + XML.format(state="Fixed"))
    assert (found.id, found.title, found.outcome) == ("AR-100", "Exists<T> is missing", FIXED)
    assert found.body == "Please\n```\nx\n```"
    assert (seconds_of(found.created), seconds_of(found.closed)) == (1165447858, 1282136229)


def test_outcomes() -> None:
    states = {"Won't fix": REJECTED, "Open": OPEN, "Verified": FIXED}
    assert {state: read_one("youtrack", "A-1.xml", XML.format(state=state)).outcome for state in states} == states


def test_what_cannot_be_read() -> None:
    assert read("youtrack", "readme.xml", XML.format(state="Fixed")) == [None]
    with pytest.raises(ValueError, match="no element found"):
        read("youtrack", "A-1.xml", "<issues>")
    with pytest.raises(ValueError, match="defines entities"):
        read("youtrack", "A-1.xml", '<!DOCTYPE x [<!ENTITY a "b">]><issues/>')


def test_a_text_that_nests_too_deeply_costs_one_issue_of_a_file() -> None:
    deep = "{html}" + "&lt;b&gt;" * 1000 + "{html}"
    field = '<issue id="A-{}"><field name="description"><value>{}</value></field></issue>'
    found = read("youtrack", "all.xml", f"<issues>{field.format(1, deep)}{field.format(2, 'Fine')}</issues>")
    assert [issue and issue.id for issue in found] == [None, "A-2"]
