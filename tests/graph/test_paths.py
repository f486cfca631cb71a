"""Paths within a repository: joined without dots, and the nearest of several."""

from __future__ import annotations

import pytest

from trackdown.graph.paths import joined_path, nearest_path, shared_length


@pytest.mark.parametrize(
    ("folder", "relative", "expected"),
    [
        ("", "a.c", "a.c"),
        ("src", "./a.c", "src/a.c"),
        ("src/lib", "../a.c", "src/a.c"),
        ("src", "../../a.c", "../a.c"),
        ("src", "..", ""),
        ("", "/a//b/", "a/b"),
    ],
)
def test_joined_path(folder: str, relative: str, expected: str) -> None:
    assert joined_path(folder, relative) == expected


def test_the_nearest_path_shares_most_folders_and_is_the_shortest_of_several() -> None:
    candidates = ["z/a.h", "src/net/deep/a.h", "src/net/a.h", "src/a.h"]
    assert nearest_path("src/net/http.c", candidates) == "src/net/a.h"
    assert nearest_path("other/x.c", candidates) == "z/a.h"
    assert nearest_path("src/x.c", []) is None


def test_shared_length_counts_leading_parts_only() -> None:
    assert shared_length("abxd", "abyd") == 2
    assert shared_length("ab", "") == 0
