"""What the page's scripts compute, tried in the browser with many inputs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.served import Served
from trackdown.units.languages import LANGUAGES

PIECES = [
    '"',
    "'",
    '"""',
    "'''",
    "`",
    "\\",
    "\\\\",
    "\n",
    "\t",
    " ",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "--[[",
    "]]",
    "{-",
    "-}",
    "#=",
    "=#",
    "@name",
    "def",
    "class",
    "x",
    "Name",
    "name(",
    "1",
    "0xff",
    "1e9",
    "ä",
    "\U0001f600",
    "<b>",
    "&amp;",
]


@pytest.fixture(scope="module")
def blank(browser: Any, server: Served) -> Iterator[Page]:
    """A page with the scripts' origin. Nothing of it is looked at."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.url)
    yield page
    context.close()


@pytest.fixture
def run(blank: Page) -> Callable[[str, str, Any], Any]:
    """Calls a function with a module of the page: run("state.js", "(module, value) => …", value)."""

    def called(module: str, function: str, value: Any) -> Any:
        script = f"async (value) => ({function})(await import('/assets/{module}'), value)"
        return blank.evaluate(script, value)

    return called


def noise(seed: int, length: int) -> str:
    """Text that tries a scanner's patience."""
    chosen = random.Random(seed)
    return "".join(chosen.choice(PIECES) for _ in range(length))


def test_every_language_of_the_engine_is_coloured(run: Callable[..., Any]) -> None:
    shown = run("languages.js", "(module) => Object.keys(module.LANGUAGES)", None)
    assert {language.name for language in LANGUAGES} == set(shown)


def test_colouring_loses_and_adds_nothing(run: Callable[..., Any]) -> None:
    sources = [noise(seed, 120) for seed in range(40)]
    joined = run(
        "highlight.js",
        """async (module, sources) => {
          const { LANGUAGES } = await import("/assets/languages.js");
          return [...Object.keys(LANGUAGES), "text"].map((language) =>
            sources.map((source) => module.pieces(source, language).map(([, text]) => text).join("")));
        }""",
        sources,
    )
    assert len(joined) == len(LANGUAGES) + 1
    assert all(one == sources for one in joined)


def test_lines_of_code_are_the_lines_of_the_source(run: Callable[..., Any]) -> None:
    shown = run(
        "highlight.js",
        """(module, source) => {
          const shown = module.code(source, "python", { first: 7, terms: ["cookie"] });
          return Array.from(shown.querySelectorAll(".l"), (line) => [line.dataset.n, line.textContent]);
        }""",
        'def a():\n\t"""cookie\n\n  <b>"""\r\n    return 1\n',
    )
    assert shown == [
        ["7", "def a():\n"],
        ["8", '\t"""cookie\n'],
        ["9", "\n"],
        ["10", '  <b>"""\n'],
        ["11", "    return 1\n"],
    ]


def test_colouring_long_and_evil_text_is_quick(run: Callable[..., Any]) -> None:
    evil = ['"' * 60_000, "/*" * 40_000, "'''\\" * 20_000, "a" * 300_000, "@" * 100_000, "(" * 100_000 + '"' * 50_000]
    took = run(
        "highlight.js",
        """async (module, sources) => {
          const { LANGUAGES } = await import("/assets/languages.js");
          const began = performance.now();
          for (const language of Object.keys(LANGUAGES)) {
            for (const source of sources) module.code(source, language, { terms: ["aa"] });
          }
          return performance.now() - began;
        }""",
        evil,
    )
    assert took < 20_000, took


COLOURED: list[tuple[str, str, dict[str, list[str]]]] = [
    ("def f(): return 'x' # y", "python", {"keyword": ["def", "return"], "call": ["f"], "string": ["'x'"]}),
    ("def f(): return 'x' # y", "python", {"comment": ["# y"], "type": [], "number": []}),
    ("@cached\nclass Cart: pass", "python", {"decorator": ["@cached"], "keyword": ["class", "pass"], "type": ["Cart"]}),
    (
        "let x: Vec<u8> = f('a', &'b c); // d",
        "rust",
        {"keyword": ["let", "u8"], "string": ["'a'"], "comment": ["// d"]},
    ),
    ("a = `x ${1}\n`; /* c\n */ 0xFF", "javascript", {"string": ["`x ${1}\n`"], "comment": ["/* c\n */"]}),
    ("a = `x ${1}\n`; /* c\n */ 0xFF", "javascript", {"number": ["0xFF"]}),
    ("-- c\nlocal s = [[a\nb]]", "lua", {"comment": ["-- c"], "string": ["[[a\nb]]"], "keyword": ["local"]}),
    ("plain text 'here' # not a comment", "text", {"string": [], "comment": [], "keyword": []}),
]


