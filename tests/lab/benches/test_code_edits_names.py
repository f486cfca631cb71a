"""Names that say nothing, in all Python that people have written."""

from __future__ import annotations

import pytest

from trackdown.lab.benches.code_edits import normalise_names


def test_a_function_its_parameters_and_variables() -> None:
    code = "def add_tax(price, rate=0.2):\n    total = price * (1 + rate)\n    return round(total, ndigits=2)\n"
    assert normalise_names(code) == (
        "def Func(arg_0, arg_1=0.2):\n    arg_2 = arg_0 * (1 + arg_1)\n    return round(arg_2, ndigits=2)\n"
    )


def test_attributes_modules_classes_and_built_in_names_stay() -> None:
    code = (
        "import os.path as p\nfrom re import sub\ndef walk(self, names):\n    for name in names:\n"
        "        self.seen.append(sub(p.sep, '', name, count=len(names)))\n    raise KeyError(name)\n"
    )
    assert normalise_names(code) == (
        "import os.path as p\nfrom re import sub\ndef Func(arg_0, arg_1):\n    for arg_2 in arg_1:\n"
        "        arg_0.seen.append(sub(p.sep, '', arg_2, count=len(arg_1)))\n    raise KeyError(arg_2)\n"
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(n):\n    return n * f(n - 1)\n", "def Func(arg_0):\n    return arg_0 * Func(arg_0 - 1)\n"),
        ("def f(*a, b: int = 1, **c): pass", "def Func(*arg_0, arg_1: int = 1, **arg_2): pass"),
        ("def f(a):\n    return f(a=1), g(a=2)", "def Func(arg_0):\n    return Func(arg_0=1), g(a=2)"),
        ("def f(): pass\ndef g(): f()\n", "def Func(): pass\ndef Func_1(): Func()\n"),
        ("def f():\n def g(v): return v\n g()", "def Func():\n def Func_1(arg_0): return arg_0\n Func_1()"),
        ("(a, [b, *c]), d.e, g[h] = x", "(arg_0, [arg_1, *arg_2]), d.e, g[h] = x"),
        ("[k for k, v in rows if (m := v)]", "[arg_0 for arg_0, arg_1 in rows if (arg_2 := arg_1)]"),
        ("with open(p) as f, g() as (a, b): f, a", "with open(p) as arg_0, g() as (arg_1, arg_2): arg_0, arg_1"),
        ("try: x()\nexcept (A, B) as e: e", "try: x()\nexcept (A, B) as arg_0: arg_0"),
        ("rows.sort(key=lambda row: row[1])", "rows.sort(key=lambda arg_0: arg_0[1])"),
        ("def f(x):\n    return f'{x!r:>9}{y}'", "def Func(arg_0):\n    return f'{arg_0!r:>9}{y}'"),
        ("def f(x):\n    global N\n    N = x", "def Func(arg_0):\n    global N\n    N = arg_0"),
        ("total += 1", "arg_0 += 1"),
        ("x: int = 3", "arg_0: int = 3"),
        ("async def f(q):\n async for i in q: i()", "async def Func(arg_0):\n async for arg_1 in arg_0: arg_1()"),
    ],
)
def test_what_binds_a_name(code: str, expected: str) -> None:
    assert normalise_names(code) == expected


def test_methods_are_renamed_where_they_are_called_but_attributes_of_a_class_stay() -> None:
    code = (
        "class Stack:\n    limit = 3\n    def __init__(self):\n        self.push(item=1)\n"
        "    def push(self, item):\n        self.limit = item\n"
    )
    assert normalise_names(code) == (
        "class Stack:\n    limit = 3\n    def __init__(arg_0):\n        arg_0.Func(arg_1=1)\n"
        "    def Func(arg_0, arg_1):\n        arg_0.limit = arg_1\n"
    )


def test_python_2_is_read() -> None:
    code = (
        "def old(a, (b, c)):\n    try:\n        print a\n    except IOError, e:\n        print >>b, e\n"
        "    exec a in c\n"
    )
    assert normalise_names(code) == (
        "def Func(arg_0, (arg_1, arg_2)):\n    try:\n        print arg_0\n    except IOError, arg_3:\n"
        "        print >>arg_1, arg_3\n    exec arg_0 in arg_2\n"
    )


@pytest.mark.parametrize(
    "code", ["def secret(hidden:\n  covert = hidden +\n  return covert", "secret = foo(\nhidden ="]
)
def test_broken_code_gives_no_name_away(code: str) -> None:
    answer = normalise_names(code)
    assert not any(name in answer for name in ("secret", "hidden", "covert"))


def test_code_on_one_line_as_tokens_give_it() -> None:
    code = "def area ( side , scale = 2 ) : wide = side * scale return wide"
    assert normalise_names(code) == "def Func ( arg_0 , arg_1 = 2 ) : arg_2 = arg_0 * arg_1 return arg_2"


@pytest.mark.parametrize("code", ["", "\0", "(" * 20_000, "x" * 100_000, "'''", "\udc80 = 1", "@@@ def", "\r\n\t\f"])
def test_nothing_makes_it_fail(code: str) -> None:
    normalise_names(code)


def test_it_can_be_repeated() -> None:
    once = normalise_names("import re\ndef find(word, text):\n    hits = re.findall(word, text)\n    return hits\n")
    assert normalise_names(once) == once


def test_letters_beyond_ascii_and_line_ends_stay() -> None:
    assert normalise_names("größe = 'ä'\r\nprint(größe)\r\n") == "arg_0 = 'ä'\r\nprint(arg_0)\r\n"
