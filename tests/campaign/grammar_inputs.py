"""Pathological sources for every grammar: deep nesting, runs of openers and operators, broken and random code."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SIZES = (20_000, 200_000, 1_000_000)
"""The lengths of the inputs, in bytes."""
_SOURCES = Path(__file__).parents[1] / "units" / "sources"

_RUNS = {
    "parentheses": "(",
    "brackets": "[",
    "braces": "{",
    "angles": "<",
    "closers": ")}]",
    "mixed openers": "([{",
    "quotes": '"',
    "single quotes": "'",
    "backquotes": "`",
    "triple quotes": '"""a',
    "interpolations": '"${',
    "hash interpolations": '"#{',
    "heredocs": "<<A ",
    "not": "!",
    "minus": "- ",
    "stars": "*",
    "ampersands": "& ",
    "sums": "a + ",
    "members": "a.",
    "arrows": "a -> ",
    "comparisons": "a < ",
    "ternaries": "a ? ",
    "calls": "f(a, ",
    "indexing": "a[",
    "generics": "A<B, ",
    "block comments": "/* ",
    "line comments": "// a\n",
    "hash comments": "# a\n",
    "dash comments": "-- a\n",
    "commas": "a, ",
    "semicolons": ";",
    "new lines": "\n",
    "backslashes": "\\\n",
    "at signs": "@a\n",
    "colons": "a: ",
    "lambdas": "lambda x: ",
    "closures": "|x| ",
    "fat arrows": "x => ",
    "strings": '"a" ',
    "digits": "1 ",
    "nulls and tabs": "\t \f",
    "letters": "a",
    "if": "if a ",
    "else": "else ",
    "if braces": "if (a) { ",
    "functions": "fn f() { function f() { ",
    "do": "do ",
    "case": "case a: ",
}
"""What is repeated up to the wanted length, by name."""

_NESTED = {
    "python": ("def f{i}():\n", "if a:\n", "class A{i}:\n", "for x in y:\n"),
    "javascript": ("function f{i}() {{ ", "x => {{ ", "<a>", "class A {{ m() {{ "),
    "typescript": ("function f{i}() {{ ", "namespace N {{ ", "type A<B> = A<", "class A {{ m() {{ "),
    "tsx": ("function f{i}() {{ ", "<a b={{", "<a>", "class A {{ m() {{ "),
    "java": ("class A{i} {{ ", "void f() {{ ", "new A() {{ int f() {{ ", "@A(@B("),
    "go": ("func() {{ ", "struct {{ a ", "if a {{ ", "map[string]"),
    "rust": ("fn f{i}() {{ ", "mod a{i} {{ ", "match a {{ b => ", "Vec<"),
    "c": ("struct a {{ ", "if (a) ", "#if A\n", "void f() {{ "),
    "cpp": ("namespace a {{ ", "template <class A, ", "#if A\n", "[&]() {{ "),
    "csharp": ("class A {{ ", "namespace A {{ ", "() => {{ ", "#if A\n"),
    "ruby": ("def f{i}\n", "module A{i}\n", "->(x) {{ ", "if a then "),
    "php": ("<?php function f{i}() {{ ", "<?php if ($a): ", "<?php fn() => ", "<?php class A {{ function f() {{ "),
    "kotlin": ("class A{i} {{ ", "fun f() {{ ", "a {{ ", "if (a) "),
    "scala": ("class A{i} {{ ", "def f = {{ ", "a match {{ case b => ", "object A{i}:\n  "),
    "swift": ("class A {{ ", "func f() {{ ", "a {{ b in ", "#if A\n"),
    "bash": ("if a; then ", "f() {{ ", "$(", "case a in a) "),
    "lua": ("function f{i}() ", "if a then ", "do ", "{{ a = "),
    "julia": ("function f{i}()\n", "module A{i}\n", "begin ", "if a\n"),
    "haskell": ("let a = ", "case a of b -> ", "where a = ", "do a <- "),
    "elixir": ("defmodule A{i} do ", "def f do ", "fn a -> ", "if a do "),
    "zig": ("fn f() void {{ ", "struct {{ ", "if (a) ", "switch (a) {{ b => "),
}
"""Openers of each language's own blocks; in Python and Haskell each level is indented further."""

