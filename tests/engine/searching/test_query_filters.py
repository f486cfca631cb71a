"""Filters inside a query, `exclude` and patterns: what they leave in the answer, and what they say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.errors import UsageError

Opener = Callable[[Path | str], trackdown.Repository]
STORE = '''class Store:
    """Keeps cookies."""

    def get(self, cookie):
        return cookie

    def put(self, cookie):
        """Raise no secret
        key for a cookie."""
        return cookie
'''
FILES = {
    "src/web/store.py": STORE,
    "src/web/sign.py": "def sign(cookie):\n    return cookie\n\n\ndef get(cookie):\n    return cookie\n",
    "src/web/sign.js": "function sign(cookie) {\n  return cookie;\n}\n",
    "src/core/my notes/a.py": "LIMIT = 'cookie'\n\n\ndef note(cookie):\n    return 'no secret key', cookie\n",
    "tests/web/test_sign.py": "def test_sign(cookie):\n    assert sign(cookie)\n",
}


@pytest.fixture
def opened(repo: Repo, open_repo: Opener) -> trackdown.Repository:
    repo.commit("Begin", FILES)
    return open_repo(repo.root)


def found(answer: trackdown.SearchResults) -> set[str]:
    return {f"{result.path.rsplit('/', 1)[-1]}:{result.symbol}" for result in answer}


EVERYTHING = {
    "store.py:Store.get",
    "store.py:Store.put",
    "sign.py:sign",
    "sign.py:get",
    "sign.js:sign",
    "a.py:note",
    "test_sign.py:test_sign",
}
IN_WEB = {one for one in EVERYTHING if not one.startswith(("a.py", "test_"))}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("", EVERYTHING),
        ("path:src/web", IN_WEB),
        ("path:web", IN_WEB | {"test_sign.py:test_sign"}),
        ("path:/web", set()),
        ("path:*.js path:core", {"sign.js:sign", "a.py:note"}),
        ('path:"my notes"', {"a.py:note"}),
        ("path:s*/**/s*.py", {"store.py:Store.get", "store.py:Store.put", "sign.py:sign", "sign.py:get"}),
        ("-path:tests -path:*.py", {"sign.js:sign"}),
        ("path:web -path:tests lang:py kind:function", {"sign.py:sign", "sign.py:get"}),
        ("lang:js", {"sign.js:sign"}),
        ("-lang:python", {"sign.js:sign"}),
        ("kind:method", {"store.py:Store.get", "store.py:Store.put"}),
        ("-kind:method path:web -path:tests", {"sign.py:sign", "sign.py:get", "sign.js:sign"}),
        ("kind:class", {"store.py:Store"}),
        ("kind:class,fn path:store.py", {"store.py:Store"}),
        ("kind:file path:store.py", {"store.py:"}),
        ("kind:window", {"a.py:"}),
        ("symbol:get", {"store.py:Store.get", "sign.py:get"}),
        ("symbol:store.GET", {"store.py:Store.get"}),
        ("symbol:Store", {"store.py:Store"}),
        ("symbol:Store.*", {"store.py:Store.get", "store.py:Store.put"}),
        ("symbol:get -symbol:Store.get", {"sign.py:get"}),
    ],
)
def test_filters_limit_an_answer_and_alone_list_what_matches(
    opened: trackdown.Repository, filters: str, expected: set[str]
) -> None:
    assert found(opened.search(f"cookie {filters}", k=50)) == expected
    if filters:
        listed = opened.search(filters, k=50)
        assert found(listed) == expected
        assert listed.confidence is not None and listed.confidence.verdict == ("strong" if expected else "weak")
        assert all(result.why[0].signal == "filters" and result.score == 1.0 for result in listed)


def test_a_list_is_ordered_by_name_and_says_how_much_there_is(opened: trackdown.Repository) -> None:
    listed = opened.search("lang:python symbol:*", k=3)
    assert [result.symbol for result in listed] == ["Store", "Store.get", "Store.put"]
    assert listed.matching == 7 and listed.confidence is not None
    assert listed.confidence.why == "7 places match, and they are listed by name"
    everything = opened.search("lang:python symbol:*")
    assert [result.symbol for result in everything][3:] == ["get", "note", "sign", "test_sign"]
    assert everything.matching == 7


def test_who_has_exactly_the_name_comes_first(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"a.py": "def GET(): pass\n", "b.py": "class A:\n    def get(self): pass\n"})
    assert [result.symbol for result in open_repo(repo.root).search("symbol:get")] == ["A.get", "GET"]


def test_a_variable_of_one_letter_is_found_by_its_name(repo: Repo, open_repo: Opener) -> None:
    tests = "def test_g():\n    def g(): pass\n"
    repo.commit("Begin", {"globals.py": "import os\n\ng = os.environ\n", "h.py": "h = 1\n", "tests/test_g.py": tests})
    opened = open_repo(repo.root)
    listed = opened.search("symbol:g").results
    assert [(result.path, result.symbol) for result in listed] == [("globals.py", ""), ("tests/test_g.py", "test_g.g")]
    assert listed[0].reason == "matches symbol:g: defines g"
    assert [result.path for result in opened.search("environ symbol:G")] == ["globals.py"]
    assert found(opened.search("symbol:g kind:function")) == {"test_g.py:test_g.g"}


@pytest.mark.parametrize(
    ("query", "prefixes"),
    [
        ("symbol:", ["symbol:"]),
        ("sign path: lang:python", ["path:"]),
        ('sign -kind:"" symbol: symbol:', ["-kind:", "symbol:"]),
        ('"path: x" sign `lang: y` xpath:', []),
        ("Sign the cookie\n\nThe option path: is ignored", []),
    ],
)
def test_a_filter_without_a_value_is_told(opened: trackdown.Repository, query: str, prefixes: list[str]) -> None:
    notes = opened.search(query, effort="fast").notes
    assert [note.split(" ")[0] for note in notes if "searched for as a word" in note] == prefixes


def test_the_answer_says_which_filters_it_understood(opened: trackdown.Repository) -> None:
    answer = opened.search("cookie lang:js -path:tests")
    assert any(note.startswith("filters in the query: lang:javascript -path:tests") for note in answer.notes)
    assert not opened.search("cookie in a path of tests").notes


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("path:nowhere", "no indexed file matches nowhere: *nowhere* also matches parts of names"),
        ("cookie lang:rust", "no indexed file is in rust"),
        ("symbol:nobody", "no function or class is called nobody: nobody* matches the beginning of a name"),
    ],
)
def test_a_filter_that_matches_nothing_is_told(opened: trackdown.Repository, query: str, note: str) -> None:
    answer = opened.search(query)
    assert not answer.results and note in answer.notes


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("cookie lang:klingon", "unknown language 'klingon'; known are bash"),
        ("cookie -kind:verb", "unknown kind 'verb'; known are class, enum, file"),
        ("cookie path:[a", "is not a pattern of paths: write src/web"),
        ("cookie -path:/", "is not a pattern of paths"),
        ("cookie -kind:function -kind:method", "leaves nothing to find"),
        ("kind:file kind:class", "kind:file ranks whole files"),
    ],
)
def test_values_that_make_no_sense_are_refused(opened: trackdown.Repository, query: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem.replace("[", r"\[")) as raised:
        opened.search(query)
    assert "\n" not in str(raised.value)


def test_an_issue_that_speaks_of_filters_is_not_filtered(opened: trackdown.Repository) -> None:
    issue = "path:nowhere lang:klingon is ignored for a cookie\n\nI set path:nowhere, and kind:verb."
    answer = opened.search(issue, k=50)
    assert found(answer) == EVERYTHING and not answer.notes


def test_a_query_of_phrases_finds_only_what_has_them(opened: trackdown.Repository) -> None:
    assert found(opened.search('"No secret key"', k=50)) == {"a.py:note", "store.py:Store.put"}
    assert found(opened.search('"no secret key" "raise no"', k=50)) == {"store.py:Store.put"}
    assert found(opened.search('"no secret key" -path:core', k=50, level="file")) == {"store.py:"}
    assert found(opened.search('"secret no key"')) == set()
    assert len(opened.search('a cookie with "no secret key"', k=50)) > 2  # evidence among other words


def test_a_phrase_may_go_on_in_the_next_line_of_a_comment(repo: Repo, open_repo: Opener) -> None:
    lines = "def load(a):\n    # Sessions are kept until\n    # the browser closes.\n    return a\n"
    block = "/**\n * Sessions are kept until\n * the browser closes.\n */\nfunction keep(a) {\n  return a;\n}\n"
    repo.commit("Begin", {"load.py": lines, "keep.js": block, "other.py": "def until(a):\n    return a\n"})
    answer = open_repo(repo.root).search('"kept until the browser"')
    assert found(answer) == {"load.py:load", "keep.js:keep"}


def test_a_phrase_may_go_on_in_the_next_line_of_a_string(repo: Repo, open_repo: Opener) -> None:
    python = 'def load(a):\n    raise KeyError("Sessions are kept "\n        f"until the browser {a} closes")\n'
    java = 'class Keep {\n  void keep() {\n    fail("kept until" +\n        " the browser closes");\n  }\n}\n'
    apart = 'def until(a):\n    return ["kept",\n        "until the browser"]\n'
    repo.commit("Begin", {"load.py": python, "Keep.java": java, "apart.py": apart})
    answer = open_repo(repo.root).search('"kept until the browser"')
    assert found(answer) == {"load.py:load", "Keep.java:Keep.keep"}


def test_a_phrase_that_occurs_nowhere_is_told(opened: trackdown.Repository) -> None:
    note = "no indexed file contains the phrase; remove the quotes to search for its words"
    assert note in opened.search('"secret no key"').notes
    note = "no indexed file contains all the phrases in one place; remove the quotes to search for their words"
    assert note in opened.search('"secret no" "no key"').notes


def test_patterns_that_exclude_everything_are_told(opened: trackdown.Repository) -> None:
    answer = opened.search("cookie", exclude=["src", "*"])
    assert not answer.results and "every indexed file is excluded by src, *" in answer.notes
    assert not opened.search("cookie", exclude=["src"]).notes


def test_a_phrase_in_nothing_that_is_ranked_is_told(opened: trackdown.Repository) -> None:
    answer = opened.search('"keeps cookies"')
    assert not answer.results and any("1 file has the phrase elsewhere" in note for note in answer.notes)
    (path,) = [result.path for result in opened.search('"keeps cookies"', level="file").results]
    answer = opened.search(f'"keeps cookies" -path:{path}')
    assert not answer.results and answer.confidence is not None
    assert "only files that the filters or settings leave out contain the phrase" in answer.notes
    assert answer.confidence.why == "nothing was found. It may help to remove the filters or the quotes"


def test_kinds_to_leave_out_are_refused_where_files_are_ranked(opened: trackdown.Repository) -> None:
    with pytest.raises(UsageError, match="-kind:class leaves out functions or classes, but files are ranked"):
        opened.search("cookie -kind:class", level="file")


def test_patterns_of_the_caller(opened: trackdown.Repository, repo: Repo, open_repo: Opener) -> None:
    assert found(opened.search("cookie", exclude=["tests/", "*.js", "src/core"], k=50)) == IN_WEB - {"sign.js:sign"}
    assert found(opened.search("cookie path:sign*", exclude=["tests"], k=50, languages=["py"])) == {
        "sign.py:sign",
        "sign.py:get",
    }
    assert found(opened.search("cookie", folder="*/web", k=50)) == IN_WEB | {"test_sign.py:test_sign"}
    assert found(opened.search("cookie", folder="src/*/s*.js", k=50)) == {"sign.js:sign"}
    below = open_repo(repo.root / "src")
    assert found(below.search("cookie", exclude=["web"])) == {"a.py:note"}
    with pytest.raises(UsageError, match="not a pattern of paths"):
        opened.search("cookie", exclude=["[a"])


def test_related_code_without_what_is_excluded(opened: trackdown.Repository, repo: Repo) -> None:
    repo.commit("Change both", {"src/web/sign.py": FILES["src/web/sign.py"] + "#\n", "tests/web/test_sign.py": "#\n"})
    both = opened.related("src/web/sign.py:1")
    fewer = opened.related("src/web/sign.py:1", exclude=["tests"])
    assert [one.path for one in both.changes_together] and not [
        one.path for one in fewer.changes_together if one.path.startswith("tests")
    ]
    assert opened.related("src/web/sign.py:1", exclude=["src"]).similar == ()


def subjects(answer: trackdown.HistoryResults) -> list[str]:
    return [commit.subject for commit in answer]


def test_history_by_the_files_that_commits_touched(opened: trackdown.Repository, repo: Repo) -> None:
    repo.commit("Change the cookie script", {"src/web/sign.js": "// cookie\n"})
    repo.commit("Change the cookie store", {"src/web/store.py": STORE + "#\n", "src/web/sign.js": "//\n"})
    assert subjects(opened.history("change cookie lang:python")) == ["Change the cookie store"]
    only = opened.history("change cookie path:*.py")
    assert only[0].files == ("src/web/store.py",)
    assert subjects(opened.history("cookie", exclude=["*.js"])) == ["Change the cookie store"]
    assert subjects(opened.history("path:src/web")) == ["Change the cookie store", "Change the cookie script", "Begin"]
    notes = opened.history("cookie symbol:get").notes
    assert "kind: and symbol: do not apply to commits" in notes


def test_a_phrase_counts_in_messages_of_commits(opened: trackdown.Repository, repo: Repo) -> None:
    other = {"src/web/sign.py": FILES["src/web/sign.py"] + "#\n"}
    repo.commit("Keep the cookie\n\nBefore, a stale\nsession cookie was signed.", {"src/web/store.py": STORE + "#\n"})
    repo.commit("Cookie session, session cookie stale: stale cookie", other)
    assert subjects(opened.history("stale session cookie"))[0].startswith("Cookie session")
    answer = opened.history('"Stale session cookie"')
    assert subjects(answer)[0] == "Keep the cookie" and len(answer) == 2
    assert answer[0].matched[0] == '"Stale session cookie"' and answer[0].score > answer[1].score
    assert not answer[1].matched[0].startswith('"')
    files = opened.search('cookie "stale session cookie"', level="file", mode="commits")
    assert [result.path for result in files] == ["src/web/store.py", "src/web/sign.py"]
    assert files[0].reason.endswith(', which says "stale session cookie"')
    issue = opened.search('cookie\n\n"stale session cookie"', level="file", mode="commits")
    assert issue[0].path == "src/web/sign.py"  # an issue that quotes something is searched as before
