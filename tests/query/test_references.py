"""References in a query: to issues, merge requests, keys and commits."""

from __future__ import annotations

import pytest

from trackdown.query.parse import understand
from trackdown.query.references import MOST_REFERENCES, find_references


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#123", [("issue", "123")]),
        ("regression of #123, see (#45) and GH-6", [("issue", "123"), ("issue", "45"), ("issue", "6")]),
        ("gh-17", [("issue", "17")]),
        ("introduced by !45", [("merge", "45")]),
        ("KAFKA-1234 again", [("key", "KAFKA-1234")]),
        ("since 1a2b3c4 it fails", [("commit", "1a2b3c4")]),
        ("since 0123456789abcdef0123456789abcdef01234567", [("commit", "0123456789abcdef0123456789abcdef01234567")]),
        ("#12 and #12", [("issue", "12")]),
    ],
)
def test_what_is_a_reference(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.kind, one.value) for one in find_references(text, typed=True)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "# 123",
        "other/project#123 and &#123;",
        "/#123 #12x #12345678",
        "UTF-8, SHA-256, ISO-8859-1, X-86, CVE-2024-1234",
        "A-1 abcdefa 12345678901234567890123456789012345678901",
        "not!! 1 != 2 and x!45",
        "0x1a2b3c4 deadbee",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ],
)
def test_what_is_not(text: str) -> None:
    assert find_references(text, typed=True) == ()


def test_in_a_longer_text_small_numbers_count_its_own_steps() -> None:
    assert understand("Scenario #1 fails, as in #17").references[0].value == "1"
    found = understand("It fails\n\nScenario #1 fails, as in #17, !3 and GH-8").references
    assert [one.text for one in found] == ["#17"]


def test_code_in_fences_is_not_searched_for_references() -> None:
    assert understand("It fails\n\n```\ncolor: #123456\n```\n").references == ()


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("#123", True),
        ("fix for #123?", True),
        ("commit 1a2b3c4", True),
        ("#123 cookie", False),
        ("KAFKA-12 and KAFKA-13", True),
        ("cookie", False),
    ],
)
def test_whether_a_query_says_anything_else(text: str, only: bool) -> None:
    assert understand(text).only_references == only


def test_there_is_a_limit() -> None:
    assert len(find_references(" ".join(f"#{number}" for number in range(500)), typed=True)) == MOST_REFERENCES
