"""BM25 over units: body, name and path, and the words that explain it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.segments import corpus_of, index_of
from trackdown.index.code import CodeIndex
from trackdown.query.parse import understand
from trackdown.retrieve.candidate_pool import candidates
from trackdown.retrieve.channel import Request
from trackdown.retrieve.lexical import Lexical, LexicalParameters, retrieve

FILES = {
    "web/cookie.py": "def sign(value):\n    return value + secret\n\ndef read(value):\n    return value\n",
    "web/other.py": "def sign_cookie(value):\n    return value\n\ndef mention():\n    cookie = 1\n    return cookie\n",
    "web/far.py": "def nothing():\n    return 0\n",
}


def units(index: CodeIndex, scores: object) -> dict[str, float]:
    values = np.asarray(scores)
    return {index.symbol(unit): float(values[unit]) for unit in range(len(values)) if index.symbol(unit)}


def test_body_name_and_path_add_up_with_their_weights() -> None:
    index = index_of(FILES)
    weights = {"cookie": 1.0, "value": 2.0}
    parameters = LexicalParameters(k1=1.1, b=0.6, name=0.7, path=0.3)
    found = Lexical(index, weights, parameters)
    terms, values = list(weights), list(weights.values())
    body = index.score("body", terms, values, 1.1, 0.6).total
    name = index.score("name", terms, values, 1.2, 0.5).total
    path = index.score("path", terms, values, 1.2, 0.5).total[index.unit_file]
    own = body + 0.7 * name
    assert found.units.tolist() == np.where(own > 0, own + 0.3 * path, 0).tolist()
    assert (name > 0).any() and (path > 0).any()


def test_a_path_alone_is_no_evidence_for_a_unit() -> None:
    index = index_of(FILES)
    scores = units(index, Lexical(index, {"cookie": 1.0}).units)
    assert scores["sign"] == scores["read"] == scores["nothing"] == 0.0
    assert scores["sign_cookie"] > 0 and scores["mention"] > 0


def test_a_path_adds_to_what_a_unit_has_itself() -> None:
    index = index_of({"web/cookie.py": "def sign(value): pass\n", "web/other.py": "def sign(value): pass\n"})
    cookie, other = (
        Lexical(index, {"cookie": 1.0, "value": 1.0}).units[next(iter(index.units_of(file)))] for file in (0, 1)
    )
    assert cookie > other > 0


def test_matches_name_the_strongest_terms_and_where_they_stand() -> None:
    index = index_of(FILES)
    found = Lexical(index, {"cookie": 1.0, "value": 1.0, "absent": 1.0})
    (unit,) = index.units_named("sign_cookie")
    (match,) = found.matches([unit])
    assert match.text == "name has cookie; mentions value" and list(match.numbers) == ["cookie", "value"]
    assert found.matches([]) == []


def test_matches_sum_to_the_score() -> None:
    index = index_of(FILES)
    found = Lexical(index, {"cookie": 1.0, "value": 1.0})
    (unit,) = index.units_named("sign_cookie")
    assert sum(found.matches([unit])[0].numbers.values()) == pytest.approx(found.units[unit])


def test_at_most_six_terms_are_shown() -> None:
    index = index_of({"a.py": "def f():\n    " + " + ".join(f"word{number}" for number in range(20)) + "\n"})
    found = Lexical(index, {f"word{number}": 1.0 for number in range(20)})
    (match,) = found.matches([0])
    assert len(match.numbers) == 6 and match.text == "mentions " + ", ".join(list(match.numbers)[:4])


def test_the_channel_has_scores_of_candidates_and_of_units() -> None:
    index = index_of(FILES)
    pool = candidates(index, "function")
    channel = retrieve(Request(corpus_of(index, None), pool, understand("cookie")), [])
    assert channel.units is not None
    assert channel.scores.tolist() == channel.units[pool.units].tolist()
    best = int(np.argmax(channel.scores))
    assert "cookie" in channel.reasons([best])[0].text
    assert channel.floor == 0.0