_NUMBERED = {
    "numbered parentheses": "a{i}(",
    "numbered brackets": "[{i}, ",
    "numbered braces": "a{i} {{ ",
    "numbered sums": "a{i} + ",
    "numbered members": "a{i}.",
    "numbered strings": '"s{i}" ',
    "numbered lines": "a{i} = b{i}\n",
    "numbered comments": "// a{i}\n# b{i}\n",
    "numbered generics": "A{i}<",
}
"""Like the runs, but no two pieces are the same."""

_TOKENS = (
    "( ) [ ] { } < > , ; : . = + - * / % ! ? & | ^ ~ @ # $ \\ \" ' ` \n \t if else for while do end def class fn func "
    'function struct return new case match let var const import public static void int a b c foo Bar 1 2.5 0x1 "s" '
    "'c' // # /* */ <!-- --> => -> :: .. ... && || == <<E <?php ?> #if #endif #define where of in is then begin"
).split(" ")


@dataclass(frozen=True, slots=True)
class GrammarInput:
    """One source text, in a language, with a name that says how it was made."""

    language: str
    shape: str
    size: int
    data: bytes

    @property
    def name(self) -> str:
        """The name as reports print it: `python: parentheses, 20000`."""
        return f"{self.language}: {self.shape}, {self.size}"


def shapes(language: str) -> list[str]:
    """The names of all shapes that this language has."""
    return [*_RUNS, *_NUMBERED, *_NESTED[language], "balanced", "tokens", "bytes", "mixture", "printable"]


def grammar_input(language: str, shape: str, size: int, seed: int = 0) -> GrammarInput:
    """The source of one shape, `size` bytes long; the same arguments give the same bytes."""
    return GrammarInput(language, shape, size, "".join(_pieces(language, shape, size, seed)).encode()[:size])


def languages() -> list[str]:
    """The languages that have inputs."""
    return list(_NESTED)


@cache
def source_of(language: str) -> bytes:
    """The real source of a language that others are made of."""
    (path,) = _SOURCES.glob(f"{language}.*")
    return path.read_bytes()


def _pieces(language: str, shape: str, size: int, seed: int) -> Iterator[str]:
    rng = random.Random(f"{language} {shape} {size} {seed}")
    if shape in _RUNS:
        yield ("<?php " if language == "php" else "") + _RUNS[shape] * (size // len(_RUNS[shape]) + 1)
    elif shape == "balanced":
        opener, closer = rng.choice(("()", "[]", "{}"))
        yield opener * (size // 2) + closer * (size // 2)
    elif shape == "tokens":
        yield from _drawn(rng, _TOKENS, size, " ")
    elif shape == "mixture":
        yield from _drawn(rng, [*_RUNS.values(), *(block.format(i=0) for block in _NESTED[language])], size, "")
    elif shape == "bytes":
        yield from _drawn(rng, [chr(code) for code in range(1, 0x250)], size, "")
    elif shape == "printable":
        yield from _drawn(rng, [chr(code) for code in range(32, 127)] + ["\n"], size, "")
    else:
        yield from _nested(_NUMBERED.get(shape, shape), size)


def _drawn(rng: random.Random, pieces: list[str], size: int, between: str) -> Iterator[str]:
    length = 0
    while length < size:
        piece = rng.choice(pieces) + between
        length += len(piece)
        yield piece


def _nested(opener: str, size: int) -> Iterator[str]:
    """The opener again and again; where a line ends in it, each line is indented by one more space."""
    indents = opener.endswith(":\n")
    length = 0
    for level in range(size):
        piece = (" " * level if indents else "") + opener.format(i=level)
        length += len(piece)
        yield piece
        if length >= size:
            return
