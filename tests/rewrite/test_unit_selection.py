"""Which units are rewritten: what does something, code before tests, and no prose."""

from __future__ import annotations

from tests.index.segments import index_of
from trackdown.index.code import CodeIndex
from trackdown.rewrite.unit_selection import main_unit, units_to_rewrite

FILES = {
    "src/shop.py": (
        "import os\n\nLIMIT = 3\n\n\nclass Cart:\n    def add(self, item):\n        return item\n\n\n"
        "class Point:\n    x: int\n    y: int\n\n\ndef pay(cart):\n    return cart\n"
    ),
    "snippet.py": "import sys\nprint(sys.argv)\n",
    "tests/test_shop.py": "def test_pay():\n    assert pay(1) == 1\n",
    "docs/guide.md": "# Guide\n\nPay with cookies.\n",
}


def named(code: CodeIndex, units: list[int]) -> list[tuple[str, str, str]]:
    return [(code.path(int(code.unit_file[unit])), code.kind(unit), code.symbol(unit)) for unit in units]


def test_functions_and_what_has_none() -> None:
    code = index_of(FILES)
    assert named(code, units_to_rewrite(code)) == [
        ("snippet.py", "window", ""),
        ("src/shop.py", "method", "Cart.add"),
        ("src/shop.py", "class", "Point"),
        ("src/shop.py", "function", "pay"),
        ("tests/test_shop.py", "function", "test_pay"),
    ]


def test_what_is_dead_is_left_out() -> None:
    code = index_of(FILES, {"src/new.py": "def fresh():\n    pass\n"}, dead=[1, 2, 3])
    assert {path for path, _, _ in named(code, units_to_rewrite(code))} == {"src/new.py"}


def test_a_file_is_one_snippet_by_its_longest_function() -> None:
    code = index_of(
        {
            "a.py": "def short():\n    return 1\n\n\ndef long(x):\n    x += 1\n    return x\n",
            "b.py": "import sys\n\nprint(sys.argv)\n",
            "c.py": "class Empty:\n    pass\n",
            "d.bin": "\0",
        }
    )
    files = code.files_by_path
    found = {path: main_unit(code, file) for path, file in files.items()}
    assert [code.symbol(unit) for unit in found.values() if unit is not None] == ["long", "", "Empty"]
    (binary,) = {0, 1, 2, 3} - set(files.values())
    assert main_unit(code, binary) is None
