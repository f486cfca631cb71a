"""`trackdown install`: every agent's file gets an entry that the agent would start our server by."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.program import Program, Run
from trackdown.surfaces.agents.registry import AGENT_NAMES

pytestmark = pytest.mark.slow

PLACES = {
    "claude-code": (".claude.json", ["mcpServers"]),
    "codex": (".codex/config.toml", ["mcp_servers"]),
    "cursor": (".cursor/mcp.json", ["mcpServers"]),
    "vscode": (".config/Code/User/mcp.json", ["servers"]),
    "gemini-cli": (".gemini/settings.json", ["mcpServers"]),
    "opencode": (".config/opencode/opencode.json", ["mcp"]),
    "zed": (".config/zed/settings.json", ["context_servers"]),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def at_home(program: Program, home: Path) -> Program:
    """The program of a user who has no agent at all."""
    bare = dict.fromkeys(["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"])
    return program.having(HOME=str(home), PATH="/usr/bin:/bin", **bare)


def entry(home: Path, agent: str) -> Any:
    """What the agent reads of us."""
    place, section = PLACES[agent]
    text = (home / place).read_text()
    values = tomllib.loads(text) if place.endswith(".toml") else json.loads(text)
    for name in [*section, "trackdown"]:
        values = values[name]
    return values


def started_by(values: dict[str, Any]) -> Sequence[str]:
    """The command that an agent makes of an entry."""
    command = values["command"]
    return command if isinstance(command, list) else [command, *values["args"]]


def test_the_table_of_agents_is_tested() -> None:
    assert set(AGENT_NAMES) == set(PLACES)


@pytest.mark.parametrize("agent", AGENT_NAMES)
def test_every_agent_gets_a_command_that_runs(agent: str, at_home: Program, home: Path) -> None:
    run = at_home("install", "--agent", agent)
    assert run.code == 0 and ": added (" in run.out, run.err
    command = started_by(entry(home, agent))
    assert command[-1] == "mcp" and os.path.isabs(command[0])
    shown = subprocess.run([*command, "--help"], capture_output=True, text=True, env=at_home.environment())
    assert shown.returncode == 0 and shown.stdout.startswith("Usage: trackdown mcp ")
    back = at_home("install", "--agent", agent, "--undo")
    assert back.code == 0 and ": removed (" in back.out
    assert not (home / PLACES[agent][0]).exists()


def test_agents_that_are_here_are_found(at_home: Program, home: Path) -> None:
    at_home("install").refused(2, "no agent was found", "--agent")
    (home / ".cursor").mkdir()
    (home / ".config" / "zed").mkdir(parents=True)
    (home / ".config" / "zed" / "settings.json").write_text('// Zed\n{\n  "vim_mode": true, // yes\n}\n')
    outcomes = at_home("install", "--format", "json").json()
    assert [(one["agent"], one["action"]) for one in outcomes] == [("cursor", "added"), ("zed", "added")]
    assert outcomes[0]["backup"] is None and Path(outcomes[1]["backup"]).exists()
    text = (home / ".config" / "zed" / "settings.json").read_text()
    assert text.startswith('// Zed\n{\n  "vim_mode": true, // yes\n  "context_servers": {\n    "trackdown": {\n')
    undone = at_home("install", "--undo")
    assert [line.split(" (")[0] for line in undone.out.splitlines()] == ["Cursor: removed", "Zed: restored"]
    assert (home / ".config" / "zed" / "settings.json").read_text() == '// Zed\n{\n  "vim_mode": true, // yes\n}\n'
    assert at_home("install", "--undo").out == "Nothing was installed.\n"


def test_a_program_on_the_path_is_an_agent_that_is_here(at_home: Program, home: Path) -> None:
    (home / "bin").mkdir()
    (home / "bin" / "gemini").write_text("#!/bin/sh\n")
    (home / "bin" / "gemini").chmod(0o755)
    run = at_home.having(PATH=f"{home}/bin:/usr/bin:/bin")("install", "--format", "json").json()
    assert [one["agent"] for one in run] == ["gemini-cli"]


def test_folders_that_agents_are_told_of_are_heeded(at_home: Program, home: Path, tmp_path: Path) -> None:
    elsewhere = at_home.having(CODEX_HOME=str(tmp_path / "codex"), CLAUDE_CONFIG_DIR=str(tmp_path / "claude"))
    assert elsewhere("install", "--agent", "codex", "--agent", "claude-code").code == 0
    assert (tmp_path / "codex" / "config.toml").exists() and (tmp_path / "claude" / ".claude.json").exists()
    assert list(home.rglob("*.json")) == []


def test_opencode_keeps_its_own_file_and_form(at_home: Program, home: Path) -> None:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text(
        '{\n  // two\n  "mcp": {"servers": {"a": {"type": "local", "command": ["a"]}}}\n}\n'
    )
    assert at_home("install", "--agent", "opencode").code == 0
    text = (folder / "opencode.jsonc").read_text()
    assert '"servers": {"a": {"type": "local", "command": ["a"]}, "trackdown": {"type": "local", "command": [' in text
    assert not (folder / "opencode.json").exists()


def test_one_file_that_cannot_be_edited_does_not_stop_the_others(at_home: Program, home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{ not json")
    run = at_home("install", "--agent", "cursor", "--agent", "codex")
    assert run.code == 2 and "Codex: added" in run.out
    assert "Cursor: " in run.err and "mcp.json is left as it is: it is not JSON" in run.err and run.err.count("\n") == 1
    assert (home / ".cursor" / "mcp.json").read_text() == "{ not json"


def test_a_project_gets_files_that_its_people_share(at_home: Program, home: Path, tmp_path: Path) -> None:
    run = at_home("install", "--project", "--agent", "vscode", "--agent", "claude-code", "--agents-md")
    assert run.code == 0, run.err
    assert json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]["trackdown"]["command"] == "trackdown"
    assert json.loads((tmp_path / ".vscode" / "mcp.json").read_text())["servers"]["trackdown"]["args"] == ["mcp"]
    assert "`search_code`" in (tmp_path / "AGENTS.md").read_text()
    (mark,) = [path for path in home.rglob("*") if path.is_file()]  # the only thing at home: .vscode was made by us
    assert mark.parent == home / ".config" / "trackdown" / "backups" and mark.name.startswith("vscode-")
    assert at_home("install", "--project", "--agents-md", "--undo").code == 0
    assert not any((tmp_path / name).exists() for name in (".mcp.json", "AGENTS.md", ".vscode")) and not mark.exists()


def test_agents_md_alone_touches_nothing_else(at_home: Program, home: Path, tmp_path: Path) -> None:
    (home / ".cursor").mkdir()
    assert at_home("install", "--agents-md").out.startswith("AGENTS.md: added (")
    assert (tmp_path / "AGENTS.md").exists() and list((home / ".cursor").iterdir()) == []


def test_print_shows_everything_and_writes_nothing(at_home: Program, home: Path, tmp_path: Path) -> None:
    run = at_home("install", "--print")
    assert run.code == 0 and run.out.startswith("Claude Code: ")
    assert "    [mcp_servers.trackdown]\n" in run.out and "## Finding code with Trackdown" in run.out
    shown = {one["agent"]: one for one in at_home("install", "--print", "--format", "json").json()}
    assert set(shown) == {*AGENT_NAMES, "agents-md"}
    assert tomllib.loads(shown["codex"]["text"])["mcp_servers"]["trackdown"]["args"] == ["mcp"]
    assert list(home.iterdir()) == [] and not (tmp_path / "AGENTS.md").exists()
    at_home("install", "--print", "--undo").refused(2, "cannot be combined")


def test_a_missing_sdk_is_told(in_process: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("HOME", str(home))
    assert in_process("install", "--agent", "cursor").err == ""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "mcp" else found(name, *rest))
    assert in_process("install", "--agent", "cursor").err.startswith("note: the server needs the extra `mcp`")


def test_an_unknown_agent_is_wrong_usage(at_home: Program) -> None:
    at_home("install", "--agent", "clippy").refused(2, "clippy", "claude-code")
