"""Rules on the texts of issues, and what texts give away."""

from __future__ import annotations

import pytest

from trackdown.lab.mine.matching.issue_text import (
    COMMIT_LINK,
    NO_ISSUE,
    PATCH,
    SHORT,
    links_to_fix,
    named_functions,
    names_file,
    prose_length,
    speaks_of_a_change,
    text_rule,
    whole_text,
)

PROSE = "When a file is saved twice, the second version is lost, and nothing tells me about it until I open it again."


@pytest.mark.parametrize(
    ("title", "body", "rule"),
    [
        ("It is lost", PROSE, ""),
        ("Revert the cache", PROSE, NO_ISSUE),
        ("It is lost", "It is lost.", SHORT),
        ("It is lost", f"```\n{PROSE}\n```", SHORT),
        ("It is lost", f"{PROSE}\n\n--- a/x.c\n+++ b/x.c\n", PATCH),
        ("It is lost", f"{PROSE} See https://example.org/commit/0123456789", COMMIT_LINK),
    ],
)
def test_rules(title: str, body: str, rule: str) -> None:
    assert text_rule(title, body) == rule


def test_prose_is_what_people_wrote() -> None:
    output = 'Help me\n    code()\n  File "x.py"\nat com.x.Y.z(Y.java:1)\n>>> run()\nhttps://example.org/long/address'
    assert prose_length(output) == len("Help me")


def test_links_to_the_fix() -> None:
    assert links_to_fix("fixed in 0123456", "0123456789" * 4, [])
    assert links_to_fix("see https://github.com/o/n/pull/12", "f" * 40, ["", "12"])
    assert not links_to_fix("see https://github.com/o/n/pull/123, #12", "f" * 40, ["", "12"])


def test_texts_that_name_files() -> None:
    files = ["src/net/pool.c"]
    assert names_file("crash in pool.c:12", files) and names_file("src/net/pool.c", files)
    assert not names_file("whirlpool.c, pool.cpp and pool", files)


def test_texts_that_tell_of_a_change() -> None:
    told = ["This patch adds a lock.", "I've fixed it", "See the title\nAdds a lock", "Patch attached"]
    assert all(map(speaks_of_a_change, told))
    assert not speaks_of_a_change("The change of the theme is slow. It should be fixed.")


def test_functions_that_a_text_names_exactly() -> None:
    text = "After open_file and `close`, Pool.read returns None. When I write( it, I run the save."
    functions = {"open_file", "close", "read", "write", "run", "save", "openFile", "a"}
    assert named_functions(text, functions) == {"open_file", "close", "read", "write"}


def test_a_text_is_cut() -> None:
    assert whole_text(" It \n is lost ", "x" * 9000) == "It is lost\n\n" + "x" * (8000 - len("It is lost\n\n"))
