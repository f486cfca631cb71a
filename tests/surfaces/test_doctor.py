"""`trackdown doctor`: healthy machines, and each kind of illness."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo
from tests.odd_files import put_odd
from tests.surfaces.program import Program, Run, without_escapes
from trackdown.engine.health.data_checks import check_data
from trackdown.settings import load_settings


@pytest.fixture
def program(tmp_path: Path, repo: Repo) -> Program:
    repo.commit("Begin", {"a.py": "def sign_cookie(): pass\n"})
    home = tmp_path / "home"
    home.mkdir()
    variables = dict.fromkeys(["GH_TOKEN", "GITHUB_TOKEN", "CLAUDE_CONFIG_DIR", "CODEX_HOME"])
    return Program(tmp_path / "store", repo.root, {**variables, "HOME": str(home)})


def checks(run: Run) -> dict[str, Any]:
    answer = json.loads(run.out)
    assert run.code == (0 if answer["healthy"] else 1) and run.err == ""
    assert {check["state"] for check in answer["checks"]} <= {"ok", "warning", "problem"}
    assert answer["healthy"] == all(check["state"] != "problem" for check in answer["checks"])
    return {check["name"]: check for check in answer["checks"]}


def doctor(program: Program, *arguments: str | Path) -> dict[str, Any]:
    return checks(program("doctor", *arguments, "--format", "json"))


def files_below(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_everything_is_checked_and_nothing_is_written(program: Program, tmp_path: Path) -> None:
    before = files_below(tmp_path)
    found = doctor(program)
    assert files_below(tmp_path) == before and not program.store.exists()
    assert {"python", "onnxruntime", "git", "grammars", "watching", "store", "disk", "models"} <= set(found)
    assert {"settings", "repository", "settings file", "agent Claude Code", "tracker GitHub"} <= set(found)
    assert "the first search creates it" in found["store"]["found"]
    assert [name for name, check in found.items() if check["state"] == "problem"] == []
    assert found["git"]["found"].startswith("git version ")


def test_files_that_were_not_read_in_time_are_counted(program: Program, tmp_path: Path) -> None:
    assert program("search", "cookie").code == 0
    settings = load_settings(store=tmp_path / "store", models="none")
    every = next(check for check in check_data(settings) if check.name == "store files").found
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("trackdown.engine.health.data_checks._SECONDS", -1.0)
        some = next(check for check in check_data(settings) if check.name == "store files").found
    assert every.endswith(", all intact") and " of " in some and "read in a second" in some


def test_the_text_has_a_line_for_each_check(program: Program) -> None:
    run = program("doctor")
    lines = run.out.split("\n\n")[0].splitlines()
    assert run.code == 0 and all(line.split()[0] in ("ok", "warning", "problem") for line in lines)
    assert run.out.splitlines()[-1].startswith("0 problems, ")
    for columns in (80, 100):
        shown = without_escapes(program.on_terminal("doctor", columns=columns).out).splitlines()
        assert max(map(len, (line for line in shown if "/" not in line))) <= columns


def test_a_used_store_is_whole_until_it_is_damaged(program: Program) -> None:
    assert program("search", "cookie").code == 0
    found = doctor(program)
    assert found["store files"]["state"] == found["store"]["state"] == "ok"
    array = max((program.store / "v2" / "arrays").iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(array.read_bytes())
    data[-1] ^= 1
    array.write_bytes(data)
    found = doctor(program)
    assert found["store files"]["state"] == "problem" and array.name in found["store files"]["found"]
    assert "rebuilds" in found["store files"]["advice"]
    assert program("search", "cookie").code == 0
    (program.store / "v2" / "facts.sqlite3").write_bytes(b"SQLite format 3\0" + b"\xff" * 8192)
    assert "facts.sqlite3" in doctor(program)["store files"]["found"]


def test_nothing_waits_at_a_pipe(program: Program, tmp_path: Path) -> None:
    assert program("search", "cookie").code == 0
    (tmp_path / "home" / ".cursor").mkdir()
    (tmp_path / "models").mkdir()
    for place in ("store/v2/facts.sqlite3", "home/.cursor/mcp.json", "models/manifest.json"):
        put_odd(tmp_path / place, "pipe")
    run = program.having(TRACKDOWN_MODELS=str(tmp_path / "models"))("doctor", "--format", "json", timeout=60)
    found = checks(run)
    assert "facts.sqlite3 is not a file" in found["store files"]["found"]
    assert "Not a regular file" in found["agent Cursor"]["found"] and "manifest.json" in found["models"]["found"]


def test_a_folder_of_others_and_an_open_store_are_noticed(program: Program, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letters.txt").write_text("Dear Ada\n")
    found = doctor(program.having(TRACKDOWN_STORE=str(tmp_path / "mine")))
    assert found["store"]["state"] == "problem" and "TRACKDOWN_STORE" in found["store"]["advice"]
    program("search", "cookie")
    (program.store / "v2").chmod(0o755)
    found = doctor(program)
    assert found["store"]["state"] == "warning" and "chmod 700" in found["store"]["advice"]
    (program.store / "v2").chmod(0o700)
    (program.store / "v1").mkdir()
    (program.store / "v1" / "trackdown-store").touch()
    assert "v1" in doctor(program)["store"]["found"]


def test_a_store_that_is_a_file_is_a_problem(program: Program, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert doctor(program.having(TRACKDOWN_STORE=str(tmp_path / "file")))["store"]["state"] == "problem"


def test_missing_git_is_a_problem(program: Program, tmp_path: Path) -> None:
    found = doctor(program.having(PATH=str(tmp_path)))
    assert found["git"]["state"] == "problem" and "install git" in found["git"]["advice"]


def test_models_that_are_missing_or_damaged_are_a_problem(program: Program, tmp_path: Path) -> None:
    found = doctor(program.having(TRACKDOWN_MODELS=str(tmp_path / "none")))
    assert found["models"]["state"] == "problem" and str(tmp_path / "none") in found["models"]["found"]
    assert "network" in doctor(program.having(TRACKDOWN_MODELS="hub:a/b"))["models"]["found"]
    found = doctor(program.having(TRACKDOWN_MODELS="packaged"))
    assert found["models"]["state"] == "ok" and "checksums match" in found["models"]["found"]


def test_a_damaged_weight_is_noticed(program: Program, tmp_path: Path) -> None:
    import shutil

    from trackdown.models.registry import PACKAGED_FOLDER

    shutil.copytree(PACKAGED_FOLDER, tmp_path / "weights")
    file = max((tmp_path / "weights").iterdir(), key=lambda path: path.stat().st_size)
    with file.open("r+b") as stream:
        stream.seek(100)
        stream.write(b"damage")
    found = doctor(program.having(TRACKDOWN_MODELS=str(tmp_path / "weights")))
    assert found["models"]["state"] == "problem" and "sha256" in found["models"]["found"]


def test_settings_and_variables_that_are_wrong(program: Program, repo: Repo) -> None:
    found = doctor(program.having(TRACKDOWN_WORKERS="many"))
    assert found["settings"]["state"] == "problem" and "TRACKDOWN_WORKERS" in found["settings"]["found"]
    run = program.having(TRACKDOWN_STROE="x")("doctor", "--format", "json")
    assert "TRACKDOWN_STORE" in run.err
    assert "did you mean TRACKDOWN_STORE" in run.out and json.loads(run.out)["healthy"]
    repo.write(".trackdown.toml", "llm_key = 'sk-secret'\n")
    run = program("doctor", "--format", "json")
    assert checks(run)["settings file"]["state"] == "problem" and "sk-secret" not in run.out
    repo.write(".trackdown.toml", "k = 3\n")
    assert doctor(program)["settings file"]["found"].endswith("sets k")
    repo.write(".trackdown.toml", "")
    assert doctor(program)["settings file"]["found"].endswith(".trackdown.toml sets nothing")
    (repo.root / ".trackdown.toml").unlink()
    assert doctor(program)["settings file"]["found"] == "the repository has no .trackdown.toml"


def test_a_place_that_is_not_there_is_a_problem(program: Program) -> None:
    found = doctor(program, "nowhere")
    assert found["repository"]["state"] == "problem" and "settings file" not in found


def test_tokens_are_mentioned_and_never_shown(program: Program) -> None:
    run = program.having(
        GITHUB_TOKEN="ghp-secret",
        TRACKDOWN_LLM="https://x.example.org/v1",
        TRACKDOWN_LLM_MODEL="m",
        TRACKDOWN_LLM_KEY="sk-1",
    )("doctor", "--format", "json")
    found = checks(run)
    assert found["tracker GitHub"]["found"] == "GITHUB_TOKEN is set" and "ghp-secret" not in run.out
    assert "its key is set" in found["language model"]["found"] and "sk-1" not in run.out


def test_agents_are_looked_at(program: Program, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert doctor(program)["agent Cursor"]["found"] == "not on this machine"
    (home / ".cursor").mkdir()
    assert "trackdown install --agent cursor" in doctor(program)["agent Cursor"]["found"]
    file = home / ".cursor" / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"trackdown": {"command": "/gone/trackdown", "args": ["mcp"]}}}))
    found = doctor(program)["agent Cursor"]
    assert found["state"] == "problem" and "/gone/trackdown" in found["found"]
    file.write_text(json.dumps({"mcpServers": {"trackdown": {"command": "/bin/sh", "args": []}}}))
    assert doctor(program)["agent Cursor"]["found"] == "set up, starts /bin/sh"
    file.write_text("{")
    assert doctor(program)["agent Cursor"]["state"] == "warning"
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("[mcp_servers.trackdown]\ncommand = 'gone'\n")
    assert doctor(program)["agent Codex"]["state"] == "problem"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_that_cannot_be_written(program: Program) -> None:
    program("search", "cookie")
    (program.store / "v2").chmod(0o500)
    try:
        assert doctor(program)["store"]["state"] == "problem"
    finally:
        (program.store / "v2").chmod(0o700)
