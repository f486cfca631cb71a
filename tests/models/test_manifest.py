"""The manifest: what is written comes back, and what is no manifest is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.models.made_models import make_folder, write_json
from tests.odd_files import KINDS, put_odd
from trackdown.errors import ModelError
from trackdown.models.manifest import MANIFEST, read_manifest


def test_what_is_written_comes_back(folder: Path) -> None:
    manifest = make_folder(folder, "again")
    assert read_manifest(folder) == manifest
    assert manifest.bytes == sum(path.stat().st_size for path in folder.iterdir() if path.name != MANIFEST)
    assert manifest.parameters == 2 * manifest.roles["encoder"].parameters


def test_ids_tell_files_and_names_apart(folder: Path) -> None:
    manifest = read_manifest(folder)
    shared, other = manifest.model_id("encoder"), manifest.model_id("static")
    assert shared == manifest.model_id("cross_encoder") != other
    name, _, digest = shared.partition("@")
    assert name == "tiny"
    assert manifest.files["encoder.onnx"].sha256.startswith(digest)
    assert len(digest) == 12


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"roles": {"poet": {"file": "encoder.onnx", "tokenizer": "tokenizer.json", "parameters": 1}}},
        {"roles": {"static": {"file": "missing.npy", "tokenizer": "tokenizer.json", "parameters": 1}}},
        {"roles": {"static": {"file": "static.npy", "colour": "red"}}},
        {"roles": []},
        {"files": {"../../etc/passwd": {"bytes": 1, "sha256": ""}}, "roles": {}},
        {"files": {"/etc/passwd": {"bytes": 1, "sha256": ""}}, "roles": {}},
        {"files": None},
        {"name": None, "files": {"x": 3}},
    ],
)
def test_a_manifest_that_is_none_is_refused(folder: Path, change: dict[str, Any]) -> None:
    content = json.loads((folder / MANIFEST).read_text("utf-8"))
    write_json(folder / MANIFEST, content | change)
    with pytest.raises(ModelError, match=r"manifest\.json") as caught:
        read_manifest(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_a_file_is_refused_at_once(folder: Path, kind: str) -> None:
    put_odd(folder / MANIFEST, kind)
    with pytest.raises(ModelError, match=r"manifest\.json cannot be read"):
        read_manifest(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null", b'{"format": 1}'])
def test_other_content_is_refused(folder: Path, content: bytes) -> None:
    (folder / MANIFEST).write_bytes(content)
    with pytest.raises(ModelError, match=r"manifest\.json is not a manifest"):
        read_manifest(folder)


def test_a_folder_without_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        read_manifest(tmp_path)
