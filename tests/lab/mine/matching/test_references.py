"""Which issues messages say they resolve."""

from __future__ import annotations

import time

import pytest

from trackdown.errors import UsageError
from trackdown.lab.mine.matching.references import (
    closed_numbers,
    merged_pull,
    references_by_pattern,
    references_by_title,
    references_of,
    title_key,
)

NAMES = {"bitcoin/bitcoin"}


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Fixes #12", {"12"}),
        ("fix: closes #12, #13 and #14.", {"12", "13", "14"}),
        ("Resolves: issue 7", {"7"}),
        ("Fixed bitcoin/bitcoin#5, closes https://github.com/Bitcoin/bitcoin/issues/6", {"5", "6"}),
        ("Fixes other/project#5", set()),
        ("Fixes gh-8\n\ncloses #0009", {"8", "9"}),
        ("See #12. Prefixes #13. A fix for the cache", set()),
        ("Fixes 12 tests", set()),
    ],
)
def test_numbers_that_are_closed(message: str, found: set[str]) -> None:
    assert closed_numbers(message, NAMES) == found


def test_styles_of_trackers() -> None:
    named = references_of("key")("[TIMOB-12] x/timob-13-Label, TIMOB_14. Not x-1, MOBILE-12345678")
    assert named == {"TIMOB-12", "TIMOB-13", "TIMOB-14"}
    assert references_of("trac")("Trac #12: undo\n\nticket #13, fixes #14. Issue: #16") == {"12", "13", "14", "16"}
    assert references_of("trac")("#15: redo") == {"15"}
    assert references_of("bug")("Bug 12345: x. Fix for #2345, see show_bug.cgi?id=7, fix 20 things") == {
        "12345",
        "2345",
        "7",
    }
    assert references_of("fixes")("Trac #12: undo") == set()


def test_a_pattern_of_ones_own() -> None:
    assert references_by_pattern(r"\bPR(\d+)")("pr12, PR0013") == {"12", "13"}
    with pytest.raises(UsageError, match="is not a regular expression"):
        references_by_pattern("(")
    with pytest.raises(UsageError, match="has no group for the id"):
        references_by_pattern("bug [0-9]+")


def test_titles_as_subjects() -> None:
    titles = {title_key("Reading a file fails with umlauts"): "7", title_key("Other title of an issue"): "8"}
    find = references_by_title(titles)
    assert find("HADOOP-12. Reading a file fails with umlauts. Contributed by Ada Lovelace.") == {"7"}
    assert find("[SPARK-1][SQL] Reading a file\nfails with 'umlauts' (#12)\n\nMore text") == {"7"}
    assert find("Reading a file fails") == set() == references_by_title({"": "9"})("Fix it")
    assert title_key("Too short") == ""


def test_pull_requests_that_were_merged() -> None:
    messages = {
        "Merge pull request #12 from ada/x\n\nTitle": "12",
        "Merge bitcoin/bitcoin#13: net: x": "13",
        "Auto merge of #14 - ada:x, r=b": "14",
        "Fix it (#15)\n\nmore": "15",
        "Fix it (#15) (#16)": "16",
        "Fix #17": "",
        "Merge branch 'main'": "",
    }
    assert {message: merged_pull(message) for message in messages} == messages


def test_hostile_messages_take_no_time() -> None:
    started = time.monotonic()
    for text in (
        "fixes " * 20_000,
        "fixes" + " " * 100_000,
        "fixes #1" + ", #1" * 30_000,
        "a-" * 50_000,
        "bug " * 30_000,
    ):
        for style in ("fixes", "key", "trac", "bug"):
            references_of(style)(text)
        merged_pull(text)
        references_by_title({})(text)
    assert time.monotonic() - started < 10
