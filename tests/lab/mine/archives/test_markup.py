"""HTML, XML and wiki markup as text."""

from __future__ import annotations

import time

import pytest

from trackdown.lab.mine.archives.markup import plain_html, plain_wiki, read_page, read_xml


def test_elements_that_nobody_closed() -> None:
    assert plain_html("<ul><li>one<li>two</ul>").split() == ["-", "one", "-", "two"]
    assert plain_html("<p>x" * 1000).count("x") == 1000
    assert plain_html("a < b and <unknown>c") == "a < b and c"


def test_the_first_element_of_a_name_counts_and_scripts_say_nothing() -> None:
    text = b"<div class='x y'>one<script>no()</script></div><div id='x'>two</div><p><a href='/z'>link</a>"
    page = read_page(text, {"x": "found", "found a": "inner", "p": "last"})
    assert page.found == {"found": "one", "last": "link"}
    assert page.links == [("two", "/z")]


def test_hostile_markup_takes_no_time() -> None:
    started = time.monotonic()
    for text in ("{code:" * 20_000, "[" * 50_000, "!a" * 50_000, "{{" * 50_000, "[a|http://" * 10_000):
        plain_wiki(text)
    for text in ("<b", "<a ", "<!--", "</a ", "<?", "<![CDATA[>"):
        with pytest.raises(ValueError, match="too many unclosed tags"):
            plain_html(text * 50_000)
    assert read_page(b"<p>x</p>y < z" + b"<a " * 900 + b"b " * 900_000, {"p": "found"}).found == {"found": "x"}
    assert plain_html("if a < b << c: " * 2000).count("<") == 6000
    assert time.monotonic() - started < 10


def test_a_section_that_html_does_not_know() -> None:
    with pytest.raises(ValueError, match="unknown status keyword"):
        plain_html("<![x[ y ]]>")


def test_xml_that_hides_its_entities_or_has_no_known_encoding() -> None:
    with pytest.raises(ValueError, match="NUL bytes"):
        read_xml('<!DOCTYPE x [<!ENTITY a "b">]><issues>&a;</issues>'.encode("utf-16"))
    with pytest.raises(ValueError, match="unknown encoding: foo"):
        read_xml(b'<?xml version="1.0" encoding="foo"?><issues/>')
