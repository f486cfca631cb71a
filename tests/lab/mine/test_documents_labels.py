"""System 1's labels: which past commit, and which lines of a change, make an answer."""

from __future__ import annotations

import pytest

from tests.conftest import Repo
from trackdown.lab.mine.documents import Span, is_trivial, telling_spans
from trackdown.lab.mine.pairs import NO_UNIT, harvest

CART = """\
import os


class Cart:
    def add(self, item):
        if item:
            self.items.append(item)
        return

    def total(self):
        return sum(self.items)
"""


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   \t",
        "}",
        "  });",
        "# ---",
        "else:",
        "} else {",
        "end",
        "    return",
        "return;",
        "pass",
        "finally {",
        "import os",
        "from a.b import (c, d)",
        "#include <stdio.h>",
        "using System.Text;",
        "use std::fmt;",
        "import {a, b} from './x';",
        "import static org.junit.Assert.*;",
    ],
)
def test_lines_that_tell_nothing(line: str) -> None:
    assert is_trivial(line) and is_trivial(f"\t{line}\r")


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "return x",
        "else: x = 1",
        "end_of_file()",
        "important = 1",
        "const x = await import('y')",
        "import('y')",
        "using (var file = open())",
        "use_it()",
        "i++;",
        "große",
        "# a comment",
        "from_here()",
        "useful;",
    ],
)
def test_lines_that_tell_something(line: str) -> None:
    assert not is_trivial(line)


@pytest.mark.parametrize(
    ("hunks", "spans"),
    [
        (
            b"@@ -3 +3 @@ f\n-a\n+@@ -9 +9 @@\n@@ -5,0 +6,2 @@\n+x\n@@ -7,3 +8,0 @@\n-@@ -1 +1 @@ a\n-b\n-c\n",
            [(3, 3), (5, 4), (7, 9)],
        ),
        (b"@@ -3,4 +2,0 @@\n-a\n-\n-}\n-b\n", [(3, 3), (6, 6)]),
        (b"@@ -3 +3 @@\n-    return\n+    return x\n", [(3, 3)]),
        (b"@@ -3,2 +3 @@\n-}\n-\n+else {\n", []),
        (b"@@ -9,0 +10,2 @@\n+\n+import x\n\\ No newline at end of file\n", []),
        (b"", []),
    ],
)
def test_spans_are_those_of_telling_lines(hunks: bytes, spans: list[Span]) -> None:
    assert telling_spans(hunks) == spans


def test_a_commit_of_trivial_lines_edits_no_unit(repo: Repo) -> None:
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    spaced = CART.replace("        return\n", "\n        return\n").replace("    def total", "\n    def total")
    repo.commit("Give the cart some room to breathe", {"cart.py": spaced})
    repo.commit("Name the carts that are empty now", {"cart.py": spaced.replace("return\n", "return 0\n")})
    found = harvest(repo.root, "ada/shop")
    (example,) = (one for one in found.examples if one.kind == "commit")
    assert example.subject == "Name the carts that are empty now" and found.dropped[NO_UNIT] == 1
    assert [found.documents[number].symbol for number in example.answers] == ["Cart.add"]
