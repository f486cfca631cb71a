"""Results as text: what a reason looks like."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trackdown.surfaces.cli.render import print_results
from trackdown.surfaces.cli.result_text import fitted
from trackdown.types import LineMatch, Result, SearchResults, Why


def test_a_reason_is_cut_between_phrases_where_the_terminal_ends() -> None:
    text = 'name has evictions; mentions evict, keys; file changed by "Introduce a flag" (2018)'
    assert fitted(text, 200) == fitted(text, len(text)) == text
    assert fitted(text, 60) == "name has evictions; mentions evict, keys"
    assert fitted(text, 40) == "name has evictions; mentions evict, keys"
    assert fitted(text, 39) == "name has evictions; mentions evict, ke…"
    assert fitted("name has evictions", 10) == "name has …"


def test_reasons_are_one_line_and_explain_adds_shares_and_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    why = (
        Why("lexical", 0.5, "mentions cookie", {"cookie": 3.004, "factor as a test": 0.3}),
        Why("graph", 0.0, "in Session, too", {"rank before": 27}),
        Why("newcomer", -0.25, ""),
    )
    reason = "mentions cookie; a test"
    result = Result(3, "shop", "a.py", "Session.load", "method", "python", 1, 2, 0.25, "", why, reason)
    result = replace(result, matches=(LineMatch(1, "def load(): ..."),))
    answer = SearchResults("cookie", "function", (result,))
    print_results(answer, nothing="nothing", explain=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [" 3  a.py:1-2  Session.load", f"    {reason}", "          1  def load(): ..."]
    print_results(answer, nothing="nothing", explain=True)
    assert capsys.readouterr().out.splitlines()[1:5] == [
        f"    {reason}",
        "    lexical 0.50: mentions cookie (cookie 3, factor as a test 0.3)",
        "    graph: in Session, too (rank before 27)",
        "    newcomer -0.25",
    ]
