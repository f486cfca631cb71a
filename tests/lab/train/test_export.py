"""Export: what search opens says what the trained model says. Needs the extra `train`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import torch
from safetensors.torch import save_file

import trackdown.models
from tests.models.made_models import VOCABULARY, make_tokenizer, table, write_json
from trackdown.errors import ModelError, UsageError
from trackdown.lab.train.export import export, export_folder, export_static
from trackdown.lab.train.fidelity import check_fidelity
from trackdown.lab.train.training_state import load_base
from trackdown.lab.train.transformer import _BERT_LAYER_NAMES, _BERT_NAMES, Bert, Shape
from trackdown.models.registry import open_models

SHAPE = Shape(vocabulary=len(VOCABULARY), width=64, layers=2, heads=1, inner=128, positions=64)
TEXTS = [
    " ".join(words)
    for length in (1, 3, 9, 40)
    for words in np.random.default_rng(0).choice([w for w in VOCABULARY if w.isalpha()], (8, length))
]


@pytest.fixture
def model() -> Bert:
    torch.manual_seed(0)
    made = Bert(SHAPE).eval()
    torch.nn.init.normal_(made.importance.weight, std=0.1)
    return made


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    make_tokenizer(tmp_path / "tokenizer.json")
    return tmp_path / "tokenizer.json"


def test_in_full_precision_it_is_the_model(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    manifest = export(model, tokenizer, tmp_path / "out", name="small", int8=False, texts=TEXTS)
    assert manifest.figures["encoder"]["cosine_min"] > 0.99999
    assert manifest.figures["encoder"]["top10_overlap"] > 0.99
    assert manifest.figures["cross_encoder"]["difference_max"] < 1e-4
    assert manifest.figures["late_interaction"]["difference_max"] < 0.01
    assert manifest.roles["encoder"].texts_per_second
    assert open_models(tmp_path / "out").manifest == manifest


def test_in_int8_it_is_close_and_small(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    whole = export(model, tokenizer, tmp_path / "whole", name="small", int8=False)
    small = export(model, tokenizer, tmp_path / "small", name="small", texts=TEXTS)
    assert small.figures["encoder"]["cosine_min"] > 0.99
    assert small.figures["cross_encoder"]["difference_max"] < 0.05
    assert small.files["encoder.onnx"].bytes < whole.files["encoder.onnx"].bytes / 2
    assert small.model_id("encoder") != whole.model_id("encoder")
    assert sorted(path.name for path in (tmp_path / "small").iterdir()) == [
        "encoder.onnx",
        "manifest.json",
        "tokenizer.json",
    ]


def test_rounding_in_training_is_that_of_the_graph(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    export(model, tokenizer, tmp_path / "out", name="small")
    whole = check_fidelity(model, tmp_path / "out", TEXTS).figures
    model.round_to_int8(True)
    rounded = check_fidelity(model, tmp_path / "out", TEXTS).figures
    assert rounded["encoder"]["cosine_min"] > 0.99999 > whole["encoder"]["cosine_min"]
    assert rounded["late_interaction"]["difference_max"] < whole["late_interaction"]["difference_max"]


def test_tokens_are_exported_once_a_model_has_learned_them(tokenizer: Path, tmp_path: Path) -> None:
    manifest = export(Bert(SHAPE), tokenizer, tmp_path / "out", name="plain", texts=TEXTS)
    assert not manifest.roles["encoder"].tokens and "late_interaction" not in manifest.figures
    models = open_models(tmp_path / "out", threads=1)
    assert models.session("encoder").outputs.keys() == {"embedding", "relevance"}
    assert models.encoder is not None and not models.encoder.token_dimensions


def test_what_was_made_small_can_be_trained_on_again(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    for parameter in model.parameters():  # those that are equal would be written once
        parameter.data += 0.1 * torch.randn_like(parameter)
    first = export(model, tokenizer, tmp_path / "first", name="small")
    state, beside = load_base(tmp_path / "first")
    assert beside == tmp_path / "first" / "tokenizer.json"
    assert state.keys() == model.state_dict().keys()
    again = Bert(SHAPE).eval()
    again.load_state_dict(state)
    for name, value in model.state_dict().items():
        assert torch.allclose(state[name], value, atol=0.02 * float(value.abs().max())), name
    assert export(again, tokenizer, tmp_path / "again", name="small").model_id("encoder") == first.model_id("encoder")


def test_the_packaged_models_can_be_trained_on() -> None:
    state, tokenizer = load_base(Path(trackdown.models.__file__).parent / "weights")
    wanted = Bert(Shape(30522, 384, 6, 12, 1536, 512)).state_dict().keys()
    assert tokenizer.is_file() and set(wanted - state.keys()) <= {
        f"{head}.{part}" for head in ("late", "importance") for part in ("weight", "bias")
    }


def test_a_graph_for_each_role_is_refused(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    for role in ("encoder", "cross_encoder"):
        export(model, tokenizer, tmp_path / "out", name="two", roles=[role])
    with pytest.raises(UsageError, match="share one"):
        load_base(tmp_path / "out")


def test_a_graph_that_cannot_be_trained_on(tokenizer: Path, tmp_path: Path) -> None:
    (tmp_path / "encoder.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelError, match="cannot be read as exported models"):
        load_base(tmp_path)


def test_a_vector_does_not_depend_on_its_batch(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    export(model, tokenizer, tmp_path / "out", name="small")
    encoder = open_models(tmp_path / "out", threads=1).encoder
    assert encoder is not None
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert np.allclose(encoder.encode(TEXTS), alone, atol=1e-3)


def test_a_model_in_training_is_exported_as_it_will_be_used(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    export(model, tokenizer, tmp_path / "quiet", name="small")
    export(model.train(), tokenizer, tmp_path / "training", name="small", texts=TEXTS[:4])
    assert model.training
    same = [open_models(tmp_path / name).manifest.files["encoder.onnx"] for name in ("quiet", "training")]
    assert same[0] == same[1]


def test_roles_may_have_files_of_their_own(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    other = Bert(SHAPE)
    export(model, tokenizer, tmp_path / "out", name="two", roles=["encoder"])
    manifest = export(other, tokenizer, tmp_path / "out", name="two", roles=["cross_encoder"])
    assert {role.file for role in manifest.roles.values()} == {"encoder.onnx", "cross_encoder.onnx"}
    models = open_models(tmp_path / "out", threads=1)
    assert models.session("encoder").outputs.keys() == {"embedding", "tokens"}
    assert models.session("cross_encoder").outputs.keys() == {"relevance"}
    models.verify()


def test_a_static_table_joins_the_set(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    export(model, tokenizer, tmp_path / "out", name="all")
    manifest = export_static(table(), tokenizer, tmp_path / "out", name="all")
    assert set(manifest.roles) == {"static", "encoder", "cross_encoder"}
    static = open_models(tmp_path / "out").static
    assert static is not None
    assert np.allclose(static.words(["parse"]), table()[VOCABULARY["parse"]], atol=0.02)


def test_a_check_of_another_model_shows(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    export(model, tokenizer, tmp_path / "out", name="small")
    torch.manual_seed(7)
    assert check_fidelity(Bert(SHAPE), tmp_path / "out", TEXTS).figures["encoder"]["cosine_min"] < 0.9


def test_a_sentence_transformers_folder_is_exported(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    source = make_source(tmp_path / "source", model, tokenizer)
    with pytest.raises(ModelError, match="trackdown train export"):
        open_models(source)
    manifest = export_folder(source, tmp_path / "out", texts=TEXTS)
    assert manifest.name == "source"
    assert manifest.figures["encoder"]["cosine_min"] > 0.99
    encoder = open_models(tmp_path / "out").encoder
    assert encoder is not None
    assert encoder.encode(TEXTS).shape == (len(TEXTS), SHAPE.width)


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("config.json", {"model_type": "roberta"}),
        ("config.json", {"num_attention_heads": 4}),
        ("1_Pooling/config.json", {"pooling_mode_mean_tokens": False}),
    ],
)
def test_other_kinds_are_refused(
    model: Bert, tokenizer: Path, tmp_path: Path, file: str, change: dict[str, object]
) -> None:
    source = make_source(tmp_path / "source", model, tokenizer)
    write_json(source / file, json.loads((source / file).read_text("utf-8")) | change)
    with pytest.raises(ModelError, match="source"):
        export_folder(source, tmp_path / "out")


def test_a_folder_that_cannot_be_read_is_refused(model: Bert, tokenizer: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="sentence-transformers"):
        export_folder(tmp_path / "none", tmp_path / "out")
    source = make_source(tmp_path / "source", model, tokenizer)
    (source / "model.safetensors").write_bytes(b"not tensors")
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        export_folder(source, tmp_path / "out")


def make_source(folder: Path, model: Bert, tokenizer: Path) -> Path:
    """The model as sentence-transformers publishes it, without a graph."""
    (folder / "1_Pooling").mkdir(parents=True)
    write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    write_json(folder / "config.json", {"model_type": "bert", "hidden_act": "gelu", "num_attention_heads": SHAPE.heads})
    (folder / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    theirs = {ours: name for name, ours in _BERT_NAMES.items()}
    inner = {ours: name for name, ours in _BERT_LAYER_NAMES.items()}
    state = {}
    for name, value in model.state_dict().items():
        parts = name.split(".")
        if parts[0] == "layers":
            state[f"encoder.layer.{parts[1]}.{inner[parts[2]]}.{parts[3]}"] = value.contiguous()
        elif parts[0] in theirs:
            state[f"{theirs[parts[0]]}.{parts[1]}"] = value.contiguous()
    save_file(state, folder / "model.safetensors")
    return folder
