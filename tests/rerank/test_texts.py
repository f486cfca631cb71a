"""What models read: windows of whole lines, units with their names, queries with their prose first."""

from __future__ import annotations

import pytest

from tests.index.segments import index_of
from trackdown.rerank.texts import MAX_WINDOWS, WINDOW_TOKENS, UnitTexts, line_windows, normalized_query

CODE = "def signCookie(value):\n    return value\n"


@pytest.mark.parametrize(
    "source", ["", "one line", "a\nb\n\nc", "x = 1\n" * 500, "f(a, b)\n" * 3 + "y " * 1000 + "\nz"]
)
def test_windows_hold_every_line_once_and_in_order(source: str) -> None:
    windows = list(line_windows(source))
    assert "\n".join(windows) == source and windows
    for window in windows:
        assert len(window.split()) <= WINDOW_TOKENS or "\n" not in window


def test_punctuation_counts_as_tokens() -> None:
    assert len(list(line_windows("f(a, b)\n" * 100))) == 2  # six tokens a line
    assert [window.count("\n") + 1 for window in line_windows("a b\nc d\ne f", tokens=4)] == [2, 1]


def texts(*sources: str | None) -> UnitTexts:
    code = index_of({f"src/web/part{n}.py": CODE for n in range(len(sources))})
    return UnitTexts(code, lambda units: [sources[int(code.unit_file[unit])] for unit in units])


def test_a_unit_is_read_with_its_path_and_symbol() -> None:
    assert texts(CODE).opening(0) == "src web part 0 : sign cookie : def sign cookie value return value"
    assert texts(CODE).windows(0) == [texts(CODE).opening(0)]


def test_what_is_no_longer_there_is_not_read() -> None:
    assert texts(None).opening(0) is None and texts(None).windows(0) == []


def test_a_long_unit_has_so_many_windows_and_each_says_where_it_is() -> None:
    long = texts("call(value)\n" * 2000)
    found = long.windows(0)
    assert len(found) == MAX_WINDOWS and len(long.windows(0, 1)) == 1
    assert all(window.startswith("src web part 0 : sign cookie : call value") for window in found)
    assert len(str(long.opening(0))) < 5000


def test_source_is_read_once() -> None:
    asked: list[int] = []

    def read(units: list[int]) -> list[str | None]:
        asked.extend(units)
        return [CODE for _ in units]

    found = UnitTexts(index_of({"a.py": CODE}), read)  # type: ignore[arg-type]
    found.opening(0), found.windows(0), found.opening(0)
    assert asked == [0]


def test_a_query_is_its_prose_and_then_the_code_it_quotes() -> None:
    assert (
        normalized_query("Sign the sessionCookie!\n    x = parseHeader(y)")
        == "sign the session cookie x parse header y"
    )
    assert normalized_query("?!") == ""
    assert len(normalized_query("word " * 100_000)) < 7000
