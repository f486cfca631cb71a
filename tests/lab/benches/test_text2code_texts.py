"""Texts that a language model wrote elsewhere: joined to a set by id, refused with their place, and searched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab.benches.test_text2code import mbpp_row, write_lines
from trackdown.errors import UsageError
from trackdown.lab.benches.text2code import read_text2code
from trackdown.lab.run import run_bench
from trackdown.lab.run_plan import plan
from trackdown.lab.runs import RunFile
from trackdown.lab.tasks import Bench
from trackdown.settings import Settings
from trackdown.surfaces.cli.main import main

ROWS = [
    mbpp_row(11, "how to read a punched card", "def f(path):\n    return open(path)"),
    mbpp_row(12, "wind up a clock", "def g(spring):\n    spring += 1\n    return spring"),
    mbpp_row(13, "boil an egg", "def h(water):\n    return water"),
    mbpp_row(14, "bake bread", "def i(flour):\n    return flour"),
]
EXEMPLARS: list[dict[str, object]] = [
    {"id": 11, "code": "def read_card(path): return tape(path)"},
    {"id": "mbpp/12", "code": "def wind(clock): return gear(clock)"},
    {"id": 13, "code": "def boil(egg): return kettle(egg)"},
    {"id": 14, "code": "def bake(bread): return oven(bread)"},
]
REWRITES: list[dict[str, object]] = [
    {"id": 14, "code": "def bread_maker(): return oven()"},
    {"id": 13, "code": "def cook(): return kettle()"},
    {"id": 12, "code": "def clock(): return gear()"},
    {"id": 11, "code": "def card(): return tape()"},
    {"id": 999, "code": "def nobody(): return asks()"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "mbpp.jsonl", ROWS)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    write_lines(folder / "mbpp-exemplars.jsonl", EXEMPLARS)
    write_lines(folder / "mbpp-summaries.jsonl", [{"id": 11, "summary": "Reads a card."}])
    write_lines(folder / "mbpp-rewrites.jsonl", REWRITES)
    return folder


def read(data: Path, texts: Path | None = None, without: Path | None = None) -> Bench:
    folder = data.parent / "corpora"
    return read_text2code("mbpp", data, folder, normalise_names=False, strict=True, texts=texts, without=without)


def ranks(bench: Bench, modes: list[str], settings: Settings, tmp_path: Path) -> dict[str, list[int]]:
    """For each mode the rank of every task's answer, 0 where it was not found."""
    chosen = plan(bench, modes, settings)
    with RunFile(tmp_path / "run.jsonl", chosen.config) as file:
        rows = run_bench(bench, chosen, file, jobs=1, strict=True)
    found: dict[str, list[int]] = {mode: [] for mode in modes}
    for row in rows:
        found[row.mode].append(next((n for n, place in enumerate(row.ranked, 1) if place in row.gold), 0))
    return found


def test_texts_are_joined_by_id(data: Path, texts: Path) -> None:
    bench = read(data, texts)
    assert [task.exemplars for task in bench.tasks] == [(row["code"],) for row in EXEMPLARS]
    rewrites = {task.id: bench.rewrites[task.gold[0].path] for task in bench.tasks}
    assert rewrites["mbpp/11"] == [("Reads a card.", "def card(): return tape()")]
    assert rewrites["mbpp/14"] == [("", "def bread_maker(): return oven()")]
    remarks = bench.remarks or {}
    assert remarks["questions with exemplars"] == remarks["snippets with rewrites"] == 4
    assert bench.texts and not read(data).texts


def test_gar_reco_and_exemplar_find_what_words_do_not(
    data: Path, texts: Path, settings: Settings, tmp_path: Path
) -> None:
    found = ranks(read(data, texts), ["bm25", "gar", "reco", "exemplar", "bm25+rewrites"], settings, tmp_path)
    assert found["bm25"] == [0, 0, 0, 0], "the queries share no word with the code"
    assert found["gar"][0] > 0, "`path` and `return` are in the exemplars"
    assert found["reco"] == [1, 1, 1, 1]
    assert found["bm25+rewrites"] == [1, 1, 0, 1], "`boil an egg` says nothing that a rewrite does"


