"""The tables of benchmarks/README.md say what the result files say."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.benchmarks.test_soak import BENCHMARKS


def test_every_table_is_on_the_page_and_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    tables = import_module("tables")
    text = (BENCHMARKS / "README.md").read_text("utf-8")
    assert {found[2] for found in tables.PART.finditer(text)} == set(tables.TABLES)
    assert tables.with_tables(text) == text, "run `make tables`"


def test_a_figure_that_a_file_does_not_have_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    tables = import_module("tables")
    made = tables.with_tables("before\n<!-- table: semble -->\n| .999 |\n<!-- end -->\nafter\n")
    assert ".999" not in made and made.startswith("before\n<!-- table: semble -->\n| semble, files |")
    assert made.endswith("<!-- end -->\nafter\n")
