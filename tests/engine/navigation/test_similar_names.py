"""The names nearest to one that nobody has."""

from __future__ import annotations

import random

from tests.growth import calls_of
from trackdown.engine.navigation.similar_names import nearest_names

NAMES = ["Session.load", "Session.sign_cookie", "parse_header", "Cart", "Cart.total", "load"]


def test_the_nearest_comes_first_and_what_is_unlike_does_not_come() -> None:
    assert nearest_names("Session.sign_coookie", NAMES, ".")[0] == "Session.sign_cookie"
    assert nearest_names("zzzzzz", NAMES, ".") == []
    assert nearest_names("", NAMES, ".") == []
    assert nearest_names("x", [], ".") == []


def test_as_many_last_parts_are_compared_as_were_named() -> None:
    assert nearest_names("sign_coookie", NAMES, ".") == ["Session.sign_cookie"]
    assert nearest_names("laod", NAMES, ".")[:2] == ["load", "Session.load"]
    assert nearest_names("app.pi", ["src/flask/app.py", "setup.cfg"], "/") == ["src/flask/app.py"]


def test_case_does_not_matter_and_no_name_comes_twice() -> None:
    assert nearest_names("SIGN_COOKIE", [*NAMES, *NAMES], ".") == ["Session.sign_cookie"]


def test_only_so_many_are_named() -> None:
    assert len(nearest_names("load", [f"load{number}" for number in range(50)], ".", most=5)) == 5


def test_fifty_thousand_names_cost_a_few_calls_each() -> None:
    source = random.Random(7)
    words = ["".join(source.choices("abcdefghijklmnopqrstuvwxyz_", k=source.randint(4, 18))) for _ in range(4000)]
    names = [f"{source.choice(words)}.{source.choice(words)}" for _ in range(50_000)]
    wanted = names[777]
    assert calls_of(lambda: nearest_names(wanted[:-1], names, ".")) < 20 * len(names)
    assert nearest_names(wanted[:-1], names, ".")[0] == wanted
