"""Results as text: what a reason looks like."""

from __future__ import annotations

import pytest

from trackdown.surfaces.cli.render import print_results
from trackdown.types import Result, SearchResults, Why


def test_what_only_moved_a_result_is_shown_without_points(capsys: pytest.CaptureFixture[str]) -> None:
    why = (Why("lexical", 0.5, "cookie 3.0"), Why("graph", 0.0, "rank 27 → 3: in Session, too"))
    result = Result(3, "shop", "a.py", "Session.load", "method", "python", 1, 2, 0.5, "def load(): ...", why)
    print_results(SearchResults("cookie", "function", (result,)), explain=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == " 3  a.py:1-2  Session.load"
    assert lines[1:3] == ["    lexical 0.50: cookie 3.0", "    graph: rank 27 → 3: in Session, too"]
