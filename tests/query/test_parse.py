"""Taking an issue apart: its title, code, tracebacks, paths, names and weighted terms, in bounded time."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import grows_at_most
from trackdown.errors import QueryError
from trackdown.query.parse import Frame, understand
from trackdown.query.stopwords import STOPWORDS
from trackdown.types import MAX_QUERY_CHARS

ISSUE = """# Session cookie is not signed

When I log in, `SessionStore.sign_cookie` raises "secret key must not be empty".

```python
store = SessionStore(secret="")
store.sign_cookie("x")
```

See src/web/session.py and ./docs/usage.md.

Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/web/session.py", line 42, in sign_cookie
    return hmac(self.secret)
  File "web/crypto.py", line 7, in <module>
ValueError
"""


def test_an_issue_is_taken_apart() -> None:
    query = understand(ISSUE)
    assert query.title == "Session cookie is not signed"
    assert query.code == ('store = SessionStore(secret="")\nstore.sign_cookie("x")', "SessionStore.sign_cookie")
    assert query.quoted[0] == "secret key must not be empty"
    assert "store = SessionStore" not in query.prose and "When I log in" in query.prose
    assert query.frames == (
        Frame("/usr/lib/python3/site-packages/web/session.py", 42, "sign_cookie"),
        Frame("web/crypto.py", 7, "module"),
    )
    assert {"src/web/session.py", "docs/usage.md"} <= set(query.paths)
    assert {"SessionStore.sign_cookie", "SessionStore", "sign_cookie", "hmac"} <= set(query.names)
    assert not query.asks_for_tests


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("one line", "one line"),
        ("\n\n  ## Heading  \nbody", "Heading"),
        ("```\ncode()\n```\nafter the code", "after the code"),
        ("first\r\nsecond", "first"),
    ],
)
def test_the_title_is_the_first_line_of_prose(text: str, title: str) -> None:
    assert understand(text).title == title


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("read\n```\nx()\n```\nb", ("x()",)),
        ("a\n```python\nx()\ny()\n```\nb\n~~~\nz()\n~~~\n", ("x()\ny()", "z()")),
        ("a\n  ```js\n  x()\n  ```\nb", ("  x()",)),
        ("never closed\n```\nx()\ny()", ("x()\ny()",)),
        ("read\n~~~\n```\n~~~\nb", ("```",)),
        ("inline `call()` and `other`", ("call()", "other")),
    ],
)
def test_code_is_what_stands_in_fences_and_marks(text: str, code: tuple[str, ...]) -> None:
    assert understand(text).code == code


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('it says "cannot open the file" twice: "cannot open the file"', ("cannot open the file",)),
        ("it says “cannot open the file” here", ("cannot open the file",)),
        ('a "short" one in a line', ("short",)),
        ('an issue\n\nwith a "short" one', ()),
    ],
)
def test_quoted_messages(text: str, quoted: tuple[str, ...]) -> None:
    assert understand(text).quoted == quoted


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ('  File "/app/web/session.py", line 42, in sign_cookie', Frame("/app/web/session.py", 42, "sign_cookie")),
        ('File "a b.py", line 3', Frame("a b.py", 3, "")),
        (
            "\tat org.apache.kafka.clients.Metadata.update(Metadata.java:265)",
            Frame("Metadata.java", 265, "Metadata.update"),
        ),
        ("\tat com.acme.Main$Inner.run(Main.kt:9)", Frame("Main.kt", 9, "Main$Inner.run")),
        ("    at Router.handle (/app/lib/router.js:10:15)", Frame("/app/lib/router.js", 10, "Router.handle")),
        ("    at async load (file:///app/src/load.mjs:3:1)", Frame("file:///app/src/load.mjs", 3, "load")),
        ("    at /app/lib/index.js:7:2", Frame("/app/lib/index.js", 7, "")),
        ("main.go:42 +0x1d", Frame("main.go", 42, "")),
        ("\t/home/me/app/server/main.go:42 +0x1d", Frame("home/me/app/server/main.go", 42, "")),
        ("thread 'main' panicked at src/parser/lexer.rs:88:13:", Frame("src/parser/lexer.rs", 88, "")),
        ("src/net/socket.c:120: error: expected ';'", Frame("src/net/socket.c", 120, "")),
    ],
)
def test_frames_of_tracebacks_of_many_languages(text: str, frame: Frame) -> None:
    query = understand(f"it fails\n{text}\nend")
    assert [(f.path.lstrip("/"), f.line, f.function) for f in query.frames] == [
        (frame.path.lstrip("/"), frame.line, frame.function)
    ]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("look at django/db/models/query.py please", "django/db/models/query.py"),
        ("see ./setup.cfg", "setup.cfg"),
        ("(src/a-b/c_d.test.ts)", "src/a-b/c_d.test.ts"),
        ("open `README.md`", "README.md"),
        ("everything below src/core/parser/ breaks", "src/core/parser"),
        ("in ../lib/x.rb, too", "../lib/x.rb"),
    ],
)
def test_paths(text: str, path: str) -> None:
    assert path in understand(text).paths


@pytest.mark.parametrize("text", ["version 1.2.3 of it", "about and/or things", "see https://example.org/a/b.html now"])
def test_what_is_no_path(text: str) -> None:
    assert not any(path in ("1.2.3", "and/or", "a/b.html") for path in understand(text).paths)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("QuerySet.bulk_create is slow", "QuerySet.bulk_create"),
        ("QuerySet.filter is slow", "QuerySet.filter"),
        ("std::vector::push_back is slow", "std.vector.push_back"),
        ("Hash#dig fails", "Hash.dig"),
        ("self->next is null", "self.next"),
        ("the parse_header function", "parse_header"),
        ("the parseHeader function", "parseHeader"),
        ("the HTTPServer class", "HTTPServer"),
        ("call render() twice", "render"),
        ("the `cookie` word", "cookie"),
        ("_private is used", "_private"),
        ("walk", "walk"),
        ("Walker::step", "Walker.step"),
        ("```\nstore.sign_the_cookie(1)\n```\nfails", "store.sign_the_cookie"),
    ],
)
def test_names(text: str, name: str) -> None:
    assert name in understand(text).names


@pytest.mark.parametrize("text", ["see setup.py", "see conf.json", "a list, e.g. of words", "see lib/query.filter"])
def test_names_of_files_are_no_names(text: str) -> None:
    assert understand(text).names == ()


@pytest.mark.parametrize("text", ["the parser is slow", "What does this do?", "It works"])
def test_plain_words_of_prose_are_no_names(text: str) -> None:
    assert understand(text).names == ()


@pytest.mark.parametrize("text", ["", " \n\t ", "\0", "\u2028"])
def test_an_empty_query_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        understand(text)


@pytest.mark.parametrize("text", ["!!! ??? ...", "a b", "_ _ _", "((((", "#"])
def test_a_query_without_a_word_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="no words to search for"):
        understand(text)


@pytest.mark.parametrize(
    ("text", "name"), [("g", "g"), (" i\n", "i"), ("flask.g", "flask.g"), ("where is `g` set", "g")]
)
def test_a_name_of_one_letter_can_be_asked_for(text: str, name: str) -> None:
    assert name in understand(text).names


def test_letters_in_backquotes_of_an_issue_are_no_names() -> None:
    assert "x" not in understand("Wrong sum\n\nAdding `x` to `total` gives too much").names


def test_a_binary_query_is_refused() -> None:
    with pytest.raises(QueryError, match="not text"):
        understand("word " + "\0\ufffd" * 100)
    with pytest.raises(QueryError, match="not text"):
        understand(bytes(range(128, 256)).decode("utf-8", "surrogateescape") * 3)


def test_control_characters_and_stray_bytes_are_no_part_of_words() -> None:
    query = understand("parse\0header \x1b[31mcookie\x1b[0m session\udcff name and some more text around it")
    assert {"parse", "header", "cookie", "session"} <= set(query.weights)
    assert not any(sign in query.text for sign in "\0\x1b\udcff")


def test_lone_surrogates_do_no_harm() -> None:
    query = understand("parse \ud800 the header \udfff")
    assert {"parse", "header"} <= set(query.weights)
    for term in query.weights:
        term.encode()


def test_words_of_other_languages_are_terms() -> None:
    query = understand("Größe der 日本語 сессия")
    assert {"größe", "日本語", "сессия"} <= set(query.weights)


def test_stopwords_count_only_when_there_is_nothing_else() -> None:
    assert "the" not in understand("the parser").weights
    assert {"how", "do", "you", "work"} <= set(understand("how do you work").weights)
    assert {"how", "do", "you", "work"} <= STOPWORDS


def test_weights_grow_with_repetition_and_in_the_title() -> None:
    once = understand("parser")
    assert once.weights["parser"] == 1.0
    thrice = understand("parser parser parser")
    assert thrice.weights["parser"] == pytest.approx(1 + math.log(3))
    titled = understand("parser fails\n\nwhile the cookie is read, and the cookie is not written")
    assert titled.weights["parser"] == pytest.approx(1.6)
    assert titled.weights["cookie"] == pytest.approx(1 + math.log(2))


def test_weights_hold_the_words_of_the_query_and_no_other_forms() -> None:
    assert understand("squashed migrations").weights == {"squashed": 1.0, "migrations": 1.0}


def test_identifiers_bring_their_parts() -> None:
    assert {"parsexmldate", "parse", "xml", "date"} <= set(understand("parseXMLDate").weights)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("where are the unit tests for the parser", True),
        ("flaky test in CI", True),
        ("test_parse_header fails on windows", True),
        ("add a test case for empty input", True),
        ("the parser is slow", False),
        ("the latest release breaks", False),
        ("contest results are wrong", False),
    ],
)
def test_whether_tests_are_asked_for(text: str, asks: bool) -> None:
    assert understand(text).asks_for_tests == asks


LINKS = [
    ("https://github.com/ada/shop/blob/main/src/cart.py#L12", Frame("main/src/cart.py", 12, "")),
    ("[here](https://github.com/ada/shop/blob/v1.2/cart.py#L3-L9).", Frame("v1.2/cart.py", 3, "")),
    ("<https://gitlab.com/ada/shop/-/blob/main/cart.rb?ref_type=heads#L7>", Frame("main/cart.rb", 7, "")),
    ("https://bitbucket.org/ada/shop/src/abc123/cart.go#lines-4", Frame("abc123/cart.go", 4, "")),
    ("https://codeberg.org/ada/shop/src/branch/main/cart.c#L8", Frame("branch/main/cart.c", 8, "")),
]


@pytest.mark.parametrize(("text", "frame"), LINKS)
def test_links_to_lines_are_frames(text: str, frame: Frame) -> None:
    assert understand(f"Carts lose wares\n\nsee {text} for why").frames == (frame,)


def test_links_to_files_are_paths() -> None:
    query = understand("Carts lose wares, see https://github.com/ada/shop/blob/main/src/cart.py.")
    assert query.paths == ("main/src/cart.py",) and query.frames == ()
    assert understand("Carts lose wares, see https://example.org/blob/ and https://a/b/c#L3").frames == ()


def test_in_a_long_issue_only_the_title_asks_and_for_prose_only() -> None:
    body = "It breaks when the header is empty. " * 20
    assert not understand(f"Parser breaks\n\n{body} The unit tests and the docs pass.").asks_for_tests
    assert not understand(f"Unit tests of the parser break\n\n{body}").asks_for_tests
    assert understand("Unit tests of the parser").asks_for_tests
    assert understand(f"Typo in the documentation\n\n{body}").asks_for_prose
    assert not understand(f"Parser breaks\n\n{body} See the docs.").asks_for_prose


PIECES = [
    "a.",
    "(",
    "/a",
    "a-",
    "a+",
    "a@",
    "a",
    "A",
    "aA",
    "Ab",
    "a1",
    "a_",
    "_",
    "a/",
    "./",
    "../",
    ".",
    "-",
    "at ",
    "at a.",
    "at a (",
    "at [",
    "at a$",
    "at a//",
    "`",
    "``` x\n",
    "```\n",
    " ```",
    "~~~",
    '"',
    '"a',
    "“a",
    'File "',
    "::a",
    "#a",
    "->a",
    "a\n",
    "\n",
    " ",
    "\t",
    "x:1 ",
    "a:1",
    "1.",
    "http://a",
    "é",
    "\\",
    "<",
    "{",
    "test ",
    "a b ",
]


def test_no_text_takes_more_than_linear_time() -> None:
    def repeated(piece: str, length: int) -> str:
        return "fix the parser " + piece * (length // len(piece)) + " end"

    slow = [
        piece for piece in PIECES if not grows_at_most(10, understand, repeated(piece, 10_000), repeated(piece, 40_000))
    ]
    assert slow == []


@pytest.mark.parametrize("piece", PIECES)
def test_text_of_one_piece_over_and_over_is_understood_within_limits(piece: str) -> None:
    query = understand("fix the parser " + piece * (120_000 // len(piece)) + " end")
    assert "parser" in query.weights
    assert all(len(name) <= 200 for name in query.names) and len(query.names) <= 300
    assert all(len(path) < 300 for path in query.paths) and len(query.paths) <= 200


def test_a_megabyte_of_text_is_cut_and_quick() -> None:
    text = "".join(f"word{number} in src/f{number}.py:{number} calls obj{number}.run()\n" for number in range(25_000))
    assert len(text) > 1_000_000
    assert grows_at_most(3, understand, text[: len(text) // 4], text)
    query = understand(text)
    assert len(query.text) <= MAX_QUERY_CHARS
    assert len(query.frames) == 200


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_understood_or_refused(text: str) -> None:
    try:
        query = understand(text)
    except QueryError:
        return
    assert (query.weights or query.names) and all(weight > 0 for weight in query.weights.values())
    for term in query.weights:
        term.encode()
