"""Markdown: hostile names stay text, and cannot break a table."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tests.lab.report.made_runs import make_rows, write_run
from tests.lab.report.small_run import small_run
from trackdown.lab.report.contenders import read_contenders
from trackdown.lab.report.formats import as_markdown
from trackdown.lab.report.summary import summarize


def markdown_of(path: Path, title: str = "") -> str:
    return as_markdown(summarize(read_contenders([path]), title=title))


def test_tables_keep_their_shape_with_hostile_names(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.jsonl", make_rows(hostile=True, cases=64))
    text = markdown_of(path)
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(cells) == 1, block
    assert not re.search(r"<(?!br)[a-z!/]", text) and "[link]" not in text and "://" not in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u2028\u202e\ud800-\udfff]", text)
    text.encode("utf-8")


def test_markup_in_names_is_written_out(tmp_path: Path) -> None:
    rows = [replace(row, repository=f"{row.repository} *a* [b](c) `d` @everyone a_b") for row in small_run()]
    text = markdown_of(write_run(tmp_path / "run.jsonl", rows))
    assert r"one \*a\* \[b\](c) \`d\` &commat;everyone a\_b" in text


def test_the_title_is_one_line(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.jsonl", small_run())
    assert markdown_of(path, title="A\n# B").startswith("# A \\# B\n\n3 of 4 cases")
    assert markdown_of(path).startswith("# Report on hand\n")
