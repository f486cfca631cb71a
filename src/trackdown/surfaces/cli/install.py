"""`trackdown install`."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from trackdown.errors import UsageError
from trackdown.settings import UserFolders, user_folders
from trackdown.surfaces.agents.files import Backups, Outcome, install, undo
from trackdown.surfaces.agents.known import AGENT_NAMES, AGENTS, AGENTS_MD, Agent, server_command
from trackdown.surfaces.agents.parts import Part
from trackdown.surfaces.cli.options import format_option, print_json, print_notes
from trackdown.surfaces.cli.plain import one_line

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
    """A file that a part goes into, and whom it is for."""

    agent: str
    title: str
    file: Path
    part: Part


@click.command(epilog=EXAMPLES)
@click.option("--agent", "agents", multiple=True, type=click.Choice(AGENT_NAMES),
              help="Set up this agent. Repeatable; by default every one that is found here.")  # fmt: skip
@click.option("--project", is_flag=True, help="Write the files of the project in the current folder instead of your "
              "own, so that everybody who works in it has them.")  # fmt: skip
@click.option("--agents-md", is_flag=True, help="Tell agents in AGENTS.md of the current folder when to use Trackdown.")
@click.option("--undo", "is_undo", is_flag=True, help="Take back what was written.")
@click.option("--print", "is_print", is_flag=True, help="Show what would be written, and write nothing.")
@format_option
def command(agents: tuple[str, ...], project: bool, agents_md: bool, is_undo: bool, is_print: bool, style: str) -> None:
    """Set up agents to use Trackdown's MCP server.

    Adds one entry to the settings of Claude Code, Codex, Cursor, VS Code, Gemini CLI, OpenCode and Zed. Everything else
    in these files stays as it is, comments included; a copy of each is kept until --undo.
    """
    if is_undo and is_print:
        raise UsageError("--undo and --print do not go together")
    folders = user_folders()
    targets = _targets(agents, folders, project=project, agents_md=agents_md, everything=is_undo or is_print)
    if is_print:
        _print_targets(targets, style)
        return
    if not targets:
        raise UsageError(f"no agent is found here: name one with --agent ({', '.join(AGENT_NAMES)})")
    backups = Backups(folders.config / "trackdown" / "backups")
    work = undo if is_undo else install
    outcomes, failures = list[tuple[_Target, Outcome]](), list[str]()
    for target in targets:
        try:
            outcomes.append((target, work(target.file, target.part, backups)))
        except UsageError as error:
            failures.append(f"{target.title}: {error}")
    _print_outcomes(outcomes, agents, style, is_undo=is_undo)
    if not is_undo and importlib.util.find_spec("mcp") is None:
        print_notes(["the server needs the extra `mcp`: run `pip install 'trackdown[mcp]'`"])
    if failures:
        raise UsageError("; ".join(failures))


def _targets(
    names: Sequence[str], folders: UserFolders, *, project: bool, agents_md: bool, everything: bool
) -> list[_Target]:
    """The files to work on. Only AGENTS.md where nothing but that was asked for."""
    here = Path.cwd()
    command = ["trackdown", "mcp"] if project else server_command()
    chosen: list[Agent] = []
    if names or project or not agents_md:
        chosen = [agent for agent in AGENTS if agent.name in names] if names else [
            agent for agent in AGENTS if everything or agent.is_here(folders)
        ]  # fmt: skip
    found = [
        _Target(
            agent.name,
            agent.title,
            here / agent.project if project else agent.user(folders),
            agent.part(command),
        )
        for agent in chosen
    ]
    if agents_md:
        found.append(_Target("agents-md", "AGENTS.md", here / "AGENTS.md", AGENTS_MD))
    return found


def _print_targets(targets: Sequence[_Target], style: str) -> None:
    """What stands in each file afterwards, and what AGENTS.md may say."""
    if all(target.agent != "agents-md" for target in targets):
        targets = [*targets, _Target("agents-md", "AGENTS.md", Path("AGENTS.md"), AGENTS_MD)]
    if style == "json":
        print_json([{"agent": one.agent, "file": str(one.file), "text": one.part.shown()} for one in targets])
        return
    for position, target in enumerate(targets):
        print("\n" * bool(position) + f"{target.title}: {one_line(str(target.file))}\n")
        print("\n".join(f"    {line}".rstrip() for line in target.part.shown().splitlines()))


def _print_outcomes(
    outcomes: Sequence[tuple[_Target, Outcome]], named: Sequence[str], style: str, *, is_undo: bool
) -> None:
    """What was done, a line for each file."""
    if style == "json":
        print_json([
            {"agent": target.agent, "file": str(outcome.file), "action": outcome.action,
             "backup": str(outcome.backup) if outcome.backup else None}
            for target, outcome in outcomes
        ])  # fmt: skip
        return
    shown = [one for one in outcomes if named or not is_undo or one[1].action != "not there"]
    for target, outcome in shown:
        print(f"{target.title}: {outcome.action} ({one_line(str(outcome.file))})")
        if outcome.backup is not None and outcome.action in ("added", "changed"):
            print(f"    the text from before is kept in {one_line(str(outcome.backup))}")
    if outcomes and not shown:
        print("Nothing of Trackdown's is installed.")
    elif any(outcome.action in ("added", "changed") for _, outcome in outcomes):
        print("Start the agents anew for it to take effect.")
