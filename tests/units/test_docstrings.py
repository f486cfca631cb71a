"""Docstrings of hostile code; what is found in good code is tested where it is used."""

from __future__ import annotations

import time

import pytest

from trackdown.units import split_docstring


@pytest.mark.parametrize("unit", ["\n", "\r\n", "[", " ", "Args ", "Args\n", ":a", "<a", "](", "http://", "@doc "])
def test_no_docstring_takes_long(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.process_time()
    split_docstring(f'def f():\n    """Say.\n\nArgs{text}x"""\n    return 1\n', "python")
    split_docstring(f"/* {text} */\nvoid f() {{}}\n", "c")
    assert time.process_time() - started < 1


def test_the_text_ends_where_parameters_begin() -> None:
    for tag in ("Args:", "  Returns :", "Raises\r", "@param x", ":param x: y", "# Examples"):
        code = f'def f():\n    """Add [two](x) numbers.\n\n\n{tag}\n    more\n    """\n    return 1\n'
        assert split_docstring(code, "python")[0] == "Add two numbers."
