"""The tour is true: its commands run in order, and each prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tour import PAGE, Step, Walk, renewed, steps

pytestmark = pytest.mark.slow


def test_every_command_prints_what_the_page_shows(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    for step in steps(PAGE.read_text("utf-8")):
        lines = walk.run(step.command)
        assert step.printed(lines), (
            f"$ {step.command}\nprints now (make tour renews the page, if it should):\n" + "\n".join(lines)
        )


def test_a_wildcard_stands_for_text_in_a_line_and_alone_for_lines() -> None:
    assert Step("", ("took … ms", "…", "end")).printed(["took 12 ms", "a", "b", "end"])
    assert Step("", ("took … ms", "…", "end")).printed(["took 12 ms", "end"])
    assert not Step("", ("took … ms", "end")).printed(["took 12 ms", "a", "end"])
    assert not Step("", ("took … ms",)).printed(["took 12 s"])


def test_percentages_may_differ_and_nothing_else() -> None:
    assert Step("", ("1  app.py  40%",)).printed(["1  app.py  8%"])
    assert not Step("", ("1  app.py  40%",)).printed(["1  app.js  40%"])
    assert not Step("", ("one line",)).printed(["one line", "another"])
    assert not Step("", ("one line",)).printed([])


def test_renewing_changes_only_what_is_not_true_any_more(tmp_path: Path) -> None:
    page = "# T\n```console\n$ echo a 12 ms\n> echo b\na … ms\nb\n$ echo c 3.5 MB\nold\n```\nend\n"
    assert renewed(page, tmp_path) == page.replace("old", "c … MB")
