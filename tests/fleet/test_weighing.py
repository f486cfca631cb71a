"""Answers of several repositories become one list by how likely each repository has the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trackdown.fleet.weighing import of_a_part, overall, repository_shares, weighed
from trackdown.types import Confidence, Result, SearchResults, Verdict


def test_the_better_repository_is_trusted_more_than_its_score_says() -> None:
    shares = repository_shares({"web": 2.0, "shop": 1.0, "maps": 0.5}, ["web", "shop"])
    assert shares["web"] / shares["shop"] == pytest.approx(16)
    assert sum(shares.values()) < 1  # maps may have it, and is not looked into


def test_where_nothing_is_known_all_are_alike() -> None:
    assert repository_shares({}, ["web", "shop"]) == {"web": 0.5, "shop": 0.5}
    assert repository_shares({"web": 1.0}, ["web", "shop"]) == {"web": 1.0, "shop": 0.0}


@pytest.mark.parametrize(
    ("verdict", "probability", "share", "expected"),
    [
        ("strong", 0.95, 1.0, "strong"),
        ("strong", 0.95, 0.6, "likely"),
        ("strong", 0.95, 0.1, "weak"),
        ("likely", 0.5, 0.9, "likely"),
        ("likely", 0.5, 0.5, "weak"),
        ("weak", 0.1, 1.0, "weak"),
    ],
)
def test_an_answer_is_as_sure_as_its_repository(
    verdict: Verdict, probability: float, share: float, expected: Verdict
) -> None:
    answer = SearchResults("q", "function", (), confidence=Confidence(verdict, probability, "words agree"))
    found = weighed(answer, share).confidence
    assert found is not None and found.verdict == expected
    assert found.probability == pytest.approx(probability * share)
    assert ("other repositories" in found.why) == (expected == "weak" != verdict)


def test_what_only_lists_is_right_wherever_it_is() -> None:
    result = Result(1, "web", "a.py", "f", "function", "python", 1, 2, 1.0, "", ())
    sure = SearchResults("q", "function", (result,), confidence=Confidence("strong", 0.99, "one matches"))
    sure = replace(sure, matching=1)
    assert weighed(sure, 0.3) == sure
    assert overall([(sure, 0.5)]) is None


def test_several_repositories_are_as_sure_as_all_of_them_together() -> None:
    sure = SearchResults("q", "function", (), confidence=Confidence("strong", 0.9, "words agree"))
    unsure = SearchResults("q", "function", (), confidence=Confidence("weak", 0.1, "no word occurs"))
    assert overall([(sure, 0.5), (sure, 0.5)]) == Confidence("strong", 0.9, "words agree")
    found = overall([(sure, 0.5), (unsure, 0.5)])
    assert found == Confidence("likely", 0.5, "words agree")
    assert overall([(sure, 0.5), (SearchResults("q", "function", ()), 0.5)]) is None


def test_a_list_of_a_part_of_the_fleet_is_never_strong() -> None:
    found = of_a_part(Confidence("strong", 0.99, "both places that match are shown"))
    assert found.verdict == "likely" and found.probability < 0.99
    assert found.why == "both places that match are shown. Not every repository was looked into"
