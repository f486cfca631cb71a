"""The agents that can be set up: where each keeps its settings, and what an entry looks like there."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trackdown.settings import UserFolders
from trackdown.surfaces.agents.parts import Entry, JsonEntry, MarkedBlock, Part, TomlEntry

NAME = "trackdown"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent. `user` finds its settings for all projects, `project` names its file in a project's folder.

    `signs` are places that are there when the agent is; `program` is its command, if it has one.
    """

    name: str
    title: str
    user: Callable[[UserFolders], Path]
    project: str
    part: Callable[[Sequence[str]], Part]
    signs: Callable[[UserFolders], Sequence[Path]]
    program: str = ""

    def is_here(self, folders: UserFolders) -> bool:
        """Whether this user has the agent."""
        if self.program and shutil.which(self.program, path=folders.path):
            return True
        return any(place.exists() for place in self.signs(folders))


def _in_json(section: str, **more: str) -> Callable[[Sequence[str]], Part]:
    def part(command: Sequence[str]) -> Part:
        entry: Entry = {**more, "command": command[0], "args": list(command[1:])}
        return JsonEntry((section,), NAME, entry)

    return part


def _in_codex(command: Sequence[str]) -> Part:
    return TomlEntry(("mcp_servers",), NAME, {"command": command[0], "args": list(command[1:])})


def _in_opencode(command: Sequence[str]) -> Part:
    return JsonEntry(("mcp",), NAME, {"type": "local", "command": list(command)})


def _code_folder(folders: UserFolders) -> Path:
    inside = folders.home / "Library" / "Application Support" if sys.platform == "darwin" else folders.config
    return inside / "Code"


def _opencode_file(folders: UserFolders) -> Path:
    with_comments = folders.config / "opencode" / "opencode.jsonc"
    return with_comments if with_comments.exists() else with_comments.with_suffix(".json")


AGENTS: tuple[Agent, ...] = (
    Agent(
        "claude-code",
        "Claude Code",
        lambda folders: folders.claude / ".claude.json",
        ".mcp.json",
        _in_json("mcpServers", type="stdio"),
        lambda folders: (folders.claude / ".claude.json", folders.home / ".claude"),
        "claude",
    ),
    Agent(
        "codex",
        "Codex",
        lambda folders: folders.codex / "config.toml",
        ".codex/config.toml",
        _in_codex,
        lambda folders: (folders.codex,),
        "codex",
    ),
    Agent(
        "cursor",
        "Cursor",
        lambda folders: folders.home / ".cursor" / "mcp.json",
        ".cursor/mcp.json",
        _in_json("mcpServers"),
        lambda folders: (folders.home / ".cursor",),
        "cursor",
    ),
    Agent(
        "vscode",
        "VS Code",
        lambda folders: _code_folder(folders) / "User" / "mcp.json",
        ".vscode/mcp.json",
        _in_json("servers", type="stdio"),
        lambda folders: (_code_folder(folders),),
        "code",
    ),
    Agent(
        "gemini-cli",
        "Gemini CLI",
        lambda folders: folders.home / ".gemini" / "settings.json",
        ".gemini/settings.json",
        _in_json("mcpServers"),
        lambda folders: (folders.home / ".gemini",),
        "gemini",
    ),
    Agent(
        "opencode",
        "OpenCode",
        _opencode_file,
        "opencode.json",
        _in_opencode,
        lambda folders: (folders.config / "opencode",),
        "opencode",
    ),
    Agent(
        "zed",
        "Zed",
        lambda folders: folders.config / "zed" / "settings.json",
        ".zed/settings.json",
        _in_json("context_servers", source="custom"),
        lambda folders: (folders.config / "zed",),
        "zed",
    ),
)

AGENT_NAMES = tuple(agent.name for agent in AGENTS)

AGENTS_MD = MarkedBlock(
    NAME,
    (
        "## Finding code with Trackdown",
        "",
        "The MCP server `trackdown` ranks the functions, classes and files of this repository for a question or an",
        "issue, by the code and by what past commits changed. Its index follows the files on disk.",
        "",
        "- Before changing code for a bug report or a task: `locate_issue` with its whole text.",
        '- To find code by what it does ("where is the session cookie signed?"): `search_code`. For every occurrence',
        "  of a known string, use grep.",
        "- How it was done before: `past_changes`. What calls it, what changes with it: `related_code`.",
        "- `read_unit` shows one function or class; it costs less than the whole file.",
        "",
        'Without MCP: `trackdown search "…"`, `trackdown search --issue issue.md`, `trackdown history "…"`,',
        "`trackdown related FILE:LINE`.",
    ),
)
"""What AGENTS.md of a project can say."""


def server_command() -> list[str]:
    """How an agent starts the server, wherever it was started from itself."""
    beside = Path(sys.executable).with_name("trackdown")
    if beside.exists():
        return [str(beside), "mcp"]
    found = shutil.which("trackdown")
    return [found, "mcp"] if found else [sys.executable, "-m", "trackdown", "mcp"]
