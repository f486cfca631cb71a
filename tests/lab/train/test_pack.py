"""Packs: what was mined is what is read back, as token ids."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from tests.lab.train.made_packs import CODE, documents, examples, make_pack, make_tokenizer, write_mined
from tests.models.made_models import make_tokenizer as make_models_tokenizer
from trackdown.errors import ModelError, UsageError
from trackdown.lab.train.array_files import read_arrays, write_arrays
from trackdown.lab.train.pack import COMMIT, DEV, DOCSTRING, ISSUE, PULL_REQUEST, TRAIN, Pack, load_pack
from trackdown.lab.train.packing import DOCUMENT_TOKENS, Packer, PackLimits, by_time, pack_folder, read_tokenizer


def words(pack: Pack, name: str, row: int) -> str:
    """A row of a ragged array as text."""
    starts = getattr(pack, f"{name}_start")
    return str(make_tokenizer().decode(getattr(pack, name)[starts[row] : starts[row + 1]].tolist()))


def same(one: Pack, other: Pack) -> bool:
    return all(np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(Pack))


def test_a_pack_is_read_as_it_was_written_whole_or_in_parts(tmp_path: Path) -> None:
    pack = make_pack()
    assert [path.name for path in pack.save(tmp_path, TRAIN)] == ["train.xz.00"]
    assert same(load_pack(tmp_path, TRAIN), pack)
    data = (tmp_path / "train.xz.00").read_bytes()
    parts = [tmp_path / "train.xz.00", tmp_path / "train.xz.01"]
    for part, some in zip(parts, (data[:100], data[100:]), strict=True):
        part.write_bytes(some)
    assert same(load_pack(tmp_path, TRAIN), pack)
    parts[1].rename(tmp_path / "train.xz.02")
    with pytest.raises(UsageError, match=r"no train\.xz\.01: copy all parts"):
        load_pack(tmp_path, TRAIN)
    (tmp_path / "train.xz.02").unlink()
    with pytest.raises(ModelError, match="last part is missing"):
        load_pack(tmp_path, TRAIN)
    with pytest.raises(UsageError, match=r"has no dev\.xz\.00"):
        load_pack(tmp_path, DEV)


def test_parts_are_no_larger_than_asked_for_and_replace_older_ones(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 1 << 16, 1_200_000).astype(np.uint16)
    write_arrays(tmp_path, "noise.xz", {"noise": noise}, mib=1)
    assert [path.stat().st_size <= 1 << 20 for path in sorted(tmp_path.iterdir())] == [True, True, True]
    assert np.array_equal(read_arrays(tmp_path, "noise.xz")["noise"], noise)
    write_arrays(tmp_path, "noise.xz", {"noise": noise[:9]}, mib=1)
    assert [path.name for path in tmp_path.iterdir()] == ["noise.xz.00"]
    assert read_arrays(tmp_path, "noise.xz")["noise"].tolist() == noise[:9].tolist()


def test_what_a_pack_holds() -> None:
    pack = make_pack(repositories=2)
    assert (pack.examples, pack.documents, len(pack.repositories)) == (72, 48, 2)
    assert words(pack, "query", 0) == "make the red better" and words(pack, "query", 1) == ""
    assert words(pack, "query", 2 * 37 + 1) == "make the loaf better and loaf again"
    answer = int(pack.answer[pack.answer_start[37]])
    assert words(pack, "document", answer).endswith(": def bread given return bread")
    assert pack.document_repository[answer] == pack.example_repository[37] == 1
    assert set(pack.example_kind) == {COMMIT, DOCSTRING}


def test_versions_of_a_unit_share_a_key_wherever_its_file_stood() -> None:
    pack = make_pack(repositories=2)
    assert np.unique(pack.document_key, return_counts=True)[1].tolist() == [2] * (2 * len(CODE))
    other = [row | {"present_path": row["path"]} for row in documents()]
    packer = Packer(make_tokenizer())
    packer.add("a", other, examples())
    assert len(set(packer.pack().document_key)) == 2 * len(CODE)


def test_a_docstring_asks_a_second_time_without_the_words_of_the_name() -> None:
    rows = examples(1)
    rows[0] |= {"kind": "docstring", "subject": "make the bread better and loaf again"}
    rows[0]["answers"] = [next(n for n, row in enumerate(documents()) if row["symbol"] == "bread")]
    packer = Packer(make_tokenizer())
    packer.add("a", documents(), rows)
    pack = packer.pack()
    assert words(pack, "query", 0) == "make the bread better and loaf again"
    assert words(pack, "query", 1) == "make the better and loaf again"


def test_an_issue_asks_by_its_title_and_whole() -> None:
    rows = examples(4)
    rows[2]["rewritten"] = "palm again\n\nin the case"
    packer = Packer(make_tokenizer())
    packer.add("a", documents(), rows)
    pack = packer.pack()
    assert pack.example_kind.tolist() == [COMMIT, COMMIT, ISSUE, COMMIT]
    assert (words(pack, "query", 4), words(pack, "query", 5)) == ("palm again", "palm again in the case")


def test_a_share_bounds_what_is_taken_and_long_texts_are_cut() -> None:
    rows = documents()
    rows[0]["code"] = "given " * 1000
    packer = Packer(make_tokenizer(), PackLimits(commits=8, docstrings=2, others=3, answers=1))
    packer.add("a", rows, [row | {"answers": [0, 2, 4]} for row in examples()])
    pack = packer.pack()
    assert pack.examples == 10 and len(pack.answer) == 10 and pack.documents <= 6
    assert np.diff(pack.document_start).max() <= DOCUMENT_TOKENS
    again = Packer(make_tokenizer(), PackLimits(commits=8, docstrings=2, others=3, answers=1))
    again.add("a", rows, [row | {"answers": [0, 2, 4]} for row in examples()])
    assert same(again.pack(), pack)


def test_a_mined_folder_becomes_two_packs(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for name in ("ada/one", "ada/two", "bob/three"):
        write_mined(tmp_path / "mined", name)
    done = pack_folder(tmp_path / "mined", make_tokenizer(), tmp_path / "out", ["ada/two"])
    assert (done.repositories, done.held_out) == (3, ("ada/two",))
    assert done.train == {"issues": 0, "pull requests": 0, "commits": 96, "docstrings": 24}
    assert done.dev["commits"] == 48 and done.files.keys() == {"train.xz.00", "dev.xz.00"}
    train, dev = (load_pack(tmp_path / "out", name) for name in (TRAIN, DEV))
    assert train.repositories.tolist() == ["ada/one", "bob/three"] and dev.repositories.tolist() == ["ada/two"]
    chosen = pack_folder(tmp_path / "mined", make_tokenizer(), tmp_path / "other")
    assert len(chosen.held_out) == 1 and sum(chosen.train.values()) == 120


def test_each_kind_has_its_own_limit_and_long_messages_go_first() -> None:
    rows = [row | {"rewritten": "it is lost" if number % 10 == 8 else ""} for number, row in enumerate(examples(60))]
    rows[18]["kind"] = "pull_request"
    rows[7]["message"] = "make it better " * 20
    packer = Packer(make_tokenizer(), PackLimits(commits=3, docstrings=2))
    packer.add("a", documents(), rows)
    pack = packer.pack()
    counts = [packer.kinds.count(kind) for kind in (ISSUE, PULL_REQUEST, COMMIT, DOCSTRING)]
    assert counts == [5, 1, 3, 2]
    asked = [words(pack, "query", 2 * row + 1) for row, kind in enumerate(packer.kinds) if kind == COMMIT]
    assert any(text.startswith("make it better make it better") for text in asked)


def test_issues_join_what_was_mined_of_their_repository(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for name in ("ada/one", "ada/two"):
        write_mined(tmp_path / "mined", name)
    write_mined(tmp_path / "issues", "ada/one")
    with pytest.raises(UsageError, match="has no issues"):
        pack_folder(tmp_path / "mined", make_tokenizer(), tmp_path / "out", issues=tmp_path / "issues")
    asked = [row | {"rewritten": "the loaf is lost" if row["kind"] == "commit" else ""} for row in examples(60)]
    write_mined(tmp_path / "issues", "ada/one", asked)
    done = pack_folder(tmp_path / "mined", make_tokenizer(), tmp_path / "out", ["ada/two"], issues=tmp_path / "issues")
    alone = pack_folder(tmp_path / "mined", make_tokenizer(), tmp_path / "alone", ["ada/two"])
    assert (done.repositories, sum(done.train.values()), sum(alone.train.values())) == (2, 120, 60)
    joined, single = (load_pack(tmp_path / folder, TRAIN) for folder in ("out", "alone"))
    assert joined.documents == 2 * single.documents and set(joined.example_kind) == {COMMIT, DOCSTRING, ISSUE}
    assert set(joined.document_key) == set(single.document_key), "versions of one unit, in whichever folder they lie"
    words_of = [words(joined, "document", int(number)) for number in joined.answer]
    assert sorted(words_of) == sorted(2 * [words(single, "document", int(number)) for number in single.answer])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="empty has no"):
        pack_folder(tmp_path / "mined", make_tokenizer(), tmp_path / "out", issues=tmp_path / "empty")


def test_of_a_single_repository_the_newest_commits_judge(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    write_mined(tmp_path / "mined", "ada/one")
    done = pack_folder(tmp_path / "mined", make_tokenizer(), tmp_path / "out")
    train, dev = (load_pack(tmp_path / "out", name) for name in (TRAIN, DEV))
    assert (sum(done.train.values()), sum(done.dev.values()), done.held_out) == (55, 5, ())
    assert set(dev.example_kind) == {COMMIT} and DOCSTRING in train.example_kind


def test_commits_of_one_second_stay_together() -> None:
    rows = [row | {"time": 60 if number < 8 else 120} for number, row in enumerate(examples(20))]
    older, newer = by_time(rows, 0.7)
    assert {row["time"] for row in older} == {60} and {row["time"] for row in newer} == {120}
    assert by_time([], 0.7) == ([], [])


def test_what_cannot_be_packed_is_told(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(UsageError, match="trackdown mine"):
        pack_folder(tmp_path, make_tokenizer(), tmp_path / "out")
    write_mined(tmp_path, "ada/one")
    with pytest.raises(UsageError, match="bob/none"):
        pack_folder(tmp_path, make_tokenizer(), tmp_path / "out", ["bob/none"])
    with pytest.raises(UsageError, match="no commit to learn from"):
        pack_folder(tmp_path, make_tokenizer(), tmp_path / "out", ["ada/one"])
    (tmp_path / "ada+one.examples.parquet").write_bytes(b"no table")
    with pytest.raises(UsageError, match=r"ada\+one\.examples"):
        pack_folder(tmp_path, make_tokenizer(), tmp_path / "out")


def test_tokenizers_neither_cut_nor_pad_and_others_than_berts_are_refused(tmp_path: Path) -> None:
    make_tokenizer(tmp_path / "tokenizer.json")
    tokenizer = read_tokenizer(tmp_path / "tokenizer.json")
    assert len(tokenizer.encode("red " * 9, add_special_tokens=False).ids) == 9
    make_models_tokenizer(tmp_path / "other.json")
    with pytest.raises(ModelError, match="vocabulary of BERT"):
        read_tokenizer(tmp_path / "other.json")
    with pytest.raises(ModelError, match="cannot be read"):
        read_tokenizer(tmp_path / "none.json")
