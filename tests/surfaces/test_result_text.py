"""Ranked results as text: how many rows they take, and which lines of code they show."""

from __future__ import annotations

import re

import pytest

from trackdown.surfaces.cli.result_text import ResultText, allotted, few_lines
from trackdown.surfaces.cli.text_page import ColouredPage, TextPage, open_page
from trackdown.types import Confidence, LineMatch, Result, SearchResults

LINES = (
    LineMatch(10, "    def load(self, path):"),
    LineMatch(42, "        raise Busy(path)", ((14, 18), (19, 23))),
    LineMatch(11, "\treturn busy", ((8, 12),)),
    LineMatch(30, "        " + "x" * 200 + " busy", ((209, 213),)),
)


class Narrow(TextPage):
    """A terminal without colours."""

    def __init__(self, width: int) -> None:
        self._width = width

    @property
    def width(self) -> int:
        return self._width


def result(rank: int = 1, path: str = "src/app.py", symbol: str = "Cart.load") -> Result:
    reason = "mentions busy; file changed by " + "a long subject " * 6
    return Result(
        rank, "shop", path, symbol, "method", "python", 10, 50, 1.0, "", (), reason, 0.5, line=42, matches=LINES
    )


def answer(count: int, path: str = "src/app.py") -> SearchResults:
    sure = Confidence("weak", 0.2, "the signals disagree about the first result, and " * 4)
    found = tuple(result(rank, path) for rank in range(1, count + 1))
    return SearchResults("busy", "function", found, confidence=sure)


def printed(
    capsys: pytest.CaptureFixture[str], page: TextPage, shown: SearchResults, explain: bool = False
) -> list[str]:
    ResultText(page, explain=explain).answer(shown)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("width", [60, 99, 200, 10_000])
@pytest.mark.parametrize("path", ["src/app.py", f"{'folder/' * 20}app.py"])
def test_ten_results_take_forty_rows_and_no_row_is_too_wide(
    capsys: pytest.CaptureFixture[str], width: int, path: str
) -> None:
    lines = printed(capsys, Narrow(width), answer(10, path))
    assert len(lines) == 40 and max(map(len, lines)) <= width
    assert sum(line.startswith((" 1  ", "10  ")) for line in lines) == 2
    assert all(line[:4].strip() or line.startswith("    ") or not line for line in lines[5:])


def test_few_results_show_all_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, Narrow(99), answer(2))
    assert sum("busy" in line.lower() and line.startswith("    ") for line in lines) >= 6


def test_lines_are_in_order_with_numbers_gap_marks_and_no_common_indentation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ResultText(TextPage()).result(result(), 3)
    assert capsys.readouterr().out.splitlines()[2:] == [
        "         10  def load(self, path):",
        "         11  return busy",
        "    …    42      raise Busy(path)",
    ]


def test_one_line_is_the_best_one_and_two_are_the_signature_and_the_best() -> None:
    assert [match.line for match in few_lines(result(), 1)] == [42]
    assert [match.line for match in few_lines(result(), 2)] == [10, 42]


def test_a_line_that_is_too_long_is_cut_around_its_match(capsys: pytest.CaptureFixture[str]) -> None:
    Narrow(60).excerpt(LINES[3:], "python")
    (line,) = capsys.readouterr().out.splitlines()
    assert len(line) <= 60 and line.endswith(" busy") and line.startswith("         30  …xxx")
    Narrow(60).excerpt([LineMatch(5, "busy " + "x" * 100, ((0, 4),))], "python")
    (line,) = capsys.readouterr().out.splitlines()
    assert len(line) == 60 and line.startswith("          5  busy xxx") and line.endswith("x…")


def test_folders_in_the_middle_of_a_path_and_enclosing_names_go_first(capsys: pytest.CaptureFixture[str]) -> None:
    ResultText(Narrow(45)).result(result(path="one/two/three/four/five/app.py", symbol="Shop.Cart.load"), 0)
    title = capsys.readouterr().out.splitlines()[0]
    assert title == " 1  one/…/four/five/app.py:10-50  load  50%"


def test_the_budget_goes_to_every_result_once_before_the_first_get_more() -> None:
    assert allotted([6, 6, 6], 3) == [1, 1, 1]
    assert allotted([6, 6, 6], 6) == [3, 2, 1]
    assert allotted([6, 1, 6], 20) == [6, 1, 6]
    assert allotted([6, 6], -2) == [0, 0]


def test_colour_marks_matches_and_can_be_forced(capsys: pytest.CaptureFixture[str]) -> None:
    assert type(open_page("auto")) is TextPage and type(open_page("never")) is TextPage
    page = open_page("always")
    assert isinstance(page, ColouredPage)
    page.excerpt(LINES[1:2], "python")
    shown = capsys.readouterr().out
    assert re.search(r"\x1b\[1;31(;49)?mBusy\x1b\[0m", shown) and "42" in shown


def test_hostile_lines_stay_one_line_and_steer_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    TextPage().excerpt([LineMatch(1, "a\x1b[31mb\udcff\u202ec", ((1, 3),))], "python")
    assert capsys.readouterr().out == "          1  a\ufffd[31mb\\udcff\ufffdc\n"
