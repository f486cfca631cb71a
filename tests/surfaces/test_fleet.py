"""`trackdown fleet`: from an empty folder to an answer, and what is refused on the way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.fleet.fleets import needs_extra
from trackdown.fleet import read_fleet
from trackdown.surfaces.cli.main import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a repository in it."""
    monkeypatch.chdir(tmp_path)
    Repo(tmp_path / "shop").commit("Begin", {"session.py": "def sign_cookie(value):\n    return value\n"})
    return tmp_path


@needs_extra
def test_from_init_to_an_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> str:
        assert main(["fleet", *arguments]) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    assert "fleet.toml" in run("init", "--place", "place")
    assert run("add", "shop", "--group", "web") == "Added shop (web)\n"
    assert run("add", "shop") == "1 of 1 already in fleet.toml, which is where to change them\n"
    assert [one["name"] for one in json.loads(run("list", "--format", "json"))] == ["shop"]
    assert json.loads(run("status", "--format", "json"))["repositories"][0]["state"] == "new"
    report = json.loads(run("sync", "--workers", "0", "--format", "json"))
    assert (report["number"], report["built"], report["problems"]) == (1, ["shop"], {})
    assert "built 0 in" in run("sync", "--workers", "0")
    status = run("status")
    assert status.startswith("published  shop") and "manifest 1" in status
    found = json.loads(run("search", "sign the cookie", "--effort", "fast", "--format", "json"))
    assert [(one["repository"], one["symbol"]) for one in found["results"]] == [("shop", "sign_cookie")]
    assert found["notes"] == ["looked into shop"]
    (folder / "issue.md").write_text("The cookie is not signed.\n")
    assert run("search", "--issue", "issue.md", "--effort", "fast", "-l") == "shop:session.py\n"
    assert " 1  shop:session.py:1-2  sign_cookie" in run("search", "sign the cookie", "--effort", "fast")
    assert run("search", "-path:tests sign", "--effort", "fast", "-l") == "shop:session.py\n"
    assert run("remove", "shop") == "Removed shop\nNext: trackdown fleet sync, which takes them out of the place\n"
    assert "removed  shop" in run("sync", "--workers", "0")


def test_an_entry_has_the_settings_that_it_was_added_with(folder: Path) -> None:
    assert main(["fleet", "init"]) == 0
    given = ["--max-file-kb", "77", "--at", "main", "--deep", "--name", "store", "--group", "web"]
    assert main(["fleet", "add", "shop", *given]) == 0
    (entry,) = read_fleet(folder / "fleet.toml").entries
    assert (entry.max_file_kb, entry.at, entry.deep, entry.name, entry.groups) == (77, "main", True, "store", ("web",))


@needs_extra
def test_what_fails_is_said_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "fleet.toml").write_text('place = "place"\n[[repositories]]\npath = "gone"\n')
    assert main(["fleet", "sync", "--workers", "0"]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("failed  gone: no such file or folder")
    assert printed.err == "trackdown: 1 of 1 repositories failed: `trackdown fleet status` says why\n"
    assert main(["fleet", "search", "cookie"]) == 1
    assert "nothing is published yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["list"], 2, ["there is no fleet.toml", "fleet init"]),
        (["sync", "--fleet", "none.toml"], 2, ["there is no none.toml"]),
        (["sync", "--workers", "-1"], 2, ["--workers"]),
        (["sync", "--timeout", "soon"], 2, ["'soon'"]),
        (["init", "--place", "ftp://x"], 2, ["place is a folder or a URL"]),
        (["add"], 2, ["give a REPO"]),
        (["add", "a", "b", "--name", "c"], 2, ["--name is for one REPO"]),
        (["add", "nothing-here"], 1, ["no such file or folder: nothing-here"]),
        (["add", "shop", "--max-file-kb", "0"], 2, ["--max-file-kb", "0"]),
        (["remove"], 2, ["REPO"]),
        (["search"], 2, ["QUERY", "--issue"]),
        (["search", "x", "--issue", "y"], 2, ["either a QUERY or --issue"]),
        (["search", "x", "--open"], 2, ["--blame and --open need a clone"]),
        (["search", "x", "--repositories", "many"], 2, ["'many'"]),
        (["serve", "--tokens", "none.toml"], 2, ["there is no fleet.toml"]),
        (["serve", "--mcp", "pigeon"], 2, ["'pigeon'"]),
        (["fly"], 2, ["fly"]),
    ],
)
def test_wrong_input_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: Sequence[str], code: int, words: Sequence[str]
) -> None:
    assert main(["fleet", *arguments]) == code
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and printed.err.startswith("trackdown: ")
    assert all(word in printed.err for word in words), printed.err
    assert "Traceback" not in printed.err and "--debug" not in printed.err


@needs_extra
def test_a_search_of_a_fleet_lists_no_option_that_needs_a_clone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "search", "--help"]) == 0
    listed = capsys.readouterr().out
    assert "--explain" in listed
    assert not [option for option in ("--at", "--open", "--blame") if f" {option} " in listed]


@pytest.mark.parametrize(("name", "usage"), [("add", "[REPO]..."), ("remove", "REPO...")])
@needs_extra
def test_usage_says_which_arguments_may_be_left_out(capsys: pytest.CaptureFixture[str], name: str, usage: str) -> None:
    assert main(["fleet", name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: trackdown fleet {name} [OPTIONS] {usage}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["search", "x", "--group", "none"], ["has no group 'none'; it has web"]),
        (["serve", "--group", "none"], ["has no group 'none'"]),
        (["serve", "--tokens", "none.toml"], ["cannot read the tokens in none.toml"]),
        (["serve", "--tokens", "none.toml", "--group", "web"], ["leave out --group"]),
        (["serve", "--tokens", "none.toml", "--mcp", "stdio"], ["use --group"]),
        (["serve", "--host", "0.0.0.0"], ["other machines can reach 0.0.0.0: name a file of tokens with --tokens"]),
        (["search", "x", "--at", "main"], ["leave out `at`"]),
        (["search", "x", "--repositories", "0"], ["1 to 100 repositories"]),
        (["search", "x", "--repository", "none"], ["there is no repository 'none'"]),
    ],
)
@needs_extra
def test_wrong_input_for_a_fleet_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: Sequence[str], words: Sequence[str]
) -> None:
    (folder / "fleet.toml").write_text('place = "place"\n[[repositories]]\npath = "shop"\ngroups = ["web"]\n')
    assert main(["fleet", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1, printed.err
    assert all(word in printed.err for word in words), printed.err


def test_without_the_extra_one_line_says_how_to_get_it(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "fleet.toml").write_text('place = "place"\n')
    monkeypatch.setattr("trackdown.fleet.place._NEEDED", ("no_such_engine",))
    assert main(["fleet", "sync"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("trackdown: no_such_engine is not installed: run `") and "fleet" in said
