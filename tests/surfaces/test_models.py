"""The command line with models: efforts that differ, reasons that are shown, a table that has a row for rerankers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from tests.surfaces.program import Run

InProcess = Callable[..., Run]
CODE = "def sign(cookie):\n    return cookie\n\n\ndef load(key):\n    return key\n"


@pytest.fixture
def web(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a few commits, and models to search it with."""
    monkeypatch.setenv("TRACKDOWN_MODELS", str(make_models(tmp_path / "models")))
    repo.commit("Begin", {"src/a.py": CODE.replace("return", "yield"), "src/b.py": "def route(request): pass\n"})
    repo.commit("Sign the cookie of a session", {"src/a.py": CODE})
    repo.commit("Route every request to its handler", {"src/b.py": "def route(request):\n    return request\n"})
    return repo


def test_efforts_differ_and_say_what_they_did(web: Repo, in_process: InProcess) -> None:
    for effort, stages in (("fast", set()), ("thorough", {"encoder", "code-reranker", "commit-reranker"})):
        answer = in_process("search", "sign the cookie", web.root, "--effort", effort, "--format", "json").json()
        shown = {why["signal"] for result in answer["results"] for why in result["why"]}
        assert shown & {"encoder", "code-reranker", "commit-reranker"} == stages
        assert answer["results"][0]["symbol"] == "sign" and answer["notes"] == []
    assert {"encode", "commit-rerank", "code-rerank", "dense"} <= set(answer["timings_ms"])


def test_a_depth_is_exact_and_reranking_can_be_left_out(web: Repo, in_process: InProcess) -> None:
    deep = in_process("search", "autograph biscuit", web.root, "--depth", "1", "--format", "json").json()
    read = [result["rank"] for result in deep["results"] if "code-reranker" in str(result["why"])]
    assert read == [1]
    plain = in_process("search", "autograph biscuit", web.root, "--no-rerank", "--explain").out
    assert "dense" in plain and "reranker" not in plain
    asked = ("search", "autograph biscuit", web.root, "--effort", "fast", "--rerank", "--budget", "60000", "--explain")
    shown = in_process(*asked).out
    assert "code-reranker" in shown and "rank before" in shown


def test_a_missing_model_is_a_note(web: Repo, in_process: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKDOWN_MODELS", "no-such-folder")
    done = in_process("search", "sign the cookie", web.root)
    assert done.code == 0 and "sign" in done.out
    assert done.err.count("note: ") == 1 and "no-such-folder" in done.err


def test_rerankers_have_a_row_in_the_table(web: Repo, in_process: InProcess) -> None:
    command = ["eval", web.root, "--rerank", "--max-cases", "2", "--jobs", "1", "--format", "json"]
    assert list(in_process(*command).json()["modes"]) == ["hybrid", "hybrid+rerank"]
    listed = in_process("modes").out
    assert "tiny" in listed and "Apache-2.0" in listed
