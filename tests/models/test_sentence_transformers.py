"""Folders of sentence-transformers: used when they hold a graph, refused with what to do otherwise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.models.made_models import LONGEST, VOCABULARY, WIDTH, make_foreign, make_graph, table, write_json
from trackdown.errors import ModelError
from trackdown.models.registry import open_models
from trackdown.models.sentence_transformers import read_sentence_transformers


@pytest.mark.parametrize("graph", ["model.onnx", "onnx/model.onnx"])
@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
def test_its_vectors_are_pooled_as_it_says(tmp_path: Path, graph: str, pooling: str) -> None:
    folder = make_foreign(tmp_path / "owner-model", pooling, graph)
    models = open_models(folder, threads=1)
    assert models.encoder is not None
    assert models.static is None
    assert models.cross_encoder is None
    assert models.encoder.longest == LONGEST
    assert models.encoder.model_id.startswith("owner-model@")
    tokens = table()[[VOCABULARY[piece] for piece in ("[CLS]", "parse", "[SEP]")]]
    wanted = tokens.mean(axis=0) if pooling == "mean_tokens" else tokens[0]
    got = models.encoder.encode(["parse", "", "read " * 50])
    assert np.allclose(got[0], wanted / np.linalg.norm(wanted), atol=1e-6)
    assert not got[1].any()
    models.verify()


def test_its_cost_is_known(tmp_path: Path) -> None:
    manifest = read_sentence_transformers(make_foreign(tmp_path / "model"))
    assert manifest.roles["encoder"].dimensions == WIDTH
    assert 0 < manifest.parameters < manifest.bytes


def test_weights_without_a_graph_are_refused_with_the_command_that_helps(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"x")
    with pytest.raises(ModelError, match="trackdown train export") as caught:
        open_models(tmp_path)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("missing", ["tokenizer.json", "1_Pooling/config.json", "onnx/model.onnx"])
def test_what_is_missing_is_named(tmp_path: Path, missing: str) -> None:
    folder = make_foreign(tmp_path / "model")
    (folder / missing).unlink()
    with pytest.raises(ModelError, match=Path(missing).name.replace(".", r"\.")):
        open_models(folder)


def test_other_poolings_are_refused(tmp_path: Path) -> None:
    folder = make_foreign(tmp_path / "model", "max_tokens")
    with pytest.raises(ModelError, match="pooling_mode_max_tokens: only mean and cls"):
        open_models(folder)
    both = {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}
    others: list[object] = [both, {"word_embedding_dimension": 8}, []]
    for content in others:
        write_json(folder / "1_Pooling" / "config.json", content)
        with pytest.raises(ModelError, match=r"only mean and cls|dimensions"):
            open_models(folder)


def test_a_graph_with_other_outputs_is_refused(tmp_path: Path) -> None:
    folder = make_foreign(tmp_path / "model")
    make_graph(folder / "onnx" / "model.onnx", ["embedding"])
    with pytest.raises(ModelError, match="no vector output 'last_hidden_state'"):
        _ = open_models(folder).encoder


def test_broken_settings_are_refused(tmp_path: Path) -> None:
    folder = make_foreign(tmp_path / "model")
    (folder / "config.json").write_text("{", "utf-8")
    with pytest.raises(ModelError, match=r"config\.json cannot be read as JSON"):
        open_models(folder)
    write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    write_json(folder / "config.json", {})
    with pytest.raises(ModelError, match="dimensions"):
        open_models(folder)
