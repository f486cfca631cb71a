"""Trees as flat arrays: the scores of LightGBM, and parts that add up to them."""

from __future__ import annotations

from pathlib import Path

import lightgbm
import numpy as np
import pytest

from trackdown.errors import ModelError
from trackdown.lab.train.ranker_fit import trees_of
from trackdown.rank.features import FeatureTable
from trackdown.rank.ranker import START, Ranker, load_ranker, write_ranker
from trackdown.rank.trees import Trees

NAMES = ("lexical.share", "lexical.rank", "dense.cosine", "shape.lines")


def data(rows: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Features with missing values, and labels that depend on two of them."""
    random = np.random.default_rng(3)
    table = random.normal(size=(rows, len(NAMES)))
    table[random.random(table.shape) < 0.2] = np.nan
    table[:, 3] = np.abs(np.nan_to_num(table[:, 3]))  # a column without missing values
    labels = (np.nan_to_num(table[:, 0]) + 0.5 * np.nan_to_num(table[:, 2]) > 0.3).astype(int)
    return table, labels


def fitted() -> tuple[lightgbm.Booster, Trees]:
    table, labels = data()
    settings = {"objective": "lambdarank", "num_leaves": 9, "min_data_in_leaf": 5, "verbosity": -1, "num_threads": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(table, labels, group=[50] * 8), 70)
    return booster, trees_of(booster.dump_model())


def test_scores_are_those_of_the_library() -> None:
    booster, trees = fitted()
    table, _ = data()
    table[0, 3] = np.nan  # missing where no value was missing in the fit
    assert trees.scores(table) == pytest.approx(booster.predict(table), abs=1e-9)


def test_the_parts_of_a_score_add_up_to_it() -> None:
    _, trees = fitted()
    table, _ = data()
    parts = trees.parts(table)
    assert parts.shape == (len(table), len(NAMES) + 1)
    assert parts.sum(axis=1) == pytest.approx(trees.scores(table), abs=1e-9)
    assert np.abs(parts[:, 0]).sum() > np.abs(parts[:, 1]).sum()  # the labels depend on the first, not on the second


def test_a_ranker_groups_its_parts_by_signal() -> None:
    _, trees = fitted()
    table, _ = data(20)
    ranker = Ranker("function", NAMES, trees)
    parts = ranker.parts(FeatureTable(NAMES, table))
    assert set(parts) == {START, "lexical", "dense", "shape"}
    assert sum(parts.values()) == pytest.approx(ranker.scores(FeatureTable(NAMES, table)), abs=1e-9)


def test_columns_are_found_by_name_and_missing_ones_are_missing_values() -> None:
    _, trees = fitted()
    table, _ = data(20)
    ranker = Ranker("function", NAMES, trees)
    shuffled = FeatureTable(NAMES[::-1], table[:, ::-1])
    assert ranker.scores(shuffled).tolist() == ranker.scores(FeatureTable(NAMES, table)).tolist()
    without = table.copy()
    without[:, 2] = np.nan
    kept = [0, 1, 3]
    fewer = FeatureTable(tuple(NAMES[number] for number in kept), table[:, kept])
    assert ranker.scores(fewer).tolist() == ranker.scores(FeatureTable(NAMES, without)).tolist()


def test_a_written_ranker_scores_the_same(tmp_path: Path) -> None:
    _, trees = fitted()
    table, _ = data(20)
    ranker = Ranker("file", NAMES, trees, {"cases": 8})
    write_ranker(tmp_path, ranker)
    loaded = load_ranker(tmp_path, "file")
    assert loaded is not None and loaded.trained == {"cases": 8}
    assert loaded.scores(FeatureTable(NAMES, table)).tolist() == ranker.scores(FeatureTable(NAMES, table)).tolist()
    assert load_ranker(tmp_path, "function") is None


@pytest.mark.parametrize("damage", ["nodes", "empty", "text", "format"])
def test_a_damaged_ranker_is_one_clear_line(tmp_path: Path, damage: str) -> None:
    _, trees = fitted()
    write_ranker(tmp_path, Ranker("file", NAMES, trees))
    if damage == "nodes":
        (tmp_path / "file.npy").write_bytes(b"\x93NUMPY nothing")
    elif damage == "empty":
        (tmp_path / "file.npy").write_bytes(b"")
    elif damage == "text":
        (tmp_path / "file.json").write_text("{")
    else:
        text = (tmp_path / "file.json").read_text()
        (tmp_path / "file.json").write_text(text.replace('"format": 1', '"format": 9'))
    with pytest.raises(ModelError, match="run `trackdown train ranker` again"):
        load_ranker(tmp_path, "file")
