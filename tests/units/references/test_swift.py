"""What the reader of Swift finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import read_text
from trackdown.units.references.facts import Import


def test_imports_are_of_modules() -> None:
    found = read_text("import Foundation\n@testable import Shop\nimport class UIKit.UIView\n", "swift")
    assert found.imports == [
        Import(-1, 1, "Foundation", "*", ""),
        Import(-1, 2, "Shop", "*", ""),
        Import(-1, 3, "UIKit.UIView", "*", ""),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1)", "call run/1"),
        ("self.go()", "call self.go/0"),
        ("super.go()", "call super.go/0"),
        ("a.b?.c!.go(x: 1, 2)", "call a.b.c.go/2"),
        ("list.each { f($0) }", "call list.each/1"),
        ("list.each { f($0) }", "call f/1"),
        ("try make().go()", "call make().go/0"),
        ("Cart(items: 1)", "call Cart/1"),
        ("Box<Int>(1)", "new Box/1"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    text = f"class C {{\n  func m() {{\n    {code}\n  }}\n}}\n"
    assert expected in read_text(text, "swift").references["C.m"]


def test_bases_of_classes_protocols_and_extensions() -> None:
    text = "class A: B, q.C<Int> {\n}\nextension A: D {\n}\nextension E: F {\n}\nprotocol P: Q {\n}\n"
    assert read_text(text, "swift").references == {"A": ["base B/-1", "base q.C/-1", "base D/-1"], "P": ["base Q/-1"]}
