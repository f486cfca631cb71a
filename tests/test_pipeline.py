"""The cascade: scores that add up, tests and prose below code, folders that restrict the answer and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from tests.growth import grows_at_most
from tests.index.segments import commits_of, corpus_of, index_of
from trackdown.index.corpus import Corpus
from trackdown.pipeline import Ranked, SearchPlan, Stopwatch, Tapped, search
from trackdown.query.parse import understand
from trackdown.types import LEVELS, TEST, Fusion, Level

BODY = "def {0}(cookie):\n    session = cookie\n    return session\n"
FILES = {
    "src/web/session.py": BODY.format("sign_cookie")
    + "\nclass Store:\n    def load(self, cookie):\n        return cookie\n",
    "src/web/router.py": BODY.format("route"),
    "src/core/header.py": "def parse_header(line):\n    return line\n",
    "tests/test_session.py": BODY.format("sign_cookie"),
    "docs/session.md": "# Session\n\nThe session cookie is signed.\n",
}
CLASSES = """class Empty:
    pass


class Full:
    def sign(self):
        return self

    def __init__(self):
        self.key = 1
"""
HISTORY = (
    ("Sign the session cookie", ["src/web/session.py", "tests/test_session.py"]),
    ("Parse headers", ["src/core/header.py"]),
    ("Route the cookie", ["src/web/router.py"]),
)
QUERIES = [
    "where is the session cookie signed?",
    "sign_cookie in src/web/session.py is broken",
    "unit tests of the session",
    "docs of the session cookie",
]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return corpus_of(index_of(FILES), commits_of(*HISTORY))


def places(corpus: Corpus, found: list[Ranked]) -> list[str]:
    code = corpus.code
    return [f"{code.path(item.file)}:{code.symbol(item.unit) if item.unit >= 0 else ''}" for item in found]


def scores(corpus: Corpus, found: list[Ranked]) -> dict[str, float]:
    return dict(zip(places(corpus, found), (item.score for item in found), strict=True))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_the_parts_of_a_score_sum_to_it(corpus: Corpus, level: Level, fusion: Fusion) -> None:
    assert search(corpus, understand(QUERIES[0]), SearchPlan(level, fusion=fusion))
    for text in QUERIES:
        for item in search(corpus, understand(text), SearchPlan(level, fusion=fusion)):
            assert sum(part.value for part in item.parts) == pytest.approx(item.score, rel=1e-12)
            assert all(part.value > 0 and part.text and not part.numbers for part in item.parts)
            assert item.reason and "\n" not in item.reason


def test_every_signal_has_its_part(corpus: Corpus) -> None:
    best = search(corpus, understand("sign_cookie of the session"), SearchPlan())[0]
    assert {part.signal for part in best.parts} == {"lexical", "mentions", "commits"}


def test_weights_are_what_a_signal_is_worth_at_most(corpus: Corpus) -> None:
    options = SearchPlan(weights=(("lexical", 0.25), ("commits", 0.125), ("mentions", 0.5)))
    found = search(corpus, understand("sign_cookie of the session"), options)
    best = {part.signal: part.value for part in found[0].parts}
    assert best["lexical"] == pytest.approx(0.25) and best["commits"] == pytest.approx(0.125)
    assert 0 < best["mentions"] <= 0.5
    silent = SearchPlan(weights=(("lexical", 1.0), ("commits", 0.0), ("mentions", 0.0)))
    for item in search(corpus, understand("sign_cookie of the session"), silent):
        assert [part.signal for part in item.parts] == ["lexical"]


def test_without_history_the_rest_ranks(corpus: Corpus) -> None:
    found = search(corpus_of(corpus.code, None), understand("sign the session cookie"), SearchPlan())
    assert {part.signal for item in found for part in item.parts} == {"lexical"}


def test_tests_rank_below_code_unless_they_are_asked_for(corpus: Corpus) -> None:
    plain = scores(corpus, search(corpus, understand("sign the session cookie"), SearchPlan()))
    code, test = plain["src/web/session.py:sign_cookie"], plain["tests/test_session.py:sign_cookie"]
    assert test < 0.5 * code
    asked = scores(corpus, search(corpus, understand("unit tests that sign the session cookie"), SearchPlan()))
    assert asked["tests/test_session.py:sign_cookie"] > 0.5 * asked["src/web/session.py:sign_cookie"]


def test_a_test_says_what_being_one_costs_it(corpus: Corpus) -> None:
    found = search(corpus, understand("sign the session cookie"), SearchPlan(numbers=True))
    by_place = dict(zip(places(corpus, found), found, strict=True))
    test, code = by_place["tests/test_session.py:sign_cookie"], by_place["src/web/session.py:sign_cookie"]
    assert test.reason.endswith("; a test") and "a test" not in code.reason
    assert test.parts[0].numbers["factor (a test)"] == 0.3
    assert not any("factor" in name for part in code.parts for name in part.numbers)


def test_prose_ranks_below_code_unless_it_is_asked_for(corpus: Corpus) -> None:
    plain = scores(corpus, search(corpus, understand("signed session cookie"), SearchPlan("file")))
    asked = scores(corpus, search(corpus, understand("docs: signed session cookie"), SearchPlan("file")))
    assert asked["docs/session.md:"] > 1.5 * plain["docs/session.md:"]
    assert (
        places(corpus, search(corpus, understand("signed session cookie"), SearchPlan("file")))[0]
        == "src/web/session.py:"
    )


def test_tests_can_be_left_out_and_nothing_else_changes(corpus: Corpus) -> None:
    query = understand("sign the session cookie")
    for level in LEVELS:
        all_of_it = scores(corpus, search(corpus, query, SearchPlan(level, k=100)))
        without = scores(corpus, search(corpus, query, SearchPlan(level, k=100, without_roles=frozenset({TEST}))))
        assert without == {place: score for place, score in all_of_it.items() if not place.startswith("tests/")}


@pytest.mark.parametrize("folders", [("src/web",), ("src/web/session.py",), ("tests", "docs"), ("src", "docs")])
def test_folders_restrict_the_answer_and_not_the_scores(corpus: Corpus, folders: tuple[str, ...]) -> None:
    query = understand("sign the session cookie")
    for level in LEVELS:
        everything = scores(corpus, search(corpus, query, SearchPlan(level, k=100)))
        inside = scores(corpus, search(corpus, query, SearchPlan(level, k=100, folders=folders)))
        expected = {
            place: score
            for place, score in everything.items()
            if any(place.startswith((f"{folder}/", f"{folder}:")) for folder in folders)
        }
        assert inside == expected
        assert search(corpus, query, SearchPlan(level, folders=("",))) == search(corpus, query, SearchPlan(level))


def test_k_cuts_the_same_list(corpus: Corpus) -> None:
    query = understand("sign the session cookie")
    whole = places(corpus, search(corpus, query, SearchPlan(k=100)))
    assert len(whole) > 3
    for k in range(1, len(whole) + 1):
        assert places(corpus, search(corpus, query, SearchPlan(k=k))) == whole[:k]


@pytest.mark.parametrize("text", ["{0}:2", "thread 'main' panicked at {0}:2:5:", "{0}:2: E711 what is wrong here"])
def test_a_line_with_a_place_means_that_place(text: str) -> None:
    """The words of its path are in the names of other units."""
    others = "def writer_of_the_printer_standard(printer, standard):\n    return printer.standard.writer\n"
    index = index_of({"printer/standard.py": BODY.format("begin"), "src/writer.py": others})
    found = search(corpus_of(index, None), understand(text.format("printer/standard.py")), SearchPlan())
    assert places(corpus_of(index, None), found)[0] == "printer/standard.py:begin"


def test_a_place_counts_more_than_what_is_named_beside_it() -> None:
    index = index_of({"a.py": BODY.format("begin"), "b.py": BODY.format("log_unexpected")})
    query = understand("a.py:2: error: call to undeclared function 'log_unexpected'")
    found = search(corpus_of(index, None), query, SearchPlan())
    assert places(corpus_of(index, None), found) == ["a.py:begin", "b.py:log_unexpected"]


def test_a_place_in_several_lines_counts_as_other_mentions() -> None:
    """As in the message of a commit that somebody asks for by its id."""
    index = index_of({"a.py": BODY.format("begin"), "b.py": BODY.format("log_unexpected")})
    one, several = (understand(f"log_unexpected{space}see a.py:2 for a caller") for space in (" ", "\n"))
    shares = []
    for query in (one, several):
        (begin,) = [one for one in search(corpus_of(index, None), query, SearchPlan()) if one.unit == 0]
        shares.append(next(why.value for why in begin.parts if why.signal == "mentions"))
    assert shares[0] > 3 * shares[1]


def test_notes_say_why_a_place_leads_nowhere() -> None:
    twos = {f"{folder}/b.py": "two = 2\n" for folder in "wxyz"}
    index = index_of({"a.py": f"first = 1\n\n\n{BODY.format('begin')}", "c.py": CLASSES, **twos})
    for text, level, elsewhere, note in (
        ("a.py:1", "function", "no function is at line 1 of a.py", []),
        ("a.py:1", "file", "", []),
        ("a.py:4", "function", "", []),
        ("b.py:7", "function", "", ["4 files are called b.py: add the folder to find line 7"]),
        ("w/b.py", "function", "w/b.py has no function", []),
        ("class Empty", "function", "Empty is a class in c.py", []),
        ("class Full", "function", "", ["Full is a class: search with level class"]),
        ("class Full", "class", "", []),
        ("why\ndoes a.py:1 fail", "function", "", []),
    ):
        notes: list[str] = []
        taps: list[Tapped] = []
        corpus = replace(corpus_of(index, None), note=notes.append)
        found = search(corpus, understand(text), SearchPlan(cast(Level, level)), tap=taps.append)
        assert ([one.elsewhere for one in taps], notes) == ([elsewhere], note), text
        if text == "class Full" and level == "function":
            assert places(corpus, found)[:2] == ["c.py:Full.__init__", "c.py:Full.sign"]


def test_a_host_with_a_port_is_no_place() -> None:
    """What else the query names counts as it does without it."""
    index = index_of({"net/sockets.py": BODY.format("open_socket"), "net/times.py": BODY.format("close")})
    plain, told = (
        search(corpus_of(index, None), understand(f"open_socket {text} times out"), SearchPlan())
        for text in ("to host", "to db.internal:5432")
    )
    shares = [next(why.value for why in found[0].parts if why.signal == "mentions") for found in (plain, told)]
    assert shares[0] > 0 and shares[1] == pytest.approx(shares[0])


def test_equals_stand_by_path_and_line_wherever_they_are_stored() -> None:
    twin = "def cookie(): pass\n\n\ndef cookie(): pass\n"
    whole = corpus_of(index_of({"b.py": twin, "a.py": twin}), None)
    split = corpus_of(index_of({"b.py": twin}, {"a.py": twin}), None)
    for corpus in (whole, split):
        found = search(corpus, understand("cookie"), SearchPlan())
        lines = [(corpus.code.path(item.file), int(corpus.code.unit_start[item.unit])) for item in found]
        assert lines == [("a.py", 1), ("a.py", 4), ("b.py", 1), ("b.py", 4)]
        assert len({item.score for item in found}) == 1


def test_a_file_shows_its_best_unit(corpus: Corpus) -> None:
    found = search(corpus, understand("sign cookie"), SearchPlan("file"))
    assert corpus.code.symbol(found[0].best_unit) == "sign_cookie" and found[0].unit == -1


def test_nothing_matches_nothing(corpus: Corpus) -> None:
    assert search(corpus, understand("zebra quagga"), SearchPlan()) == []
    assert search(corpus_of(index_of({}), None), understand("zebra"), SearchPlan()) == []


@pytest.mark.parametrize("level", LEVELS)
def test_an_empty_index_has_no_answer(level: Level) -> None:
    assert search(corpus_of(index_of({"a.py": b"\0"}), None), understand("sign_cookie a.py"), SearchPlan(level)) == []


NASTY = [
    "a.",
    "a.b",
    "/a",
    "a/",
    "x/y{0}/z{0} ",
    "obj{0}.run{0}() ",
    "file{0}.py:3 ",
    'File "a{0}.py", line 3\n',
    "`a{0}` ",
]


@pytest.mark.parametrize("piece", NASTY)
def test_no_query_takes_more_than_linear_time(corpus: Corpus, piece: str) -> None:
    def ask(length: int) -> Sequence[object]:
        text = "sign the cookie " + "".join(piece.format(number) for number in range(length // len(piece)))
        return search(corpus, understand(text), SearchPlan())

    assert grows_at_most(10, ask, 10_000, 40_000)
    assert ask(100_000)


def test_every_stage_is_timed(corpus: Corpus) -> None:
    watch = Stopwatch()
    search(corpus, understand("cookie"), SearchPlan(), watch)
    assert list(watch.timings) == [
        "lexical",
        "mentions",
        "messages",
        "commits",
        "references",
        "dense",
        "fuse",
        "explain",
    ]
    assert all(value >= 0 for value in watch.timings.values())


def test_reasons_are_listed_strongest_first(corpus: Corpus) -> None:
    for text in QUERIES:
        for item in search(corpus, understand(text), SearchPlan()):
            values = [part.value for part in item.parts]
            assert values == sorted(values, reverse=True)
