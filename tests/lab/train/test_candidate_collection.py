"""Candidates of benchmark cases, from repositories to the file that models are judged by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.lab.benches.issues import Clones
from trackdown.errors import UsageError
from trackdown.lab.benches import read_swe
from trackdown.lab.train.candidate_collection import collect_candidates
from trackdown.lab.train.candidates import read_candidates
from trackdown.lab.train.packing import read_tokenizer
from trackdown.models import PACKAGED_FOLDER
from trackdown.settings import Settings

CODE = "def load(lid):\n    return lid\n\n\ndef close(lid):\n    return lid.shut\n"
PATCHED = CODE.replace("return lid.shut", "return not lid.shut")


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


def write_cases(clones: Clones) -> Path:
    """Two issues about one function."""
    repo = clones.repo("ada/boxes")
    repo.commit("Begin", {"src/box.py": CODE})
    rows = [
        clones.fix(repo, "1", "Close the lid of the box", {"src/box.py": PATCHED}),
        clones.fix(repo, "2", "The lid does not close", {"src/box.py": CODE}),
    ]
    return clones.write(*rows)


def test_the_first_candidates_of_a_case_are_kept_as_token_ids(
    clones: Clones, settings: Settings, tmp_path: Path
) -> None:
    bench = read_swe(write_cases(clones), clones.folder, "{owner}/{name}", "function")
    report = collect_candidates(bench, tmp_path / "dev.candidates.xz", replace(settings, models="none"))
    assert (report.cases, report.repositories, report.complete, report.skipped) == (2, 1, 2, 0)
    found = read_candidates(tmp_path / "dev.candidates.xz")
    assert found.case_start.tolist() == [0, 2, 4] and found.gold.sum() == 2 and not found.missed.any()
    tokenizer = read_tokenizer(PACKAGED_FOLDER / "tokenizer.json")
    texts = [
        tokenizer.decode(found.text[start:end].tolist())
        for start, end in zip(found.text_start, found.text_start[1:], strict=False)
    ]
    assert any(text.startswith("src box : close : def close lid return") for text in texts)
    assert [bool(gold) for gold in found.gold] == [" close :" in text for text in texts]
    assert np.all(np.diff(found.score[:2]) <= 0) and set(found.repositories) == {"ada/boxes"}
    again = collect_candidates(bench, tmp_path / "one.candidates.xz", replace(settings, models="none"), most=1)
    assert again.cases == 1


def test_without_a_case_it_is_told_where_to_look(clones: Clones, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    bench = read_swe(write_cases(clones), tmp_path / "elsewhere", "{owner}/{name}", "function")
    with pytest.raises(UsageError, match=r"unknown repository.*--repos"):
        collect_candidates(bench, tmp_path / "dev.candidates.xz", settings)