@pytest.mark.parametrize(("source", "language", "wanted"), COLOURED)
def test_colours_fall_on_the_right_words(
    run: Callable[..., Any], source: str, language: str, wanted: dict[str, list[str]]
) -> None:
    found = run("highlight.js", "(module, [source, language]) => module.pieces(source, language)", [source, language])
    assert {kind: [text for one, text in found if one == kind] for kind in wanted} == wanted


def test_terms_are_marked_at_the_beginnings_of_words(run: Callable[..., Any]) -> None:
    marks = run(
        "highlight.js",
        """(module, texts) => texts.map((text) => module.marked(text, ["set", "cookie"])
          .map((node) => node.nodeType ? `[${node.textContent}]` : node).join(""))""",
        ["set_cookie", "setCookie(SET)", "reset settings offset", "getCookieName cookies", "<b>cookie</b>"],
    )
    assert marks == [
        "[set]_[cookie]",
        "[set][Cookie]([SET])",
        "reset settings offset",
        "get[Cookie]Name cookies",
        "<b>[cookie]</b>",
    ]


def test_events_are_read_whatever_pieces_they_come_in(run: Callable[..., Any]) -> None:
    text = (
        ': still here\n\nevent: results\ndata: {"a": "x\\n\\ny"}\n\nevent: progress\r\ndata: {"b":\r\ndata: 2}\r\n\r\n'
        "data: 3\n\nevent: nothing\n\nevent: done\ndata: {}\n\nevent: cut\ndata: {"
    )
    wanted = [["results", {"a": "x\n\ny"}], ["progress", {"b": 2}], ["message", 3], ["done", {}]]
    found = run(
        "api.js",
        """async (module, [text, sizes]) => {
          const all = [];
          for (const size of sizes) {
            let at = 0;
            const next = () => ({ value: text.slice(at, at += size), done: false });
            const reader = { read: async () => at >= text.length ? { done: true } : next() };
            const events = [];
            for await (const { name, data } of module.events(reader)) events.push([name, data]);
            all.push(events);
          }
          return all;
        }""",
        [text, [1, 2, 3, 7, 1000]],
    )
    assert found == [wanted] * 5


ODD = ["", "#k=7&junk=1&level=x&__proto__=2", "#k=0&depth=9&view=constructor", "q=cookie&tests=1&k=10&tab=x"]


def test_a_state_survives_its_address(run: Callable[..., Any]) -> None:
    states = [
        {},
        {"q": "a&b=c #d %41 + ä \U0001f600\n\nlines", "language": ["c", "go"], "tests": False, "k": 20},
        {"only": ["folder:a b/c:d", "kind:method"], "group": "file"},
        {"pick": "a:b&c/d e.py:3-9", "of": "x=y", "tab": "source", "view": "graph", "depth": 3, "direction": "in"},
        {"pick": "caf\udce9/\udcff\udc80 x.py:1-2", "folder": "../x"},
    ]
    kept = run(
        "state.js",
        """(module, states) => states.map((changes) => {
          const read = module.read(module.written({ ...module.DEFAULTS, ...changes }));
          const same = ([name, value]) => [name, JSON.stringify(read[name]) === JSON.stringify(value)];
          return Object.fromEntries(Object.entries(changes).map(same));
        })""",
        states,
    )
    assert [set(one.values()) for one in kept[1:]] == [{True}] * 4
    again = run("state.js", "(module, hashes) => hashes.map((hash) => module.written(module.read(hash)))", ODD)
    assert again == ["#", "#k=7", "#", "#q=cookie"]


def test_reasons_are_taken_apart(run: Callable[..., Any]) -> None:
    commits = ["d1d835c023 Fix (2013) a; b (2013-07-30)", "e13373f838 enable; (2024-11-08)", "0123456789  (2020-01-01)"]
    terms = {"cookie": 7.155, "x": 1, "sessions": 1.06, "factor as a test": 0.3}
    found = run(
        "signals.js",
        """(module, [terms, commits]) => [
          module.termsOf({ why: [{ signal: "dense", numbers: {} }, { signal: "lexical", numbers: terms }] }),
          module.numbersIn({ numbers: terms }),
          module.commitsIn({ numbers: Object.fromEntries(commits.map((commit) => [commit, 12.444])) }),
          module.commitsIn({ numbers: terms }),
          module.termsOf({ why: [] }),
          module.signalName("code-reranker"),
          module.signalName("brand-new"),
        ]""",
        [terms, commits],
    )
    assert found[0] == ["cookie", "sessions"]
    assert [(one["name"], one["value"]) for one in found[1]][:2] == [("cookie", "7.16"), ("x", "1")]
    assert [(one["id"], one["subject"], one["date"], one["value"]) for one in found[2]] == [
        ("d1d835c023", "Fix (2013) a; b", "2013-07-30", "12.44"),
        ("e13373f838", "enable;", "2024-11-08", "12.44"),
        ("0123456789", "", "2020-01-01", "12.44"),
    ]
    assert found[3] == found[4] == []
    assert found[5:] == ["Read together with your text", "brand new"]
