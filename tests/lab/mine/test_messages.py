"""What of a commit message is a query, and how much it says."""

from __future__ import annotations

import pytest

from trackdown.lab.mine.messages import clean_message, clean_subject, content_words


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("Fix the parser (#123)\n\nBody", "Fix the parser"),
        ("Fix the parser (#123) (#124)", "Fix the parser"),
        ("Fix the parser (GH-12, GH-13)", "Fix the parser"),
        ("Fix the parser [owner/repo#7]", "Fix the parser"),
        ("\n\n  Second line  \n", "Second line"),
        ("Fix #123 in the parser", "Fix #123 in the parser"),
        ("Support f(#1) calls", "Support f(#1) calls"),
        ("Handle colour (red)", "Handle colour (red)"),
        ("Fix the docs [skip ci]", "Fix the docs"),
        ("", ""),
    ],
)
def test_subjects(message: str, subject: str) -> None:
    assert clean_subject(message) == subject


def test_a_message_without_what_programs_add() -> None:
    message = """Close the socket on errors (#42)

The pool kept it: see the report.

Fixes: it leaked under load.
Reported by users.
Fixes #41, #40
Closes: https://example.org/issues/1
Signed-off-by: Ada <ada@example.org>
Co-authored-by: Bob <bob@example.org>
Reviewed-by: C
Change-Id: I123
(cherry picked from commit 0123456789abcdef)
git-svn-id: https://example.org/svn@12 aaaa
"""
    assert clean_message(message) == (
        "Close the socket on errors\n\nThe pool kept it: see the report.\n\nFixes: it leaked under load.\n"
        "Reported by users."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fix: typo", set()),
        ("WIP", set()),
        ("[MRG] Fix bug #123", set()),
        ("fix(parser): crash", {"parser", "crash"}),
        ("Fix Session.send_request", {"session", "send", "request"}),
        ("Don't close HTTPPool twice", {"close", "http", "pool", "twice"}),
        ("Redirect defaults to 303", {"redirect", "defaults", "303"}),
        ("Fix https://example.org/a/b and 1234567abcd, 1.2.3", set()),
        ("Update for JIRA-123", set()),
        ("修复解析", {"修", "复", "解", "析", "修复解析"}),
        ("Größe prüfen", {"größe", "prüfen"}),
        ("I/O x = y", set()),
    ],
)
def test_words_that_say_something(text: str, expected: set[str]) -> None:
    assert content_words(text) == expected
