"""Learned fusion from start to end, on small real repositories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import trackdown
from tests.conftest import Repo
from tests.lab.train.made_examples import made_repository
from tests.lab.train.made_history import TOPICS, misleading_history
from trackdown.engine import rank
from trackdown.errors import UsageError
from trackdown.fuse.learned import decode_fusions
from trackdown.lab.train.evidence import EvidencePlan, collect, examples_of, mixed_cases
from trackdown.lab.train.fit import rows_of, table_of
from trackdown.lab.train.fusion import judge_level, read_fusions, train_fusion, write_fusions
from trackdown.settings import Settings
from trackdown.types import Fusion, Level

WANTED = EvidencePlan(max_cases=12, levels=("file",))


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Without models: what channels find by words is fitted here."""
    return replace(settings, models="none")


@pytest.fixture
def places(make_repo: Callable[[str], Repo]) -> dict[str, str]:
    found = {}
    for name in ("one", "two", "three"):
        repo = make_repo(name)
        misleading_history(repo, 2)
        found[name] = str(repo.root)
    return found


def test_every_other_commit_asks_with_its_whole_message(repo: Repo) -> None:
    misleading_history(repo, 1)
    for number in range(12):
        text = f"def step{number}(given):\n    return given - {number}\n"
        repo.commit(f"Start step {number} late\n\nIt began too early and lost what was sent.", {f"n{number}.py": text})
        changed = {f"n{number}.py": text.replace("-", "+")}
        repo.commit(f"Stop step {number} early\n\nIt ended too late and kept what came in.", changed)
    found = mixed_cases(str(repo.root), 40)
    long = [case for case in found if "too" in case.query]
    assert 0 < len(long) < len([case for case in found if "step" in case.query])
    assert len({case.commit for case in found}) == len(found)


def test_collected_fitted_judged_and_written(places: dict[str, str], tmp_path: Path, settings: Settings) -> None:
    out = tmp_path / "learned.json"
    plain = replace(settings, fusion="weighted")
    (judged,) = train_fusion(places, tmp_path / "data", plain, WANTED, out=out)
    scores = {one.label: one.mrr for one in judged.evaluations()}
    assert list(scores) == ["weighted", "rrf", "adaptive", "learned"]
    assert scores["learned"] > scores["weighted"], "messages of the past know the way here"
    against = {verdict.mode_a: verdict for verdict in judged.verdicts()}
    assert against["weighted"].passed and against["weighted"].repositories == 3
    (written,) = decode_fusions(out.read_text())
    assert written == judged.fusion and written.trained["repositories"] == 3
    assert [table.needs for table in written.tables] == [("commits",), ()], "one for searches without a history"
    assert sorted(file.name for file in (tmp_path / "data").iterdir()) == [
        "one.file.retrieve.npz",
        "three.file.retrieve.npz",
        "two.file.retrieve.npz",
    ]
    assert judged.as_dict()["cases"] == 3 * 12


def test_what_was_collected_is_not_collected_again(places: dict[str, str], tmp_path: Path, settings: Settings) -> None:
    first = collect(places, tmp_path / "data", settings, WANTED)
    files = sorted((tmp_path / "data").iterdir())
    files[2].write_bytes(b"damaged")
    written = [file.stat().st_mtime_ns for file in files]
    again = collect(places, tmp_path / "data", settings, WANTED)
    changed = [file.name for file, before in zip(files, written, strict=True) if file.stat().st_mtime_ns != before]
    assert changed == ["two.file.retrieve.npz"]
    assert {name: len(found) for name, found in again["file"].items()} == dict.fromkeys(("one", "two", "three"), 12)
    for name, found in first["file"].items():
        for one, other in zip(found, again["file"][name], strict=True):
            assert one.id == other.id and np.allclose(one.scores, other.scores, rtol=1e-6)