def test_other_texts_are_another_configuration(data: Path, texts: Path, settings: Settings) -> None:
    first = plan(read(data, texts), ["gar"], settings)
    write_lines(texts / "mbpp-exemplars.jsonl", [{**EXEMPLARS[0], "code": "def other(): pass"}, *EXEMPLARS[1:]])
    assert plan(read(data, texts), ["gar"], settings).config != first.config


def test_ids_that_are_left_out_are_not_asked_but_stay_candidates(data: Path, texts: Path, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("12\n\nmbpp/14\n")
    bench = read(data, texts, ids)
    assert [task.id for task in bench.tasks] == ["mbpp/11", "mbpp/13"]
    assert (bench.remarks or {})["left out by id"] == 2 and len(bench.rewrites) == 4
    assert len(list(Path(bench.tasks[0].place).glob("*.py"))) == 4


def test_an_id_that_the_set_does_not_have(data: Path, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("12\n77\n")
    with pytest.raises(UsageError, match=r"line 2.*'77'"):
        read(data, without=ids)
    with pytest.raises(UsageError, match="cannot read the ids"):
        read(data, without=tmp_path / "none.txt")
    ids.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        read(data, without=ids)


def test_texts_of_another_set_are_none(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "others"
    folder.mkdir()
    write_lines(folder / "mbpp-exemplars.jsonl", [{"id": 4711, "code": "def f(): pass"}])
    with pytest.raises(UsageError, match="no exemplar or rewrite for any id in mbpp"):
        read(data, folder)


@pytest.mark.parametrize("mode", ["gar", "exemplar", "reco", "dense+gar"])
def test_a_mode_without_its_texts_is_refused(data: Path, settings: Settings, mode: str) -> None:
    with pytest.raises(UsageError, match=r"needs exemplars.*--llm-texts"):
        plan(read(data), ["bm25", mode], settings)


def test_reco_without_rewrites_is_refused(data: Path, texts: Path, settings: Settings) -> None:
    (texts / "mbpp-rewrites.jsonl").unlink()
    bench = read(data, texts)
    with pytest.raises(UsageError, match="needs rewrites"):
        plan(bench, ["reco"], settings)
    assert plan(bench, ["gar"], settings)


def test_on_the_command_line(data: Path, texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "text2code", "--set", "mbpp", "--data", str(data), "--llm-texts", str(texts), "--jobs", "1"]
    assert main([*words, "--modes", "bm25,gar,reco,exemplar", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["modes"]["reco"]["MRR"] == 1.0 > found["modes"]["gar"]["MRR"] > found["modes"]["bm25"]["MRR"]
    ids = tmp_path / "ids.txt"
    ids.write_text("11\n")
    assert main([*words, "--modes", "reco", "--without-ids", str(ids), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["cases"] == 3


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("mbpp-exemplars.jsonl", "{", "line 1 is not JSON"),
        ("mbpp-exemplars.jsonl", '{"id": 11}', "needs"),
        ("mbpp-rewrites.jsonl", '{"id": 11, "code": "x"}\n[]', "line 2"),
        ("mbpp-summaries.jsonl", '{"id": true, "summary": "x"}', 'needs an "id"'),
    ],
)
def test_texts_that_cannot_be_read(
    data: Path, texts: Path, name: str, content: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (texts / name).write_text(content)
    words = ["bench", "text2code", "--set", "mbpp", "--data", str(data), "--llm-texts", str(texts), "--modes", "gar"]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_no_texts_at_all(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "text2code", "--set", "mbpp", "--data", str(data), "--modes", "gar", "--llm-texts"]
    for folder in (tmp_path / "nowhere", tmp_path):
        assert main([*words, str(folder)]) == 2
        assert str(folder) in capsys.readouterr().err
