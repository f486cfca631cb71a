"""Files to train on, of one repository and of several at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from tests.conftest import Repo
from tests.lab.mine.test_pairs import CART
from trackdown.errors import UsageError
from trackdown.lab.mine.harvest import DOCUMENT_COLUMNS, EXAMPLE_COLUMNS, HarvestLimits
from trackdown.lab.mine.parquet_table import read_about
from trackdown.lab.mine.training import MiningJob, MiningPlan, MiningReport, mine, mine_all
from trackdown.lab.repositories import MinedRepository


def grown(repo: Repo) -> MinedRepository:
    """A repository with three commits, of which two make queries."""
    repo.commit("Begin the shop with a cart", {"cart.py": CART})
    repo.commit("Take first wares from the end", {"cart.py": CART.replace("[0]", "[-1]")})
    repo.commit("Clear all wares of the cart at once", {"cart.py": CART.replace("= []", "= [1]")})
    return MinedRepository(repo.root, "ada", repo.root.name, (f"ada/{repo.root.name}",))


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return found


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture
def wanted(tmp_path: Path) -> MiningPlan:
    return MiningPlan(tmp_path / "out")


def test_documents_and_examples(repo: Repo, wanted: MiningPlan) -> None:
    place = grown(repo)
    found = mine(MiningJob(place, wanted))
    documents, examples = (rows(wanted.out / f"ada+repo.{kind}.parquet") for kind in ("documents", "examples"))
    assert list(documents[0]) == list(DOCUMENT_COLUMNS) and list(examples[0]) == list(EXAMPLE_COLUMNS)
    assert (found.documents, found.examples) == (len(documents), {"commit": 2, "docstring": 1})
    assert (found.repository, found.commits, found.passed_over) == ("ada/repo", 3, [])
    newest = examples[0]
    assert newest["message"] == "Clear all wares of the cart at once" and newest["files"] == ["cart.py"]
    assert {documents[number]["symbol"] for number in newest["answers"]} == {"Cart.clear", "Cart.first"}
    assert read_about(wanted.out / "ada+repo.documents.parquet") == read_about(wanted.out / "ada+repo.examples.parquet")
    assert names(wanted.out) == ["ada+repo.documents.parquet", "ada+repo.examples.parquet"]


def test_negatives_and_ranks(repo: Repo, wanted: MiningPlan) -> None:
    mine(MiningJob(grown(repo), replace(wanted, negatives=2)))
    examples = rows(wanted.out / "ada+repo.examples.parquet")
    assert list(examples[0]) == [*EXAMPLE_COLUMNS, "negatives", "rank"]
    assert all(not set(row["negatives"]) & set(row["answers"]) and len(row["negatives"]) <= 2 for row in examples)
    assert all(1 <= row["rank"] <= 5 for row in examples)


def test_records(repo: Repo, wanted: MiningPlan) -> None:
    found = mine(MiningJob(grown(repo), replace(wanted, records=True)))
    assert found.records == 3 and len(rows(wanted.out / "ada+repo.records.parquet")) == 3
    only = replace(wanted, records=True, out=wanted.out / "only")
    mine(MiningJob(MinedRepository(repo.root, "", "shop"), only))
    assert names(only.out) == ["shop.records.parquet"]
    assert {(row["owner"], row["repo_name"]) for row in rows(only.out / "shop.records.parquet")} == {("", "shop")}


def test_finished_files_are_passed_over_until_something_changes(repo: Repo, wanted: MiningPlan) -> None:
    job = MiningJob(grown(repo), wanted)
    records = MiningJob(job.place, replace(wanted, records=True))
    mine(job)
    mine(records)
    files = [wanted.out / name for name in names(wanted.out)]
    before = [path.stat().st_mtime_ns for path in files]
    assert sorted([*mine(job).passed_over, *mine(records).passed_over]) == names(wanted.out)
    assert [path.stat().st_mtime_ns for path in files] == before
    limits = HarvestLimits(cases=1)
    other = mine(MiningJob(job.place, replace(wanted, limits=limits)))
    assert other.passed_over == [] and other.examples["commit"] == 1
    assert mine(MiningJob(job.place, replace(records.wanted, limits=limits))).passed_over == [
        "ada+repo.records.parquet"
    ]
    repo.commit("Count wares plus one more", {"cart.py": CART.replace("len(self.items)", "len(self.items) + 1")})
    assert mine(job).passed_over == []


def test_a_half_written_pair_is_made_again(repo: Repo, wanted: MiningPlan) -> None:
    job = MiningJob(grown(repo), wanted)
    mine(job)
    examples = wanted.out / "ada+repo.examples.parquet"
    examples.write_bytes(examples.read_bytes()[:100])
    assert mine(job).passed_over == [] and len(rows(examples)) == 3
    examples.unlink()
    assert mine(job).passed_over == [] and len(rows(examples)) == 3


def test_rewritten_commits_alone(repo: Repo, wanted: MiningPlan) -> None:
    place = grown(repo)
    chosen = repo.git("rev-parse", "HEAD")
    only = replace(wanted, rewritten={chosen: "Carts stay full when they are emptied"})
    found = mine(MiningJob(place, only))
    assert (found.commits, found.examples) == (1, {"commit": 1})
    assert mine(MiningJob(place, replace(only, records=True))).records == 1
    (example,) = rows(wanted.out / "ada+repo.examples.parquet")
    assert (example["commit"], example["rewritten"]) == (chosen, "Carts stay full when they are emptied")
    (record,) = rows(wanted.out / "ada+repo.records.parquet")
    assert record["commit_id"] == chosen
    assert {row["path"] for row in rows(wanted.out / "ada+repo.documents.parquet")} == {"cart.py"}


def test_several_at_once_and_one_that_cannot_be(make_repo: Callable[[str], Repo], wanted: MiningPlan) -> None:
    places = [
        grown(make_repo("one")),
        MinedRepository(make_repo("empty").root, "ada", "empty"),
        grown(make_repo("two")),
    ]
    found = {str(done.job.place): done for done in mine_all(places, wanted, 2)}
    assert isinstance(found["ada/one"].result, MiningReport) and isinstance(found["ada/two"].result, MiningReport)
    assert "no commit yet" in found["ada/empty"].problem
    assert [name.split(".")[0] for name in names(wanted.out)] == ["ada+one"] * 2 + ["ada+two"] * 2


def test_stopped_it_keeps_what_is_finished(make_repo: Callable[[str], Repo], wanted: MiningPlan) -> None:
    places = [grown(make_repo(name)) for name in ("one", "two", "three")]
    with closing(mine_all(places, wanted, 1)) as found:
        first = next(found).job.place
    assert [name.split(".")[0] for name in names(wanted.out)] == [first.stem] * 2
    again = {str(done.job.place): done.result for done in mine_all(places, wanted, 2)}
    assert [bool(result and result.passed_over) for name, result in sorted(again.items())] == [True, False, False]


def test_parts_of_a_killed_run_are_swept(repo: Repo, wanted: MiningPlan) -> None:
    wanted.out.mkdir()
    part = wanted.out / f".ada+repo.records.parquet.{_dead_process()}.part"
    part.touch()
    mine(MiningJob(grown(repo), wanted))
    assert not part.exists()


def _dead_process() -> int:
    process = os.fork()
    if process == 0:
        os._exit(0)
    os.waitpid(process, 0)
    return process


def test_a_folder_that_cannot_be_made(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot write to"):
        list(mine_all([grown(repo)], MiningPlan(tmp_path / "file" / "out"), 1))
