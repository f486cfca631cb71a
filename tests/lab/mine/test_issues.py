"""Tables of issues → cases in SWE-bench's shape, on a repository with a history of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from tests.conftest import Repo
from trackdown.errors import UsageError
from trackdown.lab.benches.swe import read_swe
from trackdown.lab.mine.issues import issue_cases, write_issue_cases

CODE = "def load(path):\n    return open(path).read()\n\n\ndef save(path):\n    return 1\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A folder of clones with one of `some/shop`, a commit that fixes code and a test, and one that edits prose."""
    repos = tmp_path_factory.mktemp("repos")
    repo = Repo(repos / "some" / "shop")
    repo.commit("Begin", {"shop.py": CODE, "tests/test_shop.py": "def test(): pass\n", "README.md": "Shop\n"})
    fixed = CODE.replace("open(path)", "open(path, encoding='utf-8')")
    fix = repo.commit("Fix loading", {"shop.py": fixed, "tests/test_shop.py": "def test(): assert 1\n"})
    prose = repo.commit("Say more", {"README.md": "A shop\n"})
    return repos, fix, prose


def table(folder: Path, rows: list[dict[str, Any]], name: str = "some+shop.parquet") -> Path:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / name)
    return folder / name


def row(
    commit: str | None, issue: str = "Umlauts are lost\n\nA file with ü cannot be read.", **more: Any
) -> dict[str, Any]:
    return {"commit_id": commit, "issue": issue, "issue_id": "7", "kind": "issue", "plan": False, **more}


def test_an_issue_becomes_a_case_that_the_bench_can_read(shop: tuple[Path, str, str], tmp_path: Path) -> None:
    repos, fix, _ = shop
    found = issue_cases([table(tmp_path, [row(fix)])], repos, "{owner}/{name}", 10)
    (case,) = found.rows
    assert case["repo"] == "some/shop" and case["problem_statement"].startswith("Umlauts")
    assert "shop.py" in case["patch"] and "test_shop" not in case["patch"]
    write_issue_cases(tmp_path / "cases.jsonl", found.rows)
    (task,) = read_swe(tmp_path / "cases.jsonl", repos, "{owner}/{name}", "function").tasks
    assert [str(place) for place in task.gold] == ["shop.py:load"]


def test_what_is_left_out_is_counted_by_rule(shop: tuple[Path, str, str], tmp_path: Path) -> None:
    repos, fix, prose = shop
    rows = [
        row(fix),
        row(fix, issue="The same commit again"),
        row(fix, kind="pr"),
        row(fix, plan=True),
        row(prose),
        row("0" * 40),
        row("--output=/tmp/x"),
        row(None),
        row(fix, issue=" "),
    ]
    found = issue_cases([table(tmp_path, rows)], repos, "{owner}/{name}", 10)
    assert len(found.rows) == 1
    assert found.dropped == {
        "its commit was taken already": 1,
        "a pull request": 1,
        "speaks of a change already made": 1,
        "no code was changed, or its commit is missing": 2,
        "no commit or no text": 3,
    }


def test_no_more_than_asked_for(shop: tuple[Path, str, str], tmp_path: Path) -> None:
    repos, fix, _ = shop
    many = [row(fix), row("0" * 40)]
    assert len(issue_cases([table(tmp_path, many)], repos, "{owner}/{name}", 1).rows) == 1


def test_what_cannot_be_read(shop: tuple[Path, str, str], tmp_path: Path) -> None:
    repos, fix, _ = shop
    with pytest.raises(UsageError, match="no clone of other/shop"):
        issue_cases([table(tmp_path, [row(fix)], "other+shop.parquet")], repos, "{owner}/{name}", 1)
    with pytest.raises(UsageError, match="no columns commit_id and issue"):
        issue_cases([table(tmp_path, [{"a": 1}])], repos, "{owner}/{name}", 1)
    (tmp_path / "some+shop.parquet").write_bytes(b"PAR1")
    with pytest.raises(UsageError, match="cannot read"):
        issue_cases([tmp_path / "some+shop.parquet"], repos, "{owner}/{name}", 1)


def test_the_command_says_what_it_wrote(shop: tuple[Path, str, str], tmp_path: Path) -> None:
    from click.testing import CliRunner

    from trackdown.surfaces.cli.mine import command

    repos, fix, _ = shop
    out = tmp_path / "cases.jsonl"
    arguments = [
        "issues",
        str(table(tmp_path, [row(fix)])),
        "--repos",
        str(repos),
        "--out",
        str(out),
        "--format",
        "json",
    ]
    done = CliRunner().invoke(command, arguments)
    assert json.loads(done.stdout) == {"out": str(out), "repositories": {"some/shop": 1}, "dropped": {}}
    assert len(out.read_text().splitlines()) == 1
