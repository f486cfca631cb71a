"""Sets of models: found, described, opened part by part, and refused in one line."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.models.made_models import make_folder, make_graph
from trackdown.errors import ModelError
from trackdown.models import registry
from trackdown.models.manifest import read_manifest, write_manifest
from trackdown.models.registry import PACKAGED_FOLDER, Models, list_models, open_models
from trackdown.models.weights_file import file_entry


def test_a_set_opens_by_folder_and_by_its_name_as_text(folder: Path) -> None:
    for where in (folder, str(folder)):
        models = open_models(where, threads=1)
        assert models.static is not None
        assert models.encoder is not None
        assert models.cross_encoder is not None
        assert models.encoder is models.encoder
        models.verify()


def test_roles_with_one_file_share_one_session(tiny: Models) -> None:
    assert tiny.session("encoder") is tiny.session("cross_encoder")


def test_a_part_that_the_set_does_not_have_is_none(folder: Path) -> None:
    manifest = read_manifest(folder)
    write_manifest(folder, replace(manifest, roles={"static": manifest.roles["static"]}))
    models = open_models(folder)
    assert models.static is not None
    assert models.encoder is None
    assert models.cross_encoder is None


@pytest.mark.parametrize("name", ["encoder.onnx", "static.npy", "tokenizer.json"])
@pytest.mark.parametrize("fault", ["missing", "truncated", "scratched", "swapped"])
def test_damaged_weights_are_refused(folder: Path, name: str, fault: str) -> None:
    path = folder / name
    content = bytearray(path.read_bytes())
    if fault == "missing":
        path.unlink()
    elif fault == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif fault == "scratched":
        content[len(content) // 2] ^= 255
        path.write_bytes(content)
    else:
        path.write_bytes(bytes(len(content)))
    models = open_models(folder, threads=1)
    with pytest.raises(ModelError, match=name.replace(".", r"\.")) as caught:
        _ = models.static if name == "static.npy" else models.encoder
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelError, match=name.replace(".", r"\.")):
        models.verify()


@pytest.mark.parametrize("content", [b"", b"no graph at all", b"\x08\x07"])
def test_a_file_that_is_no_graph_is_refused_even_with_the_right_sum(folder: Path, content: bytes) -> None:
    (folder / "encoder.onnx").write_bytes(content)
    manifest = read_manifest(folder)
    files = {**manifest.files, "encoder.onnx": file_entry(folder / "encoder.onnx")}
    write_manifest(folder, replace(manifest, files=files))
    with pytest.raises(ModelError, match=r"encoder\.onnx") as caught:
        _ = open_models(folder).encoder
    assert "\n" not in str(caught.value)


def test_a_graph_without_the_output_is_refused(folder: Path) -> None:
    make_graph(folder / "encoder.onnx", ["embedding"])
    manifest = read_manifest(folder)
    files = {**manifest.files, "encoder.onnx": file_entry(folder / "encoder.onnx")}
    write_manifest(folder, replace(manifest, files=files))
    models = open_models(folder)
    assert models.encoder is not None
    with pytest.raises(ModelError, match="no scalar output 'relevance'"):
        _ = models.cross_encoder


def test_places_without_models_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no folder"):
        open_models(tmp_path / "none")
    with pytest.raises(ModelError, match="has no models"):
        open_models(tmp_path)
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(ModelError, match="there is no folder"):
        open_models(tmp_path / "file")


def test_a_package_without_weights_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "PACKAGED_FOLDER", tmp_path / "weights")
    with pytest.raises(ModelError, match="came without weights"):
        open_models()
    (tmp_path / "weights").mkdir()
    with pytest.raises(ModelError, match="came without weights"):
        open_models()
    assert "came without weights" in list_models()[0].problem


def test_the_list_says_what_sets_cost(folder: Path, tmp_path: Path) -> None:
    manifest = read_manifest(folder)
    quick = replace(manifest.roles["encoder"], texts_per_second=140.0)
    write_manifest(folder, replace(manifest, roles={**manifest.roles, "encoder": quick}))
    packaged, tiny, none = list_models([folder, tmp_path / "none"])
    assert packaged.folder == PACKAGED_FOLDER
    assert (tiny.name, tiny.problem, tiny.licence) == ("tiny", "", "Apache-2.0")
    assert tiny.roles == ("static", "encoder", "cross_encoder")
    assert (tiny.parameters, tiny.bytes) == (manifest.parameters, manifest.bytes)
    assert tiny.texts_per_second == 140.0
    assert "there is no folder" in none.problem


@pytest.mark.parametrize("name", ["hub:", "hub:model", "hub:a/b/c", "hub:../x/y", "hub:a b/c"])
def test_a_hub_name_that_is_none_reaches_for_nothing(name: str) -> None:
    with pytest.raises(ModelError, match="use hub:owner/name"):
        open_models(name)


def test_a_hub_name_without_the_client_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ModelError, match="pip install huggingface_hub"):
        open_models("hub:owner/name")


def test_a_hub_that_cannot_be_reached_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = (
        "from trackdown.errors import ModelError\n"
        "from trackdown.models.registry import open_models\n"
        "try:\n    open_models('hub:owner/name')\nexcept ModelError as error:\n    print(error)\n"
    )
    closed = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    for name, value in closed.items():
        monkeypatch.setenv(name, value)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("hub:owner/name cannot be fetched"), done.stderr
    assert done.stdout.count("\n") == 1


def test_opening_the_room_loads_no_runtime() -> None:
    script = "import sys, trackdown.models.registry; print({'onnxruntime', 'tokenizers', 'torch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_two_sets_have_ids_of_their_own(folder: Path, tmp_path: Path) -> None:
    make_folder(tmp_path / "other", "other")
    first, second = open_models(folder).encoder, open_models(tmp_path / "other").encoder
    assert first is not None
    assert second is not None
    assert first.model_id != second.model_id
    assert np.array_equal(first.encode(["parse"]), second.encode(["parse"]))


def test_the_packaged_set_is_whole(packaged: Models) -> None:
    packaged.verify()
    (line,) = list_models()
    assert line.problem == ""
    assert line.licence
    assert {path.name for path in packaged.folder.iterdir()} >= set(packaged.manifest.files)
