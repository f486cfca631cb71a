"""What the reader of Lua finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import read_text
from trackdown.units.references.facts import Import


def test_required_files_and_their_names() -> None:
    text = (
        "local a = require('x.a')\nlocal b, c = 1, require \"x.c\"\nlocal new = require('d').new\n"
        "require('e')\ndofile('f.lua')\n"
    )
    assert read_text(text, "lua").imports == [
        Import(-1, 1, "x.a", "", "a"),
        Import(-1, 2, "x.c", "", "c"),
        Import(-1, 3, "d", "new", "new"),
        Import(-1, 4, "e", "", ""),
        Import(-1, 5, "f.lua", "", ""),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1)", "call run/1"),
        ("self:go()", "call self.go/0"),
        ("a.b.go(1, 2)", "call a.b.go/2"),
        ("a.go 'x'", "call a.go/1"),
        ("a:make():go()", "call a.make().go/0"),
        ("a[1].go()", "call a[].go/0"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    assert expected in read_text(f"function C:m()\n  {code}\nend\n", "lua").references["C.m"]


def test_what_is_required_by_a_computed_name_is_a_call() -> None:
    assert read_text("local x = require(name)\n", "lua").references == {"": ["call require/1"]}
