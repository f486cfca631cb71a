"""Which units a change edited, in the cases where people would disagree with a naive answer."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Protocol

import pytest

from trackdown.lab.cases import CodeLocation
from trackdown.lab.mine.truth import Edited, EditedUnits, edited_by_patch, find_edits
from trackdown.repository import parse_patch

PYTHON = """\
import os

LIMIT = 3


def first(x):
    return x


class Shape(Base):
    sides = 0

    def area(self):
        def inner(y):
            return y

        return inner(self.sides)

    @property
    def name(self):
        return "shape"


def last():
    return None
"""


class Edits(Protocol):
    def __call__(self, old: str, new: str, path: str = "a.py", context: str = "-U0") -> EditedUnits: ...


@pytest.fixture
def edits(tmp_path: Path) -> Edits:
    """A function that finds the edits between two texts, by git's own diff."""

    def of(old: str, new: str, path: str = "a.py", context: str = "-U0") -> EditedUnits:
        (tmp_path / "old").write_text(old)
        (tmp_path / "new").write_text(new)
        command = ["git", "diff", "--no-index", context, "old", "new"]
        printed = subprocess.run(command, cwd=tmp_path, capture_output=True).stdout.decode()
        return find_edits(path, old, new, parse_patch(printed)[0].hunks)

    return of


def names(units: tuple[tuple[str, str], ...]) -> list[str]:
    return [symbol for symbol, _ in units]


CHANGES = {
    "a line of a function": ("return x", "return x + 1", ["first"], [], ["first"]),
    "a line of a method counts for its class": (
        "return inner(self.sides)",
        "return inner(1)",
        ["Shape.area"],
        ["Shape"],
        ["Shape.area"],
    ),
    "a line of a nested function": (
        "return y",
        "return y + 1",
        ["Shape.area.inner"],
        ["Shape"],
        ["Shape.area.inner"],
    ),
    "a line of a class's body": ("sides = 0", "sides = 1", [], ["Shape"], ["Shape"]),
    "the bases of a class": ("(Base)", "(Other)", [], ["Shape"], ["Shape"]),
    "a line outside all units": ("LIMIT = 3", "LIMIT = 4", [], [], []),
    "an import": ("import os", "import os\nimport re", [], [], []),
    "a line appended to a function": ("    return x\n", "    return x\n    more()\n", ["first"], [], ["first"]),
    "a new function behind one": ("    return x\n", "    return x\n\n\ndef new():\n    pass\n", [], [], []),
    "a new method": (
        '        return "shape"\n',
        '        return "shape"\n\n    def new(self):\n        pass\n',
        [],
        ["Shape"],
        ["Shape"],
    ),
    "a new nested function counts for what encloses it": (
        "        return inner(self.sides)",
        "        def more():\n            pass\n\n        return inner(self.sides)",
        ["Shape.area"],
        ["Shape"],
        ["Shape.area"],
    ),
    "a decorator changed": ("@property", "@cached_property", ["Shape.name"], ["Shape"], ["Shape.name"]),
    "a decorator added": ("def last", "@cache\ndef last", ["last"], [], ["last"]),
    "a comment above": ("def last", "# why\ndef last", ["last"], [], ["last"]),
    "a function deleted": ("def last():\n    return None\n", "", ["last"], [], ["last"]),
    "a function renamed": ("def first(", "def zeroth(", ["first"], [], ["first"]),
    "blank lines only": ("    sides = 0\n", "    sides = 0\n\n", [], [], []),
    "a blank line in a function removed": ("            return y\n\n", "            return y\n", [], [], []),
    "a new class with methods": (
        "def last()",
        "class New:\n    def m(self):\n        pass\n\n\ndef last()",
        [],
        [],
        [],
    ),
}


@pytest.mark.parametrize("context", ["-U0", "-U3"])
@pytest.mark.parametrize("name", CHANGES)
def test_python(edits: Edits, name: str, context: str) -> None:
    old, new, functions, classes, innermost = CHANGES[name]
    assert old in PYTHON
    found = edits(PYTHON, PYTHON.replace(old, new, 1), context=context)
    assert (names(found.functions), names(found.classes), names(found.innermost)) == (functions, classes, innermost)


def test_kinds_and_the_order_of_the_old_text(edits: Edits) -> None:
    new = PYTHON.replace("return None", "return 1").replace("return inner", "return 1 + inner").replace("= 0", "= 1")
    assert edits(PYTHON, new) == EditedUnits(
        (("Shape.area", "method"), ("last", "function")),
        (("Shape", "class"),),
        (("Shape", "class"), ("Shape.area", "method"), ("last", "function")),
    )


