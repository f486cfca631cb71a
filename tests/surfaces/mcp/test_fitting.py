"""Answers fit, whatever they hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trackdown.engine import CoChange, Related, Relative
from trackdown.surfaces.mcp.fitting import BYTES_PER_TOKEN, compact, cut, cut_value, fit, text_size, tokens
from trackdown.surfaces.mcp.history_answers import past
from trackdown.surfaces.mcp.place_answers import nearby, source
from trackdown.surfaces.mcp.search_answer import found
from trackdown.surfaces.mcp.tool_answer import ToolAnswer, refusal
from trackdown.types import HistoryResults, LineMatch, PastCommit, Result, SearchResults, UnitSource, Why

texts = st.text(st.characters(codec="utf-8") | st.sampled_from('\n"\\\x1b签 '), max_size=60)
long_texts = st.builds(lambda text, times: text * times, texts, st.sampled_from([1, 1, 1, 40, 200]))
lines = st.integers(1, 10**6)
budgets = st.sampled_from([200, 201, 260, 400, 1000, 5000])
reasons = st.lists(st.builds(Why, st.just("lexical"), st.floats(0, 9), texts), max_size=4).map(tuple)
results = st.builds(
    Result,
    lines,
    texts,
    long_texts,
    texts,
    st.just("method"),
    st.just("python"),
    lines,
    lines,
    st.floats(0, 9),
    long_texts,
    reasons,
    matches=st.lists(st.builds(LineMatch, lines, long_texts), max_size=6).map(tuple),
)
notes = st.lists(long_texts, max_size=7).map(tuple)


def check(answer: ToolAnswer, max_tokens: int) -> None:
    """It fits, in words and as a value."""
    assert tokens(answer.text) <= max_tokens
    assert tokens(compact(answer.value)) <= max_tokens
    assert answer.text.encode("utf-8")


@given(st.lists(results, max_size=8).map(tuple), notes, budgets, st.booleans())
def test_results_fit(hits: tuple[Result, ...], told: tuple[str, ...], budget: int, several: bool) -> None:
    answer = found(SearchResults("q", "function", hits, (), told), budget, several=several)
    check(answer, budget)
    assert len(answer.value["results"]) + answer.value["left_out"] == len(hits)
    assert [one["rank"] for one in answer.value["results"]] == [
        hit.rank for hit in hits[: len(answer.value["results"])]
    ]


@given(
    st.lists(
        st.builds(
            PastCommit,
            lines,
            texts,
            st.just("a" * 40),
            long_texts,
            st.just("2026-01-01"),
            texts,
            st.floats(0, 9),
            st.lists(long_texts, max_size=30).map(tuple),
            st.just(()),
        ),
        max_size=6,
    ).map(tuple),
    notes,
    budgets,
)
def test_commits_fit(commits: tuple[PastCommit, ...], told: tuple[str, ...], budget: int) -> None:
    check(past(HistoryResults("q", commits, (), told), budget, several=True), budget)


@given(
    long_texts,
    long_texts,
    st.lists(results, max_size=4).map(tuple),
    st.lists(st.builds(Relative, long_texts, texts, st.just("method"), lines, lines, st.just("name")), max_size=9).map(
        tuple
    ),
    st.lists(st.builds(CoChange, long_texts, lines, st.floats(0.001, 1), texts), max_size=4).map(tuple),
    notes,
    budgets,
)
def test_relations_fit(
    location: str,
    symbol: str,
    similar: tuple[Result, ...],
    callers: tuple[Relative, ...],
    together: tuple[CoChange, ...],
    told: tuple[str, ...],
    budget: int,
) -> None:
    related = Related(location, symbol, similar, together, callers, notes=told)
    check(nearby(related, budget, None), budget)


@given(long_texts, texts, st.lists(long_texts, min_size=1, max_size=40), st.integers(1, 10**6), notes, budgets)
def test_source_fits(path: str, symbol: str, text: list[str], first: int, told: tuple[str, ...], budget: int) -> None:
    body = [line.replace("\n", " ") for line in text]
    unit = UnitSource(
        "repo", path, symbol, "function", "python", first, first + len(body) - 1, 10**7, "\n".join(body), (), told
    )
    answer = source(unit, budget)
    check(answer, budget)
    shown = answer.value["text"].split("\n") if answer.value["left_out"] < len(body) else []
    assert len(shown) + answer.value["left_out"] == len(body)


@given(
    st.lists(st.lists(texts, min_size=1, max_size=4).map(lambda forms: sorted(forms, key=text_size))),
    st.integers(0, 400),
)
def test_first_comes_first_and_room_is_used(items: list[list[str]], room: int) -> None:
    chosen = fit(items, room, text_size)
    used = sum(map(text_size, chosen))
    assert used <= room or not chosen
    assert all(one in forms for one, forms in zip(chosen, items, strict=False))
    if len(chosen) < len(items):
        assert sum(text_size(forms[0]) for forms in items[: len(chosen) + 1]) > room


def test_all_get_a_second_form_before_one_gets_a_third() -> None:
    items = [("a", "aa", "a" * 9), ("b", "bb", "b" * 9), ("c",)]
    assert fit(items, 2 + 2 + 2 + 2, text_size) == ["aa", "bb", "c"]
    assert fit(items, 2 + 2 + 2 + 2 + 7, text_size) == ["a" * 9, "bb", "c"]
    assert fit(items, 7, text_size) == ["aa", "b", "c"], "the first comes first"
    assert fit(items, 4, text_size) == ["a", "b"]


@given(long_texts, st.integers(0, 100))
def test_what_is_cut_is_a_beginning(text: str, most: int) -> None:
    assert len(cut(text, most).encode()) <= most
    assert text.startswith(cut(text, most).removesuffix("…")) or cut(text, most) == ""
    assert not cut_value(text, most) or len(compact(cut_value(text, most)).encode()) < most
    assert "\n" not in refusal(text) and tokens(refusal(text)) <= 400


def test_a_token_is_some_bytes() -> None:
    assert tokens("") == 0 and tokens("abc") == 1 and tokens("x" * 35) == 10
    assert tokens("签" * 7) == 6
    assert BYTES_PER_TOKEN == 3.5
