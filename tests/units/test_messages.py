"""What a program says: literals in every language, joined, with gaps for what is filled in."""

from __future__ import annotations

import numpy as np
import pytest

from trackdown.units.extraction import extract
from trackdown.units.literals import literals
from trackdown.units.message_words import word_hash
from trackdown.units.messages import Message, messages
from trackdown.units.parsing import captured, syntax_tree

SAID = {
    "python": (
        'raise E("no such key %(key)r in %-10.2f tables" % x)\n'
        'log.info("a" "b %s c " + d + " is not, here")\n'
        "g(f\"bad {x['a b']!r:>10} value\\ngiven\")\n"
        '_("Line one "\n'
        '  "and two {0}")\n',
        ["no such key _ in _ tables", "ab _ c _ is not here", "bad _ value given", "Line one and two _"],
    ),
    "javascript": (
        'throw new E(`cannot read ${f(`x`)} of ${y} now`); log("got " + n + " items")',
        ["cannot read _ of _ now", "got _ items"],
    ),
    "java": (
        'class A { void f() { log.warn("Topic {} not present after {} ms.", a, b); } }',
        ["Topic _ not present after _ ms"],
    ),
    "go": ('package a\nfunc f() { fmt.Errorf("open %q: bad %v\\tmode %[1]d now", a) }', ["open _ bad _ mode _ now"]),
    "rust": ('fn f() { panic!("index {:?} out of range for {len}", i); }', ["index _ out of range for _"]),
    "c": (
        'void f() { printf("read %" PRIu64 " of %5.2lf bytes\\n" "then stopped", n); }\n#define E "big %s error"',
        ["read _ of _ bytes then stopped", "big _ error"],
    ),
    "cpp": ('void f() { std::cerr << "cannot open " << name << " for writing"; }', ["_ cannot open _ for writing"]),
    "csharp": (
        'class A { void F() { throw new E($"value {x:N2} is {y} wrong"); var s = @"verbatim text"; } }',
        ["value _ is _ wrong", "verbatim text"],
    ),
    "ruby": (
        'def f\n  raise "no route to #{x["a b"]} found"\n  puts <<~E\n    usage is here\n  E\nend\n',
        ["no route to _ found", "usage is here"],
    ),
    "php": (
        "<?php function f() { throw new E(\"Unable to read $path from $x->y disk \" . $z . ' at all'); }",
        ["Unable to read _ from _ disk _ at all"],
    ),
    "kotlin": ('fun f() { error("user $name is ${a.b} gone") }', ["user _ is _ gone"]),
    "scala": ('object A { def f() = { throw new E(s"user $name is ${a.b} gone") } }', ["user _ is _ gone"]),
    "swift": ('func f() { fatalError("user \\(name.first) is gone") }', ["user _ is gone"]),
    "bash": ('f() { echo "cannot find ${x} in $y anywhere"; }', ["cannot find _ in _ anywhere"]),
    "lua": ('function f() error("cannot find " .. x .. " in table") end', ["cannot find _ in table"]),
    "julia": ('f(x) = error("cannot find $x in $(y.z) table")', ["cannot find _ in _ table"]),
    "haskell": ('f x = error ("cannot find " ++ x ++ " in table")', ["cannot find _ in table"]),
    "elixir": (
        'defmodule A do\n  @doc "Says hello there"\n  def f(x), do: raise "cannot find #{x} now"\nend',
        ["cannot find _ now"],
    ),
    "zig": ('fn f() void { std.debug.print("cannot find {s} in {d} rows", .{a, b}); }', ["cannot find _ in _ rows"]),
    "typescript": ('const E = { notFound: "the thing is not there" }', ["the thing is not there"]),
    "tsx": ("const a = () => <p>Nothing to see here</p>", ["Nothing to see here"]),
}


def said(source: str, language: str) -> list[Message]:
    data = source.encode()
    return messages(data, literals(captured(syntax_tree(data, language), language), data))


