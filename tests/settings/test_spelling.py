"""Variables that somebody misspelt."""

from __future__ import annotations

from trackdown.settings import misspelt_variables, unknown_variables


def test_a_misspelt_variable_is_answered_with_the_one_that_was_meant() -> None:
    environment = {"TRACKDOWN_STROE": "x", "TRACKDOWN_WIEGHT_DENSE": "1", "TRACKDOWN_STORE": "y", "HOME": "/"}
    assert misspelt_variables(environment) == [
        "TRACKDOWN_STROE is not a setting; did you mean TRACKDOWN_STORE?",
        "TRACKDOWN_WIEGHT_DENSE is not a setting; did you mean TRACKDOWN_WEIGHT_DENSE?",
    ]


def test_variables_that_are_like_no_setting_are_somebody_elses() -> None:
    environment = {"TRACKDOWN_GIT": "https://git.example.org", "TRACKDOWN_HOMEPAGE": "x", "_TRACKDOWN_COMPLETE": "y"}
    assert misspelt_variables(environment) == []
    assert unknown_variables(environment) == ["TRACKDOWN_GIT", "TRACKDOWN_HOMEPAGE"]
