"""What an answer is worth: nonsense is weak and says what would help, a name that is there is not."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from trackdown.confidence import ANSWER_FEATURES, RESULT_FEATURES, Calibration, LogisticModel, load_calibration
from trackdown.confidence.calibration import calibration_of
from trackdown.confidence.features import AnswerSigns
from trackdown.confidence.verdict import assess, listed
from trackdown.engine import answer_evidence
from trackdown.errors import ModelError
from trackdown.query import understand
from trackdown.request import SearchRequest
from trackdown.settings import Settings
from trackdown.types import Confidence, percent

SOURCE = "def {1}_{0}(value):\n    {0} = value\n    return {0}\n\n\ndef {0}_size():\n    pass\n"
THINGS = {"cookie": "sign", "header": "parse", "route": "match", "cart": "total", "user": "greet"}
FILES = {f"src/{name}.py": SOURCE.format(name, verb) for name, verb in THINGS.items()}


@pytest.fixture
def opened(repo: Repo, settings: Settings) -> trackdown.Repository:
    repo.commit("Begin", FILES)
    return trackdown.open(repo.root, settings=settings)


def features(opened: trackdown.Repository, query: str) -> dict[str, float]:
    return dict(answer_evidence(opened.corpus(), SearchRequest(query), opened.settings).signs.answer)


def test_words_that_occur_nowhere_are_seen(opened: trackdown.Repository) -> None:
    known, half, none = (features(opened, query) for query in ("sign cookie", "sign marzipan", "marzipan trombone"))
    assert known["unknown"] == 0 and known["covered_by_first"] == 1
    assert 0.3 < half["unknown"] < 0.9 and half["covered_by_first"] < known["covered_by_first"]
    assert none["covered_by_best"] == 0


def test_what_the_query_names_is_seen(opened: trackdown.Repository) -> None:
    assert features(opened, "sign_cookie fails")["mention"] > 0.5 > features(opened, "sign the cookie")["mention"]


def test_nonsense_is_less_likely_than_a_name_and_says_what_would_help(opened: trackdown.Repository) -> None:
    named, strange = opened.search("parse_header returns the wrong header"), opened.search("header walrus zeppelin")
    assert named.confidence is not None and strange.confidence is not None
    assert named.confidence.probability > strange.confidence.probability
    assert strange.confidence.verdict == "weak"
    assert "occurs nowhere" in strange.confidence.why and "the name of a function" in strange.confidence.why
    assert named[0].probability is not None and named[0].probability > (strange[0].probability or 0)


def test_words_of_which_none_occurs_need_no_percentage(opened: trackdown.Repository) -> None:
    query = "sign marzipan"
    signs = answer_evidence(opened.corpus(), SearchRequest(query), opened.settings).signs
    for changed, why in (
        ({"unknown": 1.0}, "none of the query's words occurs in this code"),
        ({"unknown": 0.0, "covered_by_best": 0.0}, "no result has any of the query's rare words"),
    ):
        worse = replace(signs, answer={**signs.answer, **changed})
        weak = replace(load_calibration(), weak=1.1)
        assert assess(understand(query), "function", worse, 1, weak).confidence.why.startswith(f"{why}. ")


def test_a_named_result_is_not_said_to_lack_the_rare_words(opened: trackdown.Repository) -> None:
    query = "sign_cookie"
    signs = answer_evidence(opened.corpus(), SearchRequest(query), opened.settings).signs
    assert signs.answer["mention"] > 0
    without = replace(signs, answer={**signs.answer, "unknown": 0.0, "covered_by_best": 0.0})
    weak = replace(load_calibration(), weak=1.1)
    assert "rare words" not in assess(understand(query), "function", without, 1, weak).confidence.why


def test_evidence_that_agrees_is_named(repo: Repo, settings: Settings) -> None:
    repo.commit("Begin", FILES)
    repo.commit("Sign the cookie", {"src/cookie.py": FILES["src/cookie.py"] + "\n"})
    opened = trackdown.open(repo.root, settings=settings)
    found = opened.search("sign_cookie").confidence
    assert found is not None and "words and history point to the same place" in found.why
    query, weak = "sign the cookie", replace(load_calibration(), weak=1.1)
    signs = answer_evidence(opened.corpus(), SearchRequest(query), opened.settings).signs
    assert assess(understand(query), "function", signs, 1, weak).confidence.why.startswith(
        "the evidence for the first result is thin. "
    )


@pytest.mark.parametrize("query", ['"return header"', "symbol:parse_header"])
def test_the_only_match_is_the_answer(opened: trackdown.Repository, query: str) -> None:
    found = opened.search(query)
    assert [result.symbol for result in found] == ["parse_header"]
    assert found.confidence == Confidence("strong", 0.99, "it is the only place that matches")
    assert (found.matching, found[0].probability) == (1, 0.99)


@pytest.mark.parametrize("query", ['"return"', "symbol:*_*", '"return" path:src'])
@pytest.mark.parametrize(("share", "verdict"), [(0.1, "weak"), (0.5, "likely"), (0.8, "strong"), (1.0, "strong")])
def test_a_list_is_as_likely_right_as_its_share_of_what_matches(
    opened: trackdown.Repository, query: str, share: float, verdict: str
) -> None:
    matching = len(opened.search(query, k=100))
    assert matching >= 5
    k = math.ceil(share * matching)
    found = opened.search(query, k=k)
    assert found.matching == matching and found.confidence is not None
    assert found.confidence.probability == pytest.approx(min(0.99, k / matching), abs=1e-4)
    assert found.confidence.verdict == verdict
    order = "the best matches come first" if '"' in query else "they are listed by name"
    why = f"{matching} places match, and {order}"
    if share == 1.0:
        why = f"all {matching} places that match are shown, and the query does not choose among them"
    assert found.confidence.why.startswith(why)
    assert ("Add words that say what to look for" in found.confidence.why) == (verdict == "weak")
    assert {result.probability for result in found} == {round(1 / matching, 4)}


def test_a_quoted_message_is_told_from_what_else_contains_it(repo: Repo, settings: Settings) -> None:
    text = "The cookie has no value for lunch"
    quoting = {f"src/b{n}.py": f"def quoting_{n}():\n    # {text}\n    pass\n" for n in range(20)}
    repo.commit("Begin", FILES | quoting | {"src/a.py": SAYING.format("bake").replace("for ' +", "for lunch' +")})
    with trackdown.open(repo.root, settings=settings) as opened:
        found = opened.search(f'"{text}"', effort="fast")
    assert found.matching is None and found[0].symbol == "bake"
    assert found.confidence is not None and found.confidence.verdict == "strong"
    assert "message" in found.confidence.why and (found[0].probability or 0) > (found[1].probability or 1)


def test_nothing_found_is_weak(opened: trackdown.Repository) -> None:
    found = opened.search("zeppelin", level="file")
    assert not found.results and found.confidence is not None
    assert (found.confidence.verdict, found.confidence.probability) == ("weak", 0.0)
    assert "nothing was found" in found.confidence.why and "level" not in found.confidence.why


def test_showing_less_is_less_likely_to_show_a_right_place(opened: trackdown.Repository) -> None:
    ten, one = (opened.search("size of a value", k=k, effort="fast").confidence for k in (10, 1))
    assert ten is not None and one is not None and one.probability < ten.probability


def test_a_single_result_is_as_likely_as_the_answer(opened: trackdown.Repository) -> None:
    for query in ("size of a value", "header walrus zeppelin", "symbol: header"):
        found = opened.search(query, k=1, effort="fast")
        assert found.confidence is not None and found.confidence.probability == found[0].probability


def plain(answer: float, result: float) -> Calibration:
    """The same probability for every answer and for every result, whatever their features."""

    def even(size: int, chance: float) -> LogisticModel:
        return LogisticModel((0.0,) * size, (1.0,) * size, (0.0,) * size, float(np.log(chance / (1 - chance))))

    answers, results = even(len(ANSWER_FEATURES), answer), even(len(RESULT_FEATURES), result)
    return Calibration(answers, results, weak=0.3, strong=0.8)


@pytest.mark.parametrize(("chance", "verdict"), [(0.29, "weak"), (0.31, "likely"), (0.79, "likely"), (0.81, "strong")])
def test_thresholds_make_the_verdict(chance: float, verdict: str) -> None:
    signs = AnswerSigns(dict.fromkeys(ANSWER_FEATURES, 0.0), np.zeros((10, len(RESULT_FEATURES) - 1)))
    found = assess(understand("sign the cookie"), "function", signs, 10, plain(chance, 0.1))
    assert found.confidence.verdict == verdict and found.confidence.probability == pytest.approx(chance)
    assert found.probabilities == tuple(sorted(found.probabilities, reverse=True)) and len(found.probabilities) == 10
    assert ("level file" in found.confidence.why) == (verdict == "weak")


@pytest.mark.parametrize("message", [0.0, 1.0])
@pytest.mark.parametrize("rows", [1, 3, 10, 20])
def test_answers_and_results_agree_however_many_are_shown(rows: int, message: float) -> None:
    random = np.random.default_rng(7 * rows)
    signs = AnswerSigns(dict.fromkeys(ANSWER_FEATURES, 0.0) | {"message": message}, random.random((rows, 12)))
    for chance in (0.02, 0.4, 0.9, 0.985):
        calibration = plain(chance, 0.1)
        varied = replace(calibration.result, weights=tuple(random.normal(0, 2, len(RESULT_FEATURES)).tolist()))
        calibration = replace(calibration, result=varied)
        before, known = 0.0, tuple[float, ...]()
        for count in range(1, rows + 1):
            found = assess(understand("no stock is left"), "function", signs, count, calibration)
            answer, each = found.confidence.probability, found.probabilities
            assert max(each) <= answer <= sum(each) + 1e-3 * count  # each is rounded
            assert answer >= before and each[:-1] == known and list(each) == sorted(each, reverse=True)
            assert count > 1 or answer == each[0]
            before, known = answer, each
        assert before == pytest.approx(max(chance, 0.8 * message), abs=1e-4)


def test_an_error_message_is_not_asked_for_another_one() -> None:
    features = dict.fromkeys(ANSWER_FEATURES, 0.0) | {"message": 0.4, "covered_by_best": 1.0}
    signs = AnswerSigns(features, np.zeros((10, len(RESULT_FEATURES) - 1)))
    why = assess(understand("no stock is left"), "function", signs, 10, plain(0.05, 0.1)).confidence.why
    assert why.startswith("several places use the message") and "in quotes" not in why
    silent = AnswerSigns(features | {"message": 0.0}, signs.results)
    why = assess(understand("no stock is left"), "function", silent, 10, plain(0.05, 0.1)).confidence.why
    assert why.startswith("the first results are nearly equal") and "in quotes" in why


def test_weights_for_other_features_are_refused() -> None:
    value = load_calibration().as_dict()
    assert calibration_of(value) == load_calibration()
    with pytest.raises(ModelError, match="other features"):
        calibration_of({**value, "features": {"answer": ["words"], "result": []}})


SAYING = "def {0}(value):\n    {0}s = 1\n    raise Failure('The cookie has no value for ' + value)\n"


def test_functions_that_say_the_same_message_do_not_compete(repo: Repo, settings: Settings) -> None:
    repo.commit("Begin", FILES | {f"src/a_{name}.py": SAYING.format(name) for name in ("bake", "fry")})
    with trackdown.open(repo.root, settings=settings) as opened:
        text = "The cookie has no value for lunch"
        signs = answer_evidence(opened.corpus(), SearchRequest(text, effort="fast"), opened.settings).signs
        found = opened.search(text, effort="fast")
    assert {result.symbol for result in found[:2]} == {"bake", "fry"}
    assert signs.answer["margin"] > 0.3
    assert found.confidence is not None and found.confidence.verdict != "weak"
    assert found.confidence.probability >= 0.8


def test_a_message_that_no_function_says_makes_an_answer_of_functions_weak(repo: Repo, settings: Settings) -> None:
    table = 'EMPTY = "The cookie has no value for a signature"\n'
    repo.commit("Begin", FILES | {"src/table.py": table})
    text = "The cookie has no value for a signature"
    with trackdown.open(repo.root, settings=settings) as opened:
        functions, files = opened.search(text), opened.search(text, level="file")
    assert functions.results and functions.confidence is not None and files.confidence is not None
    assert functions.confidence.verdict == "weak"
    assert functions.confidence.why == f'"{text}" is in src/table.py, outside any function. Ask for files (level file)'
    assert all((result.probability or 0) <= functions.confidence.probability for result in functions)
    assert files[0].path == "src/table.py" and files.confidence.verdict != "weak"


@pytest.mark.parametrize(("share", "text"), [(0.0, "0%"), (0.002, "<1%"), (0.006, "1%"), (0.974, "97%")])
def test_what_may_be_is_never_called_nothing(share: float, text: str) -> None:
    assert percent(share) == text


def test_a_list_of_very_many_places_gives_none_of_them_no_chance() -> None:
    assessed = listed(1, 50_000, load_calibration())
    assert assessed.confidence.probability > 0 and assessed.probabilities[0] > 0
    assert "both places that match are shown" in listed(2, 2, load_calibration()).confidence.why