def shown(found: list[Message]) -> list[str]:
    return [" ".join(word or "_" for word in message.words) for message in found]


@pytest.mark.parametrize("language", sorted(SAID))
def test_every_language_says_its_literals(language: str) -> None:
    source, expected = SAID[language]
    assert shown(said(source, language)) == expected


def test_part_of_a_word_that_is_filled_in_is_no_word() -> None:
    assert shown(said('f("code 0x%x, %ss left: v{}, end")\n', "python")) == ["code _ left _ end"]


def test_escapes_are_read_as_the_compiler_reads_them() -> None:
    source = (
        r"""f("l'\u00e9cole est ferm\u00e9e", "\033[31mError:\x1b[0m no such \u{e9}t\xe9", """
        r""""an \U000000e9t\u00e9 there")"""
    )
    assert shown(said(source, "python")) == ["l école est fermée", "Error no such été", "an été there"]


def test_documentation_and_names_are_no_messages() -> None:
    source = (
        '"""A module of things."""\n\ndef f():\n    """Say all of it."""\n    return g("key", "other_key", \'x\')\n'
    )
    assert said(source, "python") == []


@pytest.mark.parametrize(
    ("source", "language", "name"),
    [
        ('NOT_FOUND = _("The page is gone")\n', "python", "NOT_FOUND"),
        ('NOT_FOUND: str = (\n    "The page is gone"\n)\n', "python", "NOT_FOUND"),
        ('MESSAGES = {"not_found": "The page is gone"}\n', "python", "not_found"),
        ('f("The page is gone")\n', "python", ""),
        ('void f() { shared.gone = make(STRING,sds(\n    "The page is gone")); }', "c", "gone"),
        ('#define NOT_FOUND "The page is gone"\n', "c", "NOT_FOUND"),
        ('enum E { NOT_FOUND("The page is gone", 404); }', "java", "NOT_FOUND"),
        ('class A { static final String NOT_FOUND = "The page is gone"; }', "java", "NOT_FOUND"),
        ('enum E {\n #[error("The page {0} is gone")]\n NotFound(String),\n}', "rust", "NotFound"),
        ('const NotFound: &str = "The page is gone";', "rust", "NotFound"),
        ('package a\nvar ErrNotFound = errors.New("The page is gone")\n', "go", "ErrNotFound"),
        ('const texts = { notFound: "The page is gone" }', "typescript", "notFound"),
        ('NOT_FOUND = "The page is gone".freeze\n', "ruby", "NOT_FOUND"),
    ],
)
def test_a_message_knows_the_name_that_it_defines(source: str, language: str, name: str) -> None:
    (message,) = said(source, language)
    assert message.name == name


def test_messages_belong_to_the_innermost_unit() -> None:
    source = (
        'TOP = "the top of all"\n\nclass A:\n    text = "inside the class"\n\n    def f(self):\n'
        '        def g():\n            return "deep inside it"\n        return "back in method"\n\n'
        'LAST = "the very last"\n'
    )
    facts = extract(source.encode(), "python")
    speakers = [facts.units[unit] for unit in np.frombuffer(facts.message_units, "<u4")]
    assert [(unit.kind, unit.symbol) for unit in speakers] == [
        ("window", ""),
        ("class", "A"),
        ("function", "A.f.g"),
        ("method", "A.f"),
        ("window", ""),
    ]
    assert facts.message_names == {0: "TOP", 1: "text", 4: "LAST"}


def test_a_word_has_one_hash_whatever_its_case() -> None:
    assert word_hash("Topic") == word_hash("topic") == word_hash("TOPIC") != word_hash("topics")
    assert word_hash("topic") == 3521158871


@pytest.mark.parametrize("piece", ["{", "%(", "${", "\\(", "$(", '" "', '" + x + "', "{a{", "\\u{", "#{"])
def test_hostile_literals_take_linear_time(piece: str) -> None:
    source = 'f("' + piece * 20000 + ' end of it")\n'
    extract(source.encode(), "python")
