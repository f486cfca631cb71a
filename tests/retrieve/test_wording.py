"""What matched, in plain words."""

from __future__ import annotations

import pytest

from tests.index.segments import index_of
from trackdown.retrieve.candidate_pool import candidates
from trackdown.retrieve.wording import Field, part_of, terms_in_words


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"signing": "name", "session": "body", "cookie": "body"}, "name has signing; mentions session, cookie"),
        ({"session": "body", "cookie": "name", "web": "path"}, "name has cookie; mentions session; path has web"),
        ({"get_cookie_name": "name", "cookie": "name", "name": "body", "value": "body"}, None),
        ({"session": "name", "sessions": "path"}, "name has session"),
        ({"cookie": "name", "get_cookie_name": "body"}, "name has cookie; mentions get_cookie_name"),
        ({f"word{letter}": "body" for letter in "abcdef"}, "mentions worda, wordb, wordc, wordd"),
        ({"cookie": "name", "3": "body", "get_cookie_name": "name"}, "name has get_cookie_name"),
        ({}, ""),
    ],
)
def test_terms_stand_where_they_matched_without_repetitions(terms: dict[str, Field], said: str | None) -> None:
    assert terms_in_words(terms) == (said if said is not None else "name has get_cookie_name; mentions value")


def test_a_match_in_a_part_of_a_class_or_file_names_the_part() -> None:
    code = index_of({"a.py": "import os\n\n\nclass Session:\n    def load(self):\n        return os\n"})
    (load,), (session,) = code.units_named("Session.load"), code.units_named("Session")
    window = next(unit for unit in code.units_of(0) if code.kind(unit) == "window")
    files, classes, functions = (candidates(code, level) for level in ("file", "class", "function"))
    assert part_of(code, files, 0, load) == part_of(code, classes, 0, load) == "in load: "
    assert part_of(code, classes, 0, session) == part_of(code, functions, 0, load) == ""
    assert part_of(code, files, 0, window) == part_of(code, files, 0, -1) == ""
