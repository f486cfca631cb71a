"""All formats show the same numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.lab.report.made_runs import MODES, make_rows, write_run
from tests.lab.report.page_walk import walk
from tests.lab.report.small_run import small_run
from trackdown.lab.report.contenders import read_contenders
from trackdown.lab.report.formats import as_json, as_markdown
from trackdown.lab.report.page import as_html
from trackdown.lab.report.summary import Summary, summarize
from trackdown.lab.report.tables import Table, at_k_table, groups_table, pairs_table, scores_table
from trackdown.lab.runs import Row
from trackdown.surfaces.cli.main import main


def summary_of(path: Path, rows: list[Row]) -> Summary:
    return summarize(read_contenders([write_run(path, rows)]))


@pytest.fixture
def made(tmp_path: Path) -> Summary:
    return summary_of(tmp_path / "made.jsonl", make_rows(modes=MODES[:4], cases=80))


def expected_tables(summary: Summary) -> list[Table]:
    return [
        scores_table(summary),
        at_k_table(summary, "R"),
        at_k_table(summary, "Acc"),
        groups_table(summary, "repository", summary.repositories),
        groups_table(summary, "category", summary.categories),
        pairs_table(summary, summary.pairs),
    ]


def flat(text: str) -> str:
    return " ".join(text.split())


def texts(table: Table) -> list[list[str]]:
    return [[flat(f"{cell.text} {cell.interval}") for cell in row] for row in table.rows]


def test_the_page_and_markdown_hold_the_tables_cell_by_cell(made: Summary) -> None:
    shown = {found.title: found for found in walk(as_html(made)).tables}
    written = markdown_tables(as_markdown(made))
    for table in expected_tables(made):
        assert shown[table.title].head == [flat(column) for column in table.columns]
        assert shown[table.title].rows == texts(table), table.title
        assert written[table.title] == [[flat(column) for column in table.columns], *texts(table)], table.title


def markdown_tables(text: str) -> dict[str, list[list[str]]]:
    found = {}
    for title, lines in re.findall(r"^## (.+)\n\n((?:\|.*\n?)+)", text, re.MULTILINE):
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines.splitlines()]
        del rows[1]
        found[title] = [[plain(cell) for cell in row] for row in rows]
    return found


def plain(cell: str) -> str:
    cell = cell.replace("&lt;", "<").replace("**", "").replace("\\[", "").replace("\\]", "")
    return flat(re.sub(r"\\(.)", r"\1", cell))


def test_json_has_the_numbers_of_the_tables(made: Summary) -> None:
    document = json.loads(as_json(made))
    for mode, row in zip(document["modes"], scores_table(made).rows, strict=True):
        found = mode["scores"]["MRR"]
        assert row[2].text == f"{found['mean']:.3f}" and row[3].text == f"{found['macro']:.3f}"
        assert row[2].interval == f"{found['low']:.3f}–{found['high']:.3f}"
        assert row[1].text == f"{mode['scored']}/{mode['total']}"
    for group, row in zip(document["repositories"], groups_table(made, "", made.repositories).rows, strict=True):
        assert [cell.text for cell in row[2:]] == [f"{group['MRR'][letter]:.3f}" for letter in "ABCD"]
    for pair, row in zip(document["pairs"], pairs_table(made, made.pairs).rows, strict=True):
        assert [cell.text for cell in row[2:6]] == [str(pair[key]) for key in ("cases", "wins", "losses", "ties")]
        assert row[0].text.startswith(pair["first"]) and row[1].text.startswith(pair["second"])


def test_values_of_cases_average_to_the_means(made: Summary) -> None:
    document = json.loads(as_json(made))
    for mode in document["modes"]:
        values = [case["MRR"][mode["letter"]] for case in document["cases"]]
        assert sum(values) / len(values) == pytest.approx(mode["scores"]["MRR"]["mean"])
        ranks = [case["gold_ranks"][mode["letter"]] for case in document["cases"]]
        assert values == pytest.approx([1 / found[0] if found else 0 for found in ranks])


def test_every_format_says_what_was_scored_and_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_run(tmp_path / "run.jsonl", small_run())
    summary = summarize(read_contenders([path]))
    assert main(["report", str(path)]) == 0
    for text in (as_html(summary), as_markdown(summary), capsys.readouterr().out):
        assert "3 of 4 cases scored; skipped: 1 × commit not in the clone." in text
    assert json.loads(as_json(summary))["modes"][1]["skipped"] == {"commit not in the clone": 1}


def test_the_text_shows_numbers_computed_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_run(tmp_path / "run.jsonl", small_run())
    assert main(["report", str(path), "--ks", "1,5"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert any(line[:4] == ["A", "x", "3/4", "0.500"] and line[5] == "0.375" for line in lines)
    assert any(line[:4] == ["B", "y", "3/4", "0.583"] and line[5] == "0.500" and line[-2] == "50.0" for line in lines)
    assert ["A", "x", "0.333", "0.500"] in lines and ["A", "x", "0.333", "0.333"] in lines
    assert ["two", "1", "0.000", "0.250"] in lines
    assert any(line[:7] == ["A", "B", "3", "1", "2", "0", "−0.083"] for line in lines)


def test_modes_that_scored_other_cases_are_told_apart(tmp_path: Path) -> None:
    rows = [found for found in small_run() if (found.id, found.mode) != ("c2", "y")]
    text = as_markdown(summary_of(tmp_path / "run.jsonl", rows))
    assert "A: 3 of 4 cases scored" in text and "B: 2 of 3 cases scored" in text
    assert "- Modes did not score the same cases" in text
