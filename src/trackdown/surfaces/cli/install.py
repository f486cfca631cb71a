"""`trackdown install`."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from trackdown.errors import UsageError
from trackdown.installation import install_hint
from trackdown.settings import UserFolders, user_folders
from trackdown.surfaces.agents import (
    AGENT_NAMES,
    AGENTS,
    AGENTS_MD,
    Backups,
    FileChange,
    Insertion,
    install,
    server_command,
    undo,
)
from trackdown.surfaces.cli.options import format_option, print_json, print_notes
from trackdown.surfaces.cli.terminal_text import one_line

EXAMPLES = """\b
Examples:
  trackdown install
  trackdown install --agent claude-code --agent cursor
  trackdown install --project --agents-md
  trackdown install --print
  trackdown install --undo
"""


@dataclass(frozen=True, slots=True)
class _Target:
    """A file to edit, and the agent it belongs to."""

    agent: str
    title: str
    file: Path
    insertion: Insertion


@click.command(epilog=EXAMPLES)
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice(AGENT_NAMES),
    help="Set up this agent. Repeatable; the default is every agent found on this machine.",
)
@click.option(
    "--project",
    is_flag=True,
    help="Edit the settings files in the current folder instead of your own, so that everyone on the project shares "
    "them.",
)
@click.option(
    "--agents-md", is_flag=True, help="Add a section to the current folder's AGENTS.md that says when to use Trackdown."
)
@click.option("--undo", "is_undo", is_flag=True, help="Remove what was installed.")
@click.option("--print", "is_print", is_flag=True, help="Print the entries without writing anything.")
@format_option
def command(agents: tuple[str, ...], project: bool, agents_md: bool, is_undo: bool, is_print: bool, style: str) -> None:
    """Set up coding agents to use Trackdown's MCP server.

    Adds one entry to the settings of Claude Code, Codex, Cursor, VS Code, Gemini CLI, OpenCode or Zed. The rest of each
    file stays as it is, comments included, and a copy is kept until you run --undo.
    """
    if is_undo and is_print:
        raise UsageError("--undo and --print cannot be combined")
    folders = user_folders()
    targets = _targets(agents, folders, project=project, agents_md=agents_md, everything=is_undo or is_print)
    if is_print:
        _print_targets(targets, style)
        return
    if not targets:
        raise UsageError(f"no agent was found on this machine: name one with --agent ({', '.join(AGENT_NAMES)})")
    backups = Backups(folders.config / "trackdown" / "backups")
    work = undo if is_undo else install
    changes, failures = list[tuple[_Target, FileChange]](), list[str]()
    for target in targets:
        try:
            changes.append((target, work(target.file, target.insertion, backups)))
        except UsageError as error:
            failures.append(f"{target.title}: {error}")
    _print_changes(changes, agents, style, is_undo=is_undo)
    if not is_undo and importlib.util.find_spec("mcp") is None:
        print_notes([f"the server needs the extra `mcp`: run `{install_hint('mcp')}`"])
    if failures:
        raise UsageError("; ".join(failures))


def _targets(
    names: Sequence[str], folders: UserFolders, *, project: bool, agents_md: bool, everything: bool
) -> list[_Target]:
    """List the files to edit: only AGENTS.md if that is all the options ask for."""
    here = Path.cwd()
    start = ["trackdown", "mcp"] if project else server_command()
    targets: list[_Target] = []
    for agent in AGENTS if names or project or not agents_md else ():
        if agent.name in names or (not names and (everything or agent.is_here(folders))):
            file = here / agent.project if project else agent.settings_file(folders)
            targets.append(_Target(agent.name, agent.title, file, agent.insertion(start)))
    if agents_md:
        targets.append(_Target("agents-md", "AGENTS.md", here / "AGENTS.md", AGENTS_MD))
    return targets


def _print_targets(targets: Sequence[_Target], style: str) -> None:
    """Print the entry for each file, and the section for AGENTS.md."""
    if all(target.agent != "agents-md" for target in targets):
        targets = [*targets, _Target("agents-md", "AGENTS.md", Path("AGENTS.md"), AGENTS_MD)]
    if style == "json":
        print_json([{"agent": one.agent, "file": str(one.file), "text": one.insertion.put("")} for one in targets])
        return
    for position, target in enumerate(targets):
        print("\n" * bool(position) + f"{target.title}: {one_line(str(target.file))}\n")
        print("\n".join(f"    {line}".rstrip() for line in target.insertion.put("").splitlines()))


def _print_changes(
    changes: Sequence[tuple[_Target, FileChange]], named: Sequence[str], style: str, *, is_undo: bool
) -> None:
    """Print what was done, one line per file."""
    if style == "json":
        print_json(
            [
                {
                    "agent": target.agent,
                    "file": str(change.file),
                    "action": change.action,
                    "backup": str(change.backup) if change.backup else None,
                }
                for target, change in changes
            ]
        )
        return
    shown = [one for one in changes if named or not is_undo or one[1].action != "not there"]
    for target, change in shown:
        print(f"{target.title}: {change.action} ({one_line(str(change.file))})")
        if change.backup is not None and change.action in ("added", "changed"):
            print(f"    a copy of the previous file is in {one_line(str(change.backup))}")
    if changes and not shown:
        print("Nothing was installed.")
    elif any(change.action in ("added", "changed") for _, change in changes):
        print("Restart the agents for this to take effect.")
