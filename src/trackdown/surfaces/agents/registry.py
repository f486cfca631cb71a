"""The agents that `trackdown install` can set up: where each keeps its settings, and what an entry looks like there."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trackdown.settings import UserFolders
from trackdown.surfaces.agents.insertions import JsonEntry, MarkedBlock, TomlEntry

NAME = "trackdown"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent. `files` are the candidates for the user's settings: the first that exists, or else the last.

    `project` is the settings file inside a project's folder. The agent is installed if `program`, its command, is on
    the path or if one of the `signs` exists. `section` names the part of the settings that lists MCP servers; `more`
    are keys that its entries have beside the command.
    """

    name: str
    title: str
    files: tuple[str, ...]
    project: str
    signs: tuple[str, ...]
    program: str
    section: str
    more: tuple[tuple[str, str], ...] = ()
    command_is_list: bool = False

    def is_here(self, folders: UserFolders) -> bool:
        """Whether this user has the agent."""
        if shutil.which(self.program, path=folders.path):
            return True
        return any(_located(sign, folders).exists() for sign in self.signs)

    def settings_file(self, folders: UserFolders) -> Path:
        """Where the agent keeps the user's settings."""
        candidates = [_located(file, folders) for file in self.files]
        return next((file for file in candidates if file.exists()), candidates[-1])

    def configured_command(self, text: str) -> str | None:
        """The program that the entry in the text of a settings file starts; None if there is no entry, '' if it names
        no program. Raises UsageError for a text that cannot be read.
        """
        found = self.insertion([NAME]).found_in(text)
        if found is None:
            return None
        command = found.get("command") if isinstance(found, dict) else None
        first = command[0] if isinstance(command, list) and command else command
        return first if isinstance(first, str) else ""

    def insertion(self, command: Sequence[str]) -> JsonEntry | TomlEntry:
        """Return the entry for a server that `command` starts."""
        if self.command_is_list:
            return JsonEntry((self.section,), NAME, {**dict(self.more), "command": list(command)})
        kind = TomlEntry if self.project.endswith(".toml") else JsonEntry
        return kind((self.section,), NAME, {**dict(self.more), "command": command[0], "args": list(command[1:])})


def _located(template: str, folders: UserFolders) -> Path:
    """Fill in a template that begins with one of the user's folders."""
    apple = sys.platform == "darwin"
    code = (folders.home / "Library" / "Application Support" if apple else folders.config) / "Code"
    return Path(
        template.format(home=folders.home, config=folders.config, claude=folders.claude, codex=folders.codex, code=code)
    )


AGENTS: tuple[Agent, ...] = (
    Agent(
        name="claude-code",
        title="Claude Code",
        files=("{claude}/.claude.json",),
        project=".mcp.json",
        signs=("{claude}/.claude.json", "{home}/.claude"),
        program="claude",
        section="mcpServers",
        more=(("type", "stdio"),),
    ),
    Agent(
        name="codex",
        title="Codex",
        files=("{codex}/config.toml",),
        project=".codex/config.toml",
        signs=("{codex}",),
        program="codex",
        section="mcp_servers",
    ),
    Agent(
        name="cursor",
        title="Cursor",
        files=("{home}/.cursor/mcp.json",),
        project=".cursor/mcp.json",
        signs=("{home}/.cursor",),
        program="cursor",
        section="mcpServers",
    ),
    Agent(
        name="vscode",
        title="VS Code",
        files=("{code}/User/mcp.json",),
        project=".vscode/mcp.json",
        signs=("{code}",),
        program="code",
        section="servers",
        more=(("type", "stdio"),),
    ),
    Agent(
        name="gemini-cli",
        title="Gemini CLI",
        files=("{home}/.gemini/settings.json",),
        project=".gemini/settings.json",
        signs=("{home}/.gemini",),
        program="gemini",
        section="mcpServers",
    ),
    Agent(
        name="opencode",
        title="OpenCode",
        files=("{config}/opencode/opencode.jsonc", "{config}/opencode/opencode.json"),
        project="opencode.json",
        signs=("{config}/opencode",),
        program="opencode",
        section="mcp",
        more=(("type", "local"),),
        command_is_list=True,
    ),
    Agent(
        name="zed",
        title="Zed",
        files=("{config}/zed/settings.json",),
        project=".zed/settings.json",
        signs=("{config}/zed",),
        program="zed",
        section="context_servers",
        more=(("source", "custom"),),
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
        "- After editing: `change_impact` says what else may have to change.",
        "",
        'Without MCP: `trackdown search "…"`, `trackdown search --issue issue.md`, `trackdown history "…"`,',
        "`trackdown related SYMBOL`.",
    ),
)
"""The section for a project's AGENTS.md."""


def server_command() -> list[str]:
    """Return the command that starts the server from any folder."""
    beside = Path(sys.executable).with_name("trackdown")
    if beside.exists():
        return [str(beside), "mcp"]
    found = shutil.which("trackdown")
    return [found, "mcp"] if found else [sys.executable, "-m", "trackdown", "mcp"]
