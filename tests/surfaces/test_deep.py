"""`index --deep` and what the commands say of the deep index."""

from __future__ import annotations

import json
import time

import pytest

from tests.conftest import Repo
from trackdown.surfaces.cli.main import main
from trackdown.surfaces.cli.progress import TerminalProgress


@pytest.fixture
def begun(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("TRACKDOWN_MODELS", "packaged")
    repo.commit(
        "Begin", {"a.py": "def evict(store):\n    store.pop()\n", "test_a.py": "def test_it():\n    evict([])\n"}
    )
    return repo


def test_it_is_computed_shown_and_used(begun: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(begun.root)
    assert main(["status", place]) == 0 and "deep index" not in capsys.readouterr().out
    assert main(["index", place]) == 0 and "deep" not in capsys.readouterr().out
    assert main(["status", place]) == 0
    assert (
        "deep index:  not ready, 0 of 1 unit outside tests: `trackdown index --deep` completes it"
        in capsys.readouterr().out
    )
    assert main(["index", place, "--deep"]) == 0
    assert "repo: the deep index is ready, 1 unit outside tests" in capsys.readouterr().out
    assert main(["search", "forget the oldest", place, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["deep"] == {"ready": True, "units": 1, "total": 1}
    assert "deep" in {why["signal"] for why in answer["results"][0]["why"]}
    assert main(["search", "forget the oldest", place, "--explain", "--mode", "deep"]) == 0
    shown = capsys.readouterr().out
    assert (
        "deep 0.50: among the closest in meaning of all the code" in shown
        and "Deep index: ready, 1 unit outside tests" in shown
    )


@pytest.mark.parametrize("other", ["--dry-run", "--watch"])
def test_it_cannot_be_combined(begun: Repo, capsys: pytest.CaptureFixture[str], other: str) -> None:
    assert main(["index", str(begun.root), "--deep", other]) == 2
    assert "cannot be combined" in capsys.readouterr().err


def test_without_models_it_is_an_error(
    begun: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKDOWN_MODELS", "none")
    assert main(["index", str(begun.root), "--deep"]) == 1
    assert "the deep index cannot be computed: there is no encoder" in capsys.readouterr().err


def test_without_models_nothing_speaks_of_it(
    begun: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKDOWN_MODELS", "none")
    place = str(begun.root)
    assert main(["index", place]) == main(["status", place]) == 0
    assert main(["search", "evict", place, "--explain"]) == 0
    said = capsys.readouterr()
    assert "deep index" not in said.out.lower() + said.err.lower()
    assert main(["status", place, "--format", "json"]) == 0 and json.loads(capsys.readouterr().out)["deep"] is None
    assert main(["search", "evict", place, "--mode", "hybrid+deep"]) == 0
    assert "there is no encoder, and so no deep index" in capsys.readouterr().err


def test_long_work_tells_the_time_left_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with TerminalProgress("repo") as progress:
        for seconds, done in ((0, 100), (20, 200), (40, 300), (50, 350)):
            clock[0] = seconds
            progress("deep", done, 1000)
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("repo: the encoder reads 1000 units") and "is kept" in told[0]
    assert told[1:] == ["repo: 300 of 1000 units, about 2 min left"]
