"""`owner/name` → the folder of its clone."""

from __future__ import annotations

from pathlib import Path

import pytest

from trackdown.errors import UsageError
from trackdown.lab.repositories import find_repository


def make(root: Path, *folders: str) -> Path:
    for folder in folders:
        (root / folder).mkdir(parents=True)
    return root


@pytest.mark.parametrize(
    ("layout", "folder"),
    [
        ("{owner}/{name}", "ada/engine"),
        ("{owner}+{name}/repo", "ada+engine/repo"),
        ("{name}", "engine"),
        ("{{x}}/{owner}__{name}.git", "{x}/ada__engine.git"),
    ],
)
def test_a_layout_says_where_a_clone_lies(tmp_path: Path, layout: str, folder: str) -> None:
    make(tmp_path, folder)
    assert find_repository(tmp_path, layout, "ada/engine") == tmp_path / folder
    assert find_repository(tmp_path, layout, "ada/loom") is None


def test_another_case_will_do_but_the_exact_one_comes_first(tmp_path: Path) -> None:
    make(tmp_path, "Ada/engine", "Ada/Engine")
    assert find_repository(tmp_path, "{owner}/{name}", "ada/Engine") == tmp_path / "Ada/Engine"
    assert find_repository(tmp_path, "{owner}/{name}", "ada/ENGINE") == tmp_path / "Ada/Engine"


def test_a_file_is_no_clone(tmp_path: Path) -> None:
    (tmp_path / "engine").write_text("")
    assert find_repository(tmp_path, "{name}", "ada/engine") is None
    assert find_repository(tmp_path, "{name}/{owner}", "ada/engine") is None


@pytest.mark.parametrize(
    "name",
    [
        "../engine",
        "ada/..",
        "ada/../../x",
        "ada/engine/deep",
        "ada/.",
        "/engine",
        "ada/",
        "engine",
        "",
        "a\0/b",
        "a/b\\c",
    ],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    repos = make(tmp_path, "repos/ada/engine/deep", "engine", "x") / "repos"
    assert find_repository(repos, "{owner}/{name}", name) is None


def test_a_name_too_long_for_any_file_is_not_there(tmp_path: Path) -> None:
    assert find_repository(tmp_path, "{owner}/{name}", f"ada/{'x' * 5000}") is None


@pytest.mark.parametrize(
    "layout",
    [
        "{owner}/{repo}",
        "{}",
        "{0}",
        "{name",
        "{name.__class__}",
        "{name[0]}",
        "{name!r}",
        "{name:>9}",
        "{owner}",
        "clones",
        "/{name}",
        "../{name}",
        "{owner}/../{name}",
        "{name}\0",
        "",
    ],
)
def test_a_layout_that_cannot_be_used_is_an_error(tmp_path: Path, layout: str) -> None:
    with pytest.raises(UsageError, match="layout"):
        find_repository(tmp_path, layout, "ada/engine")


def test_repos_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        find_repository(tmp_path / "missing", "{name}", "ada/engine")
