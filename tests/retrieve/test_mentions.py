"""What a query names: paths, names, modules and frames of tracebacks, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.index.segments import corpus_of, index_of
from trackdown.index.code import CodeIndex
from trackdown.query.parse import understand
from trackdown.retrieve.candidate_pool import candidates
from trackdown.retrieve.channel import Request
from trackdown.retrieve.mentions import mentions, retrieve

SESSION = """class Session:
    def sign_cookie(self, value):
        return value

    def load(self):
        pass


def load():
    return Session()
"""
FILES = {
    "src/web/session.py": SESSION,
    "src/web/__init__.py": "",
    "src/web/router.js": "class Router {\n  handle(request) {\n    return request;\n  }\n}\n",
    "server/main.go": "package main\n\nfunc Serve(port int) {\n\tlisten(port)\n}\n",
    "src/lexer.rs": "fn next_token(input: &str) -> u8 {\n    0\n}\n",
    "java/org/acme/Metadata.java": "class Metadata {\n  void update(int x) {\n    run(x);\n  }\n}\n",
    "lib/util/text.py": "def trim(s):\n    return s\n",
    "lib/other/text.py": "def pad(s):\n    return s\n",
}


def named(index: CodeIndex, text: str) -> tuple[dict[str, float], dict[str, float]]:
    """(scores of units by symbol, scores of files by path)."""
    found = mentions(index, understand(text))
    units = {index.symbol(int(unit)): float(found.units[unit]) for unit in np.flatnonzero(found.units)}
    files = {index.path(int(file)): float(found.files[file]) for file in np.flatnonzero(found.files)}
    return units, files


@pytest.fixture(scope="module")
def index() -> CodeIndex:
    return index_of(FILES)


@pytest.mark.parametrize(
    ("text", "symbol", "path"),
    [
        (
            'File "/usr/lib/site-packages/web/session.py", line 3, in sign_cookie',
            "Session.sign_cookie",
            "src/web/session.py",
        ),
        ('File "src/web/session.py", line 6, in load', "Session.load", "src/web/session.py"),
        ('File "src/web/session.py", line 10, in load', "load", "src/web/session.py"),
        ("at org.acme.Metadata.update(Metadata.java:3)", "Metadata.update", "java/org/acme/Metadata.java"),
        ("    at Router.handle (/app/src/web/router.js:3:5)", "Router.handle", "src/web/router.js"),
        ("goroutine 1:\n\t/home/me/app/server/main.go:4 +0x1d", "Serve", "server/main.go"),
        ("thread 'main' panicked at src/lexer.rs:2:5:", "next_token", "src/lexer.rs"),
        ("see https://github.com/ada/shop/blob/main/src/web/session.py#L6-L7", "Session.load", "src/web/session.py"),
    ],
)
def test_a_frame_names_the_function_around_its_line(index: CodeIndex, text: str, symbol: str, path: str) -> None:
    units, files = named(index, f"it fails\n{text}\n")
    assert max(units, key=lambda item: units[item]) == symbol and units[symbol] >= 1.0
    assert max(files, key=lambda item: files[item]) == path and files[path] >= 1.0


def test_a_frame_whose_line_has_moved_goes_by_the_function(index: CodeIndex) -> None:
    units, _ = named(index, 'it fails\n  File "src/web/session.py", line 999, in sign_cookie\n')
    assert units["Session.sign_cookie"] >= 1.0


def test_the_last_frame_counts_most(index: CodeIndex) -> None:
    text = 'File "src/web/session.py", line 3, in sign_cookie\nFile "lib/util/text.py", line 2, in trim\n'
    _, files = named(index, f"it fails\n{text}")
    assert files["lib/util/text.py"] > files["src/web/session.py"] > 0


def test_frames_in_foreign_files_name_nothing(index: CodeIndex) -> None:
    units, files = named(index, 'it fails\n  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode_json\n')
    assert units == {} and files == {}


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("broken: src/web/session.py", ["src/web/session.py"]),
        ("broken: web/session.py", ["src/web/session.py"]),
        ("broken: session.py", ["src/web/session.py"]),
        ("broken: /home/me/checkout/src/web/session.py", ["src/web/session.py"]),
        ("broken: util/text.py", ["lib/util/text.py"]),
        ("broken: text.py", ["lib/other/text.py", "lib/util/text.py"]),
        ("broken: nowhere/session.py", []),
        ("everything below src/web/ is broken", ["src/web/__init__.py", "src/web/router.js", "src/web/session.py"]),
        ("everything below lib/util/ok/ is broken", []),
    ],
)
def test_a_path_names_the_files_that_end_with_it(index: CodeIndex, text: str, paths: list[str]) -> None:
    _, files = named(index, text)
    assert sorted(files) == paths


def test_a_path_that_several_files_end_with_counts_less(index: CodeIndex) -> None:
    _, one = named(index, "broken: util/text.py")
    _, two = named(index, "broken: text.py")
    assert one["lib/util/text.py"] == 1.0
    assert two["lib/util/text.py"] == two["lib/other/text.py"] == pytest.approx(1 / 2**0.5)


def test_a_folder_names_its_files_a_little(index: CodeIndex) -> None:
    _, files = named(index, "everything below java/org/acme breaks")
    assert files == {"java/org/acme/Metadata.java": pytest.approx(0.3)}


def test_a_name_that_stands_whole_counts_more_than_the_end_of_one(index: CodeIndex) -> None:
    units, files = named(index, "call load() again")
    assert units["load"] == pytest.approx(0.8 / 2**0.5)
    assert units["Session.load"] == pytest.approx(0.7 * 0.8 / 2**0.5)
    assert set(files) == {"src/web/session.py"}


def test_a_dotted_name_is_the_method(index: CodeIndex) -> None:
    units, _ = named(index, "Session.load is slow")
    assert units["Session.load"] == pytest.approx(0.8) and "load" not in units


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("web.session.Session.sign_cookie", "Session.sign_cookie"),
        ("web.session.load", "load"),
        ("Session::sign_cookie", "Session.sign_cookie"),
        ("Router#handle", "Router.handle"),
    ],
)
def test_a_name_with_its_module_or_class_is_found(index: CodeIndex, text: str, symbol: str) -> None:
    units, _ = named(index, text)
    assert max(units, key=lambda item: units[item]) == symbol


def test_of_equal_names_the_module_decides() -> None:
    index = index_of({"pkg/one.py": "def run(): pass\n", "pkg/two.py": "def run(): pass\n"})
    _, files = named(index, "pkg.two.run fails, see pkg.two.run")
    assert set(files) == {"pkg/two.py"}


@pytest.mark.parametrize(
    ("text", "path"),
    [("import web.session fails", "src/web/session.py"), ("util.text.strip fails", "lib/util/text.py")],
)
def test_a_dotted_name_may_be_a_module(index: CodeIndex, text: str, path: str) -> None:
    _, files = named(index, text)
    assert files == {path: pytest.approx(0.7)}


def test_a_package_is_its_init_file() -> None:
    index = index_of({"src/app/core/__init__.py": "x = 1\n", "src/app/other.py": "y = 2\n"})
    _, files = named(index, "app.core breaks")
    assert files == {"src/app/core/__init__.py": pytest.approx(0.7)}


def modules() -> tuple[Mapping[str, str], Mapping[str, str]]:
    return {"b/pkg/core.py": "x = 1\n", "z.py": "y = 1\n"}, {"a/pkg/core.py": "x = 1\n"}


def test_an_ambiguous_module_does_not_depend_on_what_was_indexed_first() -> None:
    first, second = modules()
    whole = named(index_of({**first, **second}), "pkg.core breaks")
    assert (
        named(index_of(first, second), "pkg.core breaks") == whole == named(index_of(second, first), "pkg.core breaks")
    )
    assert set(whole[1]) == {"a/pkg/core.py", "b/pkg/core.py"}


def test_a_name_that_very_many_have_says_nothing() -> None:
    index = index_of({f"m{number}.py": "def run_all(): pass\n" for number in range(41)})
    assert named(index, "run_all is slow") == ({}, {})
    few = index_of({f"m{number}.py": "def run_all(): pass\n" for number in range(40)})
    assert len(named(few, "run_all is slow")[1]) == 40


def test_saying_it_twice_adds_a_little(index: CodeIndex) -> None:
    _, once = named(index, "broken: src/lexer.rs")
    _, twice = named(index, "next_token in src/lexer.rs is broken")
    assert once["src/lexer.rs"] < twice["src/lexer.rs"] < 1.1


def request(index: CodeIndex, text: str, level: str) -> Request:
    assert level in ("function", "file", "class")
    return Request(corpus_of(index, None), candidates(index, level), understand(text))  # type: ignore[arg-type]


def test_without_a_mention_there_is_nothing_to_go_by(index: CodeIndex) -> None:
    assert retrieve(request(index, "the session is slow", "file"), []) is None


def test_a_file_speaks_for_its_functions_with_less(index: CodeIndex) -> None:
    wanted = request(index, "broken: src/web/session.py", "function")
    channel = retrieve(wanted, [])
    assert channel is not None and channel.floor == 1.0
    found = {
        index.symbol(int(unit)): score for unit, score in zip(wanted.candidates.units, channel.scores, strict=True)
    }
    assert found["Session.load"] == found["load"] == pytest.approx(0.4) and found["Serve"] == 0.0


def test_scores_have_a_ceiling(index: CodeIndex) -> None:
    text = "Session.sign_cookie load() src/web/session.py\n" + 'File "src/web/session.py", line 3, in sign_cookie\n' * 2
    for level in ("function", "class", "file"):
        channel = retrieve(request(index, text, level), [])
        assert channel is not None and channel.scores.max() <= 1.5


def test_reasons_say_what_the_query_mentions(index: CodeIndex) -> None:
    wanted = request(index, "Session.sign_cookie in src/web/session.py", "function")
    channel = retrieve(wanted, [])
    assert channel is not None
    best = int(np.argmax(channel.scores))
    (said,) = channel.reasons([best])
    assert said.text == "the query names it" and said.numbers == {"score": channel.scores[best]}


@pytest.mark.parametrize(
    ("text", "at_line", "beside", "of_file"),
    [
        (
            "src/web/session.py:3",
            "at line 3, which the query names",
            "in session.py, which the query names",
            "the query names line 3 in it",
        ),
        (
            'File "src/web/session.py", line 3, in sign_cookie',
            "in the traceback (line 3)",
            "its file is in the traceback (line 3)",
            "in the traceback (line 3)",
        ),
    ],
)
def test_a_place_is_in_a_traceback_only_if_the_query_has_one(
    index: CodeIndex, text: str, at_line: str, beside: str, of_file: str
) -> None:
    found, session = mentions(index, understand(text)), index.files_by_path["src/web/session.py"]
    functions, files = candidates(index, "function"), candidates(index, "file")
    said = {
        index.symbol(unit): found.in_words(index, functions, candidate, unit)
        for candidate, unit in enumerate(functions.units.tolist())
        if functions.files[candidate] == session
    }
    assert said == {"Session.sign_cookie": at_line, "Session.load": beside, "load": beside}
    file = files.files.tolist().index(session)
    assert found.in_words(index, files, file, -1) == of_file


def test_a_class_is_named_by_its_members(index: CodeIndex) -> None:
    wanted = request(index, "sign_cookie fails", "class")
    channel = retrieve(wanted, [])
    assert channel is not None
    best = int(np.argmax(channel.scores))
    assert index.symbol(int(wanted.candidates.units[best])) == "Session" and channel.scores[best] > 0


def test_dead_files_are_never_named() -> None:
    index = index_of({"a/old.py": "def gone_name(): pass\n", "b.py": "x = 1\n"}, {}, dead=[0])
    assert named(index, "gone_name in a/old.py") == ({}, {})


LETTERS = {
    "web/globals.py": "from x import Proxy\n\ng = Proxy()\n",
    "web/views.py": "def view():\n    g = 1\n    return g\n",
    "web/maths.py": "class Angle:\n    def g(self):\n        return 1\n\n\ndef gg():\n    return 2\n",
}


@pytest.mark.parametrize("text", ["g", "`g`", "web.g", "where does `g` come from"])
def test_a_name_of_one_letter_leads_to_what_defines_it(text: str) -> None:
    units, files = named(index_of(LETTERS), text)
    assert set(units) - {""} == {"Angle.g"}
    assert set(files) == {"web/globals.py", "web/maths.py"}
