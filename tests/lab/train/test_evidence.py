"""Files of collected examples: what is written is read, and what is damaged is collected anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.lab.train.made_examples import made_repository
from trackdown.errors import TrackdownError
from trackdown.lab.cases import CodeLocation
from trackdown.lab.train.evidence import EvidenceExample, read_examples, write_examples


def same(one: EvidenceExample, other: EvidenceExample) -> bool:
    arrays = ("scores", "ranks", "full", "factors")
    plain = [
        getattr(one, name) == getattr(other, name) for name in ("id", "when", "gold", "places", "signals", "query")
    ]
    return all(plain) and all(np.allclose(getattr(one, name), getattr(other, name)) for name in arrays)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    examples = made_repository(1, "commits", 7)
    odd = replace(
        examples[0], gold=(CodeLocation("src/\udcff\u00e9 a.py", "f"), CodeLocation("x.py")), query=examples[0].query
    )
    written = [odd, *examples[1:]]
    path = tmp_path / "new" / "repo.npz"
    write_examples(path, written, "digest")
    found = read_examples(path, "digest")
    assert found is not None and all(same(*pair) for pair in zip(found, written, strict=True))
    assert [example.labels().tolist() for example in found] == [example.labels().tolist() for example in written]
    assert sorted(item.name for item in path.parent.iterdir()) == ["repo.npz"]


def test_a_repository_without_cases_is_known_to_have_none(tmp_path: Path) -> None:
    write_examples(tmp_path / "none.npz", [], "digest")
    assert read_examples(tmp_path / "none.npz", "digest") == []


def test_what_is_missing_damaged_or_collected_otherwise_is_collected_anew(tmp_path: Path) -> None:
    path = tmp_path / "repo.npz"
    assert read_examples(path) is None
    write_examples(path, made_repository(1, "commits", 3), "one")
    assert read_examples(path, "other") is None and read_examples(path) is not None
    whole = path.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"no archive at all"):
        path.write_bytes(damaged)
        assert read_examples(path, "one") is None


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(TrackdownError, match="cannot write"):
        write_examples(tmp_path / "file" / "repo.npz", [], "digest")
