"""HTML, XML and wiki markup as text."""

from __future__ import annotations

import time

from trackdown.lab.mine.archives.markup import plain_html, plain_wiki, read_page


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
    plain_html("<b" * 50_000)
    assert time.monotonic() - started < 10
