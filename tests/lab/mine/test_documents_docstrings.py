"""Docstrings and leading comments, apart from their code."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.growth import grows_at_most
from trackdown.lab.mine.documents import without_docstring
from trackdown.units.docstrings import LONGEST

SAID = "Sign the session cookie of a user."
CASES = [
    (
        "python",
        f'def sign(x):\n    """{SAID}\n\n    :param x: what\n    """\n    return x\n',
        "def sign(x):\n    return x\n",
    ),
    (
        "python",
        f"async def sign(\n    x,\n) -> int:  # why\n    r'''{SAID}'''\n    return x\n",
        "async def sign(\n    x,\n) -> int:  # why\n    return x\n",
    ),
    ("python", f'def sign(x):\n    "{SAID}"\n    return x\n', "def sign(x):\n    return x\n"),
    ("go", f"// {SAID}\nfunc Sign() {{}}\n", "func Sign() {}\n"),
    ("rust", f"/// {SAID}\n///\n/// # Errors\n/// Never.\n#[inline]\nfn sign() {{}}\n", "#[inline]\nfn sign() {}\n"),
    ("java", f"/**\n * {SAID}\n *\n * @param x what\n */\n@Override\nint sign() {{}}\n", "@Override\nint sign() {}\n"),
    ("javascript", f"/** {SAID} */\nfunction sign() {{}}\n", "function sign() {}\n"),
    (
        "csharp",
        f"/// <summary>\n/// {SAID}\n/// </summary>\n/// <param name='x'>what</param>\nint Sign() {{}}\n",
        "int Sign() {}\n",
    ),
    ("ruby", f"# {SAID}\n#\n# @param x [String] what\ndef sign(x)\nend\n", "def sign(x)\nend\n"),
    ("bash", f"# {SAID}\nsign() {{ :; }}\n", "sign() { :; }\n"),
    ("elixir", f'@doc """\n{SAID}\n\n## Examples\n\n    sign(1)\n"""\ndef sign(x), do: x\n', "def sign(x), do: x\n"),
    ("elixir", f'@doc "{SAID}"\ndef sign(x), do: x\n', "def sign(x), do: x\n"),
    ("julia", f'"""\n{SAID}\n"""\nfunction sign(x) end\n', "function sign(x) end\n"),
    ("julia", f'"""\n    sign(x)\n    sign(x, y)\n\n{SAID}\n"""\nsign(x) = x\n', "sign(x) = x\n"),
    ("haskell", f"-- | {SAID}\nsign :: Int\nsign = 1\n", "sign :: Int\nsign = 1\n"),
    ("lua", f"--- {SAID}\nlocal function sign() end\n", "local function sign() end\n"),
    ("php", f"/** {SAID} */\n#[Pure]\nfunction sign() {{}}\n", "#[Pure]\nfunction sign() {}\n"),
    ("php", f"# {SAID}\nfunction sign() {{}}\n", "function sign() {}\n"),
    ("kotlin", f"/** {SAID} */\nfun sign() {{}}\n", "fun sign() {}\n"),
]


@pytest.mark.parametrize(("language", "code", "rest"), CASES)
def test_what_it_says_and_what_is_left(language: str, code: str, rest: str) -> None:
    assert without_docstring(code, language) == (SAID, rest)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "def sign(x):\n    return x\n"),
        ("python", 'def sign(x):\n    text = """Sign the session cookie of a user."""\n    return text\n'),
        ("python", 'def sign(x):\n    y = 1\n    """Sign the session cookie of a user."""\n'),
        ("python", 'def sign(x):\n    """Sign the session cookie of'),
        ("rust", "#[derive(Sign, Session, Cookie, User)]\nfn sign() {}\n"),
        ("c", "#define SIGN the session cookie of a user\nint sign() {}\n"),
        ("go", "func Sign() {}\n"),
        ("java", "/* never ends\nint sign() {}\n"),
        ("bash", "#!/bin/bash session cookie user\nsign() { :; }\n"),
        ("go", ""),
    ],
)
def test_nothing_is_said(language: str, code: str) -> None:
    assert without_docstring(code, language) == ("", code)


@pytest.mark.parametrize(
    "comment",
    [
        "See above.",
        "TODO: sign the session cookie here",
        "Copyright 2020 the session cookie authors",
        "{@inheritDoc}",
        '<inheritdoc cref="Session.Sign(Cookie, User)"/>',
        "eslint-disable-next-line no-session-cookie",
        "签署用户的会话 cookie 并且保存在商店里面",
        "-----------------------",
    ],
)
def test_what_is_not_worth_asking(comment: str) -> None:
    assert without_docstring(f"// {comment}\nfunc Sign() {{}}\n", "go")[0] == ""


def test_markup_and_addresses_are_left_out() -> None:
    code = "// Signs the {@code session} cookie, <b>see</b> [how](https://a.org/y) https://a.org/x of `users`.\nf() {}"
    assert without_docstring(code, "java")[0] == "Signs the session cookie, see how of users ."


def test_long_ones_are_cut() -> None:
    code = f"// {'sign the session cookie ' * 99}\nfunc Sign() {{}}\n"
    assert len(without_docstring(code, "go")[0]) == LONGEST


HOSTILE: dict[str, Callable[[int], str]] = {
    "lines": lambda n: "\n" * 2 * n,
    "spaces": lambda n: " " * 2 * n,
    "comments": lambda n: "/*" * n,
    "hashes": lambda n: "#\n" * n,
    "dashes": lambda n: "--" * n,
    "quotes": lambda n: '"""' * n,
    "colons": lambda n: ":\n" * n,
    "escapes": lambda n: '@doc "' + "\\" * 2 * n,
    "openings": lambda n: "def f():\n" + '    "' * n,
}


@pytest.mark.parametrize("language", ["python", "go", "ruby", "haskell", "elixir", "julia", "php"])
def test_hostile_text_takes_quadratic_time_at_most(language: str) -> None:
    slow = [
        name
        for name, text in HOSTILE.items()
        if not grows_at_most(24, lambda code: without_docstring(code, language), text(500), text(2000))
    ]
    assert slow == []
