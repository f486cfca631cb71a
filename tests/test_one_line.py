"""The strongest reasons in one line: which are told, in which order, and what is not said twice."""

from __future__ import annotations

from trackdown.pipeline.explaining import reasons
from trackdown.pipeline.one_line import one_line_each
from trackdown.types import Match, Why

FOUND = {
    "lexical": Match("name has cookie", {"cookie": 7.0}),
    "commits": Match('file changed by "Sign" (2020)', {"abc Sign (2020-01-01)": 3.0}),
    "dense": Match("similar words", {"cosine": 0.7}),
    "encoder": Match("close in meaning", {"cosine": 0.5}),
}
VALUES = {"lexical": 0.4, "commits": 0.2, "dense": 0.1, "encoder": 0.6}


def line(found: dict[str, Match], values: dict[str, float], remark: str = "") -> str:
    (said,) = one_line_each([found], [values], [remark])
    return said


def test_each_kind_of_evidence_is_told_once_and_meaning_last() -> None:
    assert line(FOUND, VALUES) == 'name has cookie; file changed by "Sign" (2020); close in meaning'
    assert line(FOUND, VALUES | {"dense": 0.7}).endswith("; similar words")


def test_signals_that_nobody_has_heard_of_are_told() -> None:
    new = {**FOUND, "oracle": Match("foretold")}
    assert line(new, VALUES | {"oracle": 0.5}) == 'foretold; name has cookie; file changed by "Sign" (2020)'


def test_where_the_query_points_comes_first() -> None:
    named = {**FOUND, "mentions": Match("the query names it")}
    assert line(named, VALUES | {"mentions": 0.1}).startswith("the query names it; name has cookie; ")


def test_weak_and_contrary_evidence_is_left_out() -> None:
    assert line(FOUND, VALUES | {"commits": 0.01}) == "name has cookie; close in meaning"
    assert line(FOUND, VALUES | {"lexical": -0.4, "commits": -0.1}) == "close in meaning"
    doubtful = FOUND | {"encoder": Match("others are closer in meaning", telling=False)}
    assert line(doubtful, VALUES).endswith("; similar words")


def test_what_only_moved_a_result_is_told() -> None:
    assert line({"lexical": FOUND["lexical"], "graph": Match("calls load")}, {"lexical": 0.4}).endswith("; calls load")


def test_a_commit_is_told_once_unless_it_is_all_there_is() -> None:
    only = {"commits": FOUND["commits"]}
    lines = one_line_each([FOUND, FOUND, only], [VALUES, VALUES, {"commits": 0.2}], ["", "a test", ""])
    assert "file changed by" in lines[0]
    assert lines[1] == "name has cookie; close in meaning; a test"
    assert lines[2] == 'file changed by "Sign" (2020)'


def test_reasons_join_words_and_shares_by_signal() -> None:
    shares = {"lexical": 0.5, "ranker": -0.25}
    ((first, moved, last),) = reasons([{"lexical": FOUND["lexical"], "graph": Match("calls load")}], [shares], True)
    assert first == Why("lexical", 0.5, "name has cookie", {"cookie": 7.0})
    assert moved == Why("graph", 0.0, "calls load") and last == Why("ranker", -0.25, "")
    ((plain, _, _),) = reasons([{"lexical": FOUND["lexical"], "graph": Match("calls load")}], [shares], False)
    assert plain == Why("lexical", 0.5, "name has cookie")


def test_what_is_told_already_is_not_told_again() -> None:
    referred = FOUND | {"references": Match('commit abc mentions #1: "Sign" (2020)')}
    told = 'commit abc mentions #1: "Sign" (2020); name has cookie; close in meaning'
    assert line(referred, VALUES | {"references": 0.2}) == told
    parts = {"messages": Match('in load: says "No cookie"'), "lexical": Match("in load: name has cookie")}
    assert line(parts, {"messages": 0.5, "lexical": 0.4}) == 'in load: says "No cookie"; name has cookie'
    others = parts | {"lexical": Match("in save: name has cookie")}
    assert line(others, {"messages": 0.5, "lexical": 0.4}).endswith("; in save: name has cookie")


def test_a_result_without_a_telling_reason_has_an_empty_line() -> None:
    assert line({"dense": Match("similar words", telling=False)}, {"dense": 0.4}) == ""