def test_an_example_is_what_a_search_sees_before_the_commit(repo: Repo, settings: Settings) -> None:
    ids = misleading_history(repo, 3)
    cases = mixed_cases(str(repo.root), 30)
    found = examples_of(str(repo.root), cases, settings, EvidencePlan(levels=("file", "function")))
    assert {level: len(examples) for level, examples in found.items()} == {"file": 24, "function": 24}
    oldest, newest = found["file"][0], found["file"][-1]
    assert (oldest.id, newest.id) == (ids[1][:12], ids[-1][:12]) and oldest.when < newest.when
    at = newest.signals.index("commits")
    best = newest.places[int(np.argmax(newest.scores[:, at]))]
    assert best == newest.gold[0] and best.path == f"src/part{TOPICS - 1}.py", "older rounds touched it"
    assert not oldest.labels()[oldest.scores[:, at] > 0].any(), "its own commit and later ones are not seen"
    assert all((example.full >= example.scores.max(axis=0) - 1e-9).all() for example in found["function"])


@pytest.mark.parametrize("level", ["file", "function"])
@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_what_is_judged_ranks_as_a_search_does(repo: Repo, settings: Settings, level: Level, fusion: Fusion) -> None:
    misleading_history(repo, 3)
    wanted = EvidencePlan(levels=(level,))
    found = examples_of(str(repo.root), mixed_cases(str(repo.root), 6), settings, wanted)[level]
    options = replace(wanted.options(settings, level), fusion=fusion, k=50)
    table = table_of(dict(options.weights), rrf=fusion == "rrf")
    asked = {case.id: case for case in mixed_cases(str(repo.root), 6)}
    with trackdown.open(repo.root, settings=settings) as opened:
        for example, row in zip(found, rows_of({"x": found}, {"x": table}, "x", level), strict=True):
            prepared = opened.corpus(f"{asked[example.id].commit}^")
            places = rank(prepared, asked[example.id].query, options)
            assert [(place.path, place.symbol) for place in places] == [(one.path, one.symbol) for one in row.ranked]


def test_the_same_data_give_the_same_weights(settings: Settings) -> None:
    data = {f"r{seed}": made_repository(seed, "commits", 15) for seed in range(6)}
    first, second = (judge_level("function", data, EvidencePlan(), settings) for _ in range(2))
    assert first.fusion == second.fusion and first.rows == second.rows
    assert first.verdicts()[0].passed and first.verdicts()[0].difference > 0.2


def test_what_models_say_is_weighed_by_the_same_fit(settings: Settings) -> None:
    signals = ("fused", "encoder", "commit-reranker", "code-reranker")
    data = {f"r{seed}": made_repository(seed, "code-reranker", 30, signals=signals) for seed in range(4)}
    judged = judge_level("function", data, EvidencePlan(stage="rerank"), settings)
    assert judged.fusion.stage == "rerank" and [one.label for one in judged.evaluations()] == [
        "by hand",
        "unread",
        "learned",
    ]
    scores = {one.label: one.mrr for one in judged.evaluations()}
    assert scores["learned"] > scores["by hand"] > scores["unread"]
    assert judged.fusion.tables[0].needs == signals[1:] and len(judged.fusion.tables) == 8
    weights = judged.fusion.tables[0].for_query({})
    assert sum(weights["code-reranker"].values()) > sum(weights.get("encoder", {}).values())


def test_weights_of_the_other_stage_stay_in_the_file(
    tmp_path: Path, places: dict[str, str], settings: Settings
) -> None:
    data = {f"r{seed}": made_repository(seed, "fused", 10, signals=("fused", "encoder")) for seed in range(3)}
    out = tmp_path / "learned.json"
    write_fusions(out, [judge_level("file", data, EvidencePlan(stage="rerank"), settings).fusion])
    train_fusion(places, tmp_path / "data", settings, WANTED, out=out)
    assert [fusion.stage for fusion in read_fusions(out)] == ["rerank", "retrieve"]
    out.write_text("no weights")
    with pytest.raises(UsageError, match="cannot read weights"):
        train_fusion(places, tmp_path / "data", settings, WANTED, out=out)


def test_too_few_repositories_are_told(places: dict[str, str], tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="needs 3 repositories"):
        train_fusion(dict(list(places.items())[:2]), tmp_path, settings)
    with pytest.raises(UsageError, match="1 of the repositories"):
        judge_level("file", {"a": made_repository(1, "commits", 3), "b": [], "c": []}, EvidencePlan(), settings)


def test_without_models_nothing_is_read(places: dict[str, str], tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="no model that reads"):
        train_fusion(places, tmp_path, settings, EvidencePlan(max_cases=2, levels=("file",), stage="rerank"))
