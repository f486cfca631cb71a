"""A query with exemplars: their terms beside its own, or in their place."""

from __future__ import annotations

import math

import pytest

from tests.models.llm.made_llm import MadeLlm
from trackdown.models.llm.code_generation import CodeExample
from trackdown.query.augmented import code_weights, with_exemplars
from trackdown.query.exemplars import exemplar_prompts, write_exemplars
from trackdown.query.parse import understand

QUERY = understand("sign the session cookie")
EXEMPLAR = "def sign(cookie):\n    for part in cookie:\n        cookie = part"


def test_without_exemplars_nothing_changes() -> None:
    assert code_weights(QUERY) is QUERY.weights
    assert with_exemplars(QUERY, ()) is QUERY
    assert with_exemplars(QUERY, ["", "()", "a = b"]) is QUERY, "nothing in them can be searched for"


def test_weights_are_added_up() -> None:
    found = code_weights(with_exemplars(QUERY, [EXEMPLAR]))
    assert found["cookie"] == pytest.approx(QUERY.weights["cookie"] + 1 + math.log(3))
    assert found["session"] == QUERY.weights["session"] and found["part"] == pytest.approx(1 + math.log(2))
    assert "for" in found and "for" not in QUERY.weights, "what is a stop word in English says something in code"
    assert QUERY.weights == understand("sign the session cookie").weights, "the query's own stay what they are"


def test_several_have_the_say_of_one() -> None:
    found = code_weights(with_exemplars(QUERY, [EXEMPLAR, "return biscuit"]))
    assert found["biscuit"] == pytest.approx(0.5) and found["part"] == pytest.approx((1 + math.log(2)) / 2)
    twice = code_weights(with_exemplars(QUERY, [EXEMPLAR, EXEMPLAR]))
    assert twice == pytest.approx(code_weights(with_exemplars(QUERY, [EXEMPLAR])))


def test_alone_the_querys_words_take_no_part() -> None:
    found = code_weights(with_exemplars(QUERY, ["return biscuit"], only=True))
    assert found == {"return": 1.0, "biscuit": 1.0}


def test_what_is_empty_or_said_before_is_left_out() -> None:
    answers = iter(["```\nreturn biscuit\n```", None, "", "return biscuit", "return wafer"])
    asker = MadeLlm(lambda prompt: next(answers))
    assert write_exemplars(asker, QUERY, [], "python", 5) == ("return biscuit", "return wafer")
    assert write_exemplars(MadeLlm(lambda prompt: None), QUERY, [], "python") == ()


def test_every_prompt_shows_other_pairs_as_long_as_they_last() -> None:
    pairs = [CodeExample(f"number {n}", f"def f{n}(): pass") for n in range(6)]
    prompts = exemplar_prompts(QUERY, pairs, "python", 4096, 2)
    shown = [[answer for _, answer in prompt.examples] for prompt in prompts]
    assert shown == [[pair.code for pair in pairs[:4]], [pairs[n].code for n in (4, 5, 0, 1)]]
    assert QUERY.text in prompts[0].user and prompts[0].temperature == 0.0 < prompts[1].temperature
    assert exemplar_prompts(QUERY, [], "python", 4096)[0].examples == ()
