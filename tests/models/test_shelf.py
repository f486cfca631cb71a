"""Models are opened when they are needed; what is missing or broken is told, and comes back when it is there again."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.rerank.tiny_models import make_models
from trackdown.errors import ModelError
from trackdown.models.shelf import NONE, ModelShelf, model_shelf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_models(tmp_path / "models")


def test_every_part_is_there_and_opened_once(folder: Path) -> None:
    shelf = ModelShelf(str(folder), 1)
    shelf.warm()
    static, encoder, cross_encoder = shelf.static(), shelf.encoder(), shelf.cross_encoder()
    assert static is not None and encoder is not None and cross_encoder is not None
    assert shelf.encoder() is encoder and shelf.notes() == []
    assert set(shelf.ids()) == {static.model_id, encoder.model_id, cross_encoder.model_id}


def test_none_are_none_and_no_problem() -> None:
    shelf = ModelShelf(NONE, 1)
    shelf.warm()
    assert shelf.static() is None and shelf.ids() == () and shelf.notes() == []


def test_a_part_that_a_set_does_not_have_is_no_problem(tmp_path: Path) -> None:
    shelf = ModelShelf(str(make_models(tmp_path / "models", roles=("static",))), 1)
    assert shelf.static() is not None and shelf.encoder() is None and shelf.notes() == []


def test_a_folder_that_is_not_there_is_told_once(tmp_path: Path) -> None:
    shelf = ModelShelf(str(tmp_path / "gone"), 1)
    assert shelf.static() is None and shelf.encoder() is None
    (note,) = shelf.notes()
    assert "there is no folder" in note and note.endswith("searched without it")
    make_models(tmp_path / "gone")
    assert shelf.static() is not None and shelf.encoder() is not None and shelf.notes() == []


@pytest.mark.parametrize("file", ["static.npy", "encoder.onnx", "tokenizer.json", "manifest.json"])
@pytest.mark.parametrize("damage", ["cut", "scratched", "removed"])
def test_damage_is_told_and_what_is_whole_is_used(folder: Path, file: str, damage: str) -> None:
    path = folder / file
    whole = path.read_bytes()
    if damage == "removed":
        path.unlink()
    else:
        path.write_bytes(whole[:-20] if damage == "cut" else bytes([whole[0] ^ 255]) + whole[1:])
    shelf = ModelShelf(str(folder), 1)
    found = {"static": shelf.static(), "encoder": shelf.encoder()}
    assert shelf.notes()
    if file in ("static.npy", "encoder.onnx"):
        broken = "static" if file == "static.npy" else "encoder"
        assert found.pop(broken) is None and all(part is not None for part in found.values())
    path.write_bytes(whole)
    assert shelf.static() is not None and shelf.encoder() is not None and shelf.notes() == []


def test_what_failed_to_run_is_told_once(folder: Path) -> None:
    shelf = ModelShelf(str(folder), 1)
    shelf.failed(ModelError("no memory"))
    assert shelf.notes() == ["no memory; searched without it"] and shelf.notes() == []


def test_repositories_share_a_shelf(folder: Path) -> None:
    assert model_shelf(str(folder), 1) is model_shelf(str(folder), 1) is not model_shelf(str(folder), 2)


def test_a_search_starts_without_graph_and_runtime() -> None:
    script = (
        "import sys, trackdown.surfaces.cli.search; "
        "print([m for m in sys.modules if m in ('onnxruntime', 'tokenizers', 'trackdown.graph.graph', "
        "'trackdown.expand.spider', 'trackdown.index.program', 'trackdown.models.registry')])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_who_asks_at_the_same_time_gets_the_same_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(ModelShelf):
        def __init__(self, name: str, threads: int) -> None:
            time.sleep(0.1)
            super().__init__(name, threads)

    monkeypatch.setattr("trackdown.models.shelf.ModelShelf", Slow)
    with ThreadPoolExecutor(8) as pool:
        shelves = list(pool.map(lambda _: model_shelf("made-at-once", 1), range(8)))
    assert len(set(map(id, shelves))) == 1