def test_lines_that_git_ascribes_to_a_neighbour() -> None:
    """The end of `a` is shown as added, the end of the new `b` as what stood there: `a` itself is as it was."""
    old = "def a():\n    x()\n    return 1\n"
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,6 @@\n def a():\n     x()\n+    return 1\n+\n+def b():\n     return 1\n"
    assert edited_by_patch(patch, lambda path: old) == Edited(("a.py",))
    removed = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,6 +1,3 @@\n def a():\n     x()\n-    return 1\n-\n-def b():\n     return 1\n"
    )
    assert names_of(edited_by_patch(removed, lambda path: old + "\ndef b():\n    return 1\n")) == ["b"]


def names_of(edited: Edited) -> list[str]:
    return [place.symbol for place in edited.functions]


def test_a_function_that_was_moved_counts(edits: Edits) -> None:
    one, two = "def a():\n    x()\n    return 1\n", "def b():\n    y()\n    z()\n    return 2\n"
    assert names(edits(one + "\n" + two, two + "\n" + one).functions) == ["a"]


def test_a_property_and_its_setter_are_one_symbol(edits: Edits) -> None:
    getter = "class A:\n    @property\n    def x(self):\n        return 1\n"
    old = getter + "\n    @x.setter\n    def x(self, v):\n        pass\n"
    assert edits(old, old.replace("pass", "self.v = v")).functions == (("A.x", "method"),)


SOURCES = {
    "a.js": (
        "class A {\n  run() {\n    return 1;\n  }\n}\n"
        "const go = () => {\n  return 2;\n};\nexports.f = function () {\n  x();\n};\n",
        {"return 1": ["A.run"], "return 2": ["go"], "x()": ["f"]},
    ),
    "A.java": (
        "/** Doc. */\nclass A {\n  int n = 1;\n  @Override\n  public int f(int x) {\n    return x;\n  }\n}\n",
        {"return x": ["A.f"], "n = 1": [], "@Override": ["A.f"], "Doc": []},
    ),
    "a.go": (
        "package a\n\ntype T struct {\n\tn int\n}\n\n"
        "// M does.\nfunc (t *T) M() int {\n\treturn t.n\n}\n\nfunc F() {\n\tg()\n}\n",
        {"t.n": ["T.M"], "M does": ["T.M"], "g()": ["F"], "n int": []},
    ),
}


@pytest.mark.parametrize(("path", "line"), [(path, line) for path, (_, lines) in SOURCES.items() for line in lines])
def test_other_languages(edits: Edits, path: str, line: str) -> None:
    source, expected = SOURCES[path]
    found = edits(source, source.replace(line, line.swapcase() + "_", 1), path=path)
    assert names(found.functions) == expected[line]


def test_a_go_method_counts_for_its_type_and_a_new_one_too(edits: Edits) -> None:
    source = SOURCES["a.go"][0]
    assert names(edits(source, source.replace("return t.n", "return 1"), path="a.go").classes) == ["T"]
    found = edits(source, source + "\nfunc (t *T) New() {\n\tg()\n}\n", path="a.go")
    assert (names(found.functions), names(found.classes), names(found.innermost)) == ([], ["T"], ["T"])


def test_text_without_a_grammar_has_no_units(edits: Edits) -> None:
    assert edits("a\nb\n", "a\nc\n", path="a.txt") == EditedUnits()


PATCH = """\
diff --git a/old.py b/new.py
similarity index 90%
rename from old.py
rename to new.py
--- a/old.py
+++ b/new.py
@@ -1,2 +1,2 @@
 def f():
-    return 1
+    return 2
diff --git a/made.py b/made.py
new file mode 100644
--- /dev/null
+++ b/made.py
@@ -0,0 +1 @@
+x = 1
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-def g():
-    pass
diff --git a/logo.png b/logo.png
index 111..222 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/moved.py b/elsewhere.py
similarity index 100%
rename from moved.py
rename to elsewhere.py
diff --git a/sub b/sub
index 111..222 160000
--- a/sub
+++ b/sub
@@ -1 +1 @@
-Subproject commit 111
+Subproject commit 222
"""


def test_a_whole_patch_under_its_old_paths() -> None:
    texts = {"old.py": "def f():\n    return 1\n", "gone.py": "def g():\n    pass\n"}
    functions = (CodeLocation("old.py", "f"), CodeLocation("gone.py", "g"))
    assert edited_by_patch(PATCH, texts.get) == Edited(("old.py", "gone.py", "logo.png", "moved.py"), functions, ())


def test_a_file_that_cannot_be_read_is_edited_all_the_same() -> None:
    assert edited_by_patch(PATCH, lambda path: None).files == ("old.py", "gone.py", "logo.png", "moved.py")


def test_a_patch_for_another_text_says_so() -> None:
    with pytest.raises(ValueError, match=r"old\.py: the hunk at line 1 was made for another text"):
        edited_by_patch(PATCH, lambda path: "def f():\n    return 3\n")
