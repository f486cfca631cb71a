"""`trackdown doctor`: what works, what doesn't, and what to do about it."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from trackdown.errors import UsageError
from trackdown.plain_files import open_plain
from trackdown.settings import Settings, load_settings, misspelt_variables, unknown_variables, user_folders
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.terminal_text import one_line

if TYPE_CHECKING:
    from trackdown.engine import HealthCheck

EXAMPLES = """\b
Examples:
  trackdown doctor
  trackdown doctor ~/src/flask --format json
"""
_LARGEST = 8 << 20
"""No agent's settings are longer."""


@click.command(epilog=EXAMPLES)
@click.argument("place", default=".", metavar="[PATH]")
@format_option
@click.pass_context
def command(ctx: click.Context, place: str, style: str) -> None:
    """Check git, the store, the models, the grammars, the agents and the repository's settings.

    Reaches no network and changes nothing. Ends with exit code 1 if there is a problem.
    """
    checks = list(_checks(place))
    problems = sum(check.state == "problem" for check in checks)
    if style == "json":
        print_json({"healthy": not problems, "checks": [asdict(check) for check in checks]})
    else:
        _print_checks(checks)
    ctx.exit(1 if problems else 0)


def _checks(place: str) -> Iterator[HealthCheck]:
    from trackdown.engine import HealthCheck, check_data, check_program, check_repository, check_trackers

    yield from check_program()
    try:
        settings = load_settings()
        yield HealthCheck("settings", "ok", "`trackdown config` lists them")
    except UsageError as error:
        yield HealthCheck("settings", "problem", str(error), "correct it; the rest is checked with the defaults")
        settings = Settings()
    yield from _variables()
    yield from check_data(settings)
    yield from check_repository(place, settings)
    yield from _agents()
    yield from check_trackers()


def _variables() -> Iterator[HealthCheck]:
    from trackdown.engine import HealthCheck

    unknown = unknown_variables(os.environ)
    if unknown:
        said = "; ".join(misspelt_variables(os.environ)) or f"not a setting: {', '.join(unknown)}"
        yield HealthCheck("variables", "warning", said, "correct or unset them")


def _agents() -> Iterator[HealthCheck]:
    """Which agents are here, and whether each can start the server."""
    from trackdown.engine import HealthCheck
    from trackdown.surfaces.agents import AGENTS

    folders = user_folders()
    for agent in AGENTS:
        file, name = agent.settings_file(folders), f"agent {agent.title}"
        again = f"run `trackdown install --agent {agent.name}`"
        try:
            with open_plain(file) as stream:
                command = agent.configured_command(stream.read(_LARGEST).decode("utf-8"))
        except FileNotFoundError:
            command = None
        except (OSError, ValueError, UsageError) as error:
            yield HealthCheck(name, "warning", f"{file} cannot be read: {error}", "correct the file")
            continue
        if command is None:
            here = agent.is_here(folders)
            yield HealthCheck(name, "ok", f"not set up: {again} if you want it" if here else "not on this machine")
        elif shutil.which(command, path=folders.path) is None:
            yield HealthCheck(name, "problem", f"{file} starts {command!r}, which is not there", again)
        else:
            yield HealthCheck(name, "ok", f"set up, starts {command}")


def _print_checks(checks: list[HealthCheck]) -> None:
    """One line for each check; on a terminal, what does not fit goes below, indented."""
    width = max(len(check.name) for check in checks)
    start = 9 + width + 2
    room = max(shutil.get_terminal_size().columns - start, 30) if sys.stdout.isatty() else sys.maxsize
    for check in checks:
        text = one_line(f"{check.found}; {check.advice}" if check.advice else check.found)
        first, *rest = textwrap.wrap(text, room, break_on_hyphens=False) if len(text) > room else [text]
        print(f"{check.state:<7}  {check.name:<{width}}  {first}")
        for line in rest:
            print(f"{'':<{start}}{line}")
    print(f"\n{_counted(checks, 'problem')}, {_counted(checks, 'warning')}")


def _counted(checks: list[HealthCheck], state: str) -> str:
    count = sum(check.state == state for check in checks)
    return f"{count} {state}{'' if count == 1 else 's'}"
