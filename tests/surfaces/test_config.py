"""`trackdown config`: every setting, where it comes from, and no secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program, without_escapes
from trackdown.settings import SECRETS, setting_names

FILE = ".trackdown.toml"


@pytest.fixture
def program(tmp_path: Path, repo: Repo) -> Program:
    repo.commit("Begin", {"a.py": "def sign_cookie(): pass\n", "vendor/b.py": "def sign_cookie_b(): pass\n"})
    return Program(tmp_path / "store", repo.root)


def test_every_setting_is_listed_with_its_value_and_its_origin(program: Program, tmp_path: Path) -> None:
    (tmp_path / "config" / "trackdown").mkdir(parents=True)
    (tmp_path / "config" / "trackdown" / "config.toml").write_text("workers = 2\nk = 7\nllm_key = 'sk-file'\n")
    (program.folder / FILE).write_text("k = 5\nlevel = 'file'\nexclude = ['vendor/', '*.pb.go']\n")
    run = program.having(TRACKDOWN_LEVEL="class", TRACKDOWN_TOKEN="sk-token")("config", "--llm", "embedded")
    assert run.code == 0 and run.err == "" and "sk-" not in run.out
    rows = [line.split(maxsplit=1) for line in run.out.split("\n\n")[0].splitlines()]
    assert [name for name, _ in rows] == list(setting_names())
    shown = {name: " ".join(rest.split()) for name, rest in rows}
    assert shown["workers"] == "user file 2" and shown["k"] == "project file 5"
    assert shown["level"] == "environment class" and shown["llm"] == "command line embedded"
    assert shown["exclude"] == "project file vendor/, *.pb.go" and shown["mode"] == "default hybrid"
    assert shown["llm_key"] == "user file set, not shown" and shown["token"] == "environment set, not shown"
    assert shown["import_token"] == "default not set" and shown["store"].startswith("environment /")
    assert str(program.folder / FILE) in run.out


def test_json_has_the_same_and_no_secret(program: Program) -> None:
    environment = {f"TRACKDOWN_{name.upper()}": "sk-secret" for name in SECRETS}
    run = program.having(**environment, TRACKDOWN_LLM="https://me:sk-secret@llm.example.org/v1")(
        "config", "--format", "json"
    )
    assert "sk-secret" not in run.out
    answer = run.json()
    rows = {row["name"]: row for row in answer["settings"]}
    assert list(rows) == list(setting_names())
    for name in SECRETS:
        assert (rows[name]["value"], rows[name]["default"], rows[name]["set"]) == (None, None, True)
    assert rows["llm"]["value"] == "https://…@llm.example.org/v1"
    assert rows["weight_dense"] == {
        "name": "weight_dense",
        "value": 0.5,
        "default": 0.5,
        "origin": "default",
        "where": "",
        "variable": "TRACKDOWN_WEIGHT_DENSE",
        "project": True,
        "help": rows["weight_dense"]["help"],
    }
    assert rows["store"]["where"] == "TRACKDOWN_STORE" and not rows["llm"]["project"]
    assert answer["files"]["project"] == str(program.folder / FILE)


def test_one_setting_can_be_asked_for(program: Program) -> None:
    (program.folder / FILE).write_text("weight_dense = 0.75\n")
    run = program("config", "weight_dense")
    assert run.code == 0 and "0.75" in run.out and str(program.folder / FILE) in run.out
    assert "TRACKDOWN_WEIGHT_DENSE" in run.out
    found = program("config", "weight_dense", program.folder, "--format", "json").json()
    assert (found["value"], found["default"], found["origin"]) == (0.75, 0.5, "project file")
    secret = program.having(TRACKDOWN_LLM_KEY="sk-1")("config", "llm_key")
    assert "set, not shown" in secret.out and "sk-1" not in secret.out


def test_a_revision_and_a_bare_repository_have_their_own(program: Program, repo: Repo, tmp_path: Path) -> None:
    repo.commit("Set", {FILE: "k = 4\n"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    repo.commit("Set again", {FILE: "k = 6\n"})
    assert program("config", "k", "--at", "HEAD~1", "--format", "json").json()["value"] == 4
    assert program("config", "k", "--format", "json").json()["value"] == 6
    assert program("config", "k", tmp_path / "bare.git", "--format", "json").json()["value"] == 4


def test_it_needs_no_store_and_makes_none(program: Program) -> None:
    assert program("config").code == 0 and not program.store.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["wieght_dense"], 1, ["wieght_dense", "did you mean weight_dense?"]),
        (["nowhere/at/all"], 1, ["no such file or folder"]),
        (["k", "level"], 2, ["at most one setting"]),
        ([".", "."], 2, ["at most one setting and one path"]),
        (["--at", "nowhere"], 1, ["nowhere"]),
        (["--format", "xml"], 2, ["xml"]),
    ],
)
def test_bad_arguments_are_one_line(program: Program, arguments: list[str], code: int, words: list[str]) -> None:
    program("config", *arguments).refused(code, *words)


@pytest.mark.parametrize(
    "command", [["config"], ["search", "cookie"], ["history", "cookie"], ["related", "sign_cookie"]]
)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"k = \n", ["cannot be parsed"]),
        (b"\xff\xfe\x00", ["not UTF-8"]),
        (b"llm = 'http://evil.example.org/v1'\n", ["may not set llm", "TRACKDOWN_LLM"]),
        (b"k = " + b"[" * 10000, ["nested too deeply"]),
    ],
)
def test_a_bad_file_is_one_line_in_every_command(
    program: Program, command: list[str], content: bytes, words: list[str]
) -> None:
    (program.folder / FILE).write_bytes(content)
    program(*command).refused(1, FILE, *words)


def test_options_outweigh_the_environment_and_that_the_file(program: Program) -> None:
    (program.folder / FILE).write_text("level = 'class'\nexclude = ['vendor/']\n")
    assert program("search", "cookie", "--format", "json").json()["level"] == "class"
    changed = program.having(TRACKDOWN_LEVEL="file")
    answer = changed("search", "cookie", "--format", "json").json()
    assert answer["level"] == "file" and [found["path"] for found in answer["results"]] == ["a.py"]
    assert changed("search", "cookie", "--level", "symbol", "--format", "json").json()["level"] == "symbol"
    ignored = program.having(TRACKDOWN_PROJECT_FILE="no")("search", "cookie", "--format", "json").json()
    assert ignored["level"] == "function" and len(ignored["results"]) == 2


def test_a_narrow_terminal_shows_one_line_for_each_setting(program: Program) -> None:
    for columns in (80, 100):
        lines = without_escapes(program.on_terminal("config", columns=columns).out).splitlines()
        assert sum(len(line) > columns for line in lines) <= 3  # paths are as long as they are
