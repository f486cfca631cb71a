"""Options that the commands of `trackdown fleet` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def fleet_option(command: F) -> F:
    """`--fleet FILE`."""
    return click.option(
        "--fleet",
        metavar="FILE",
        type=click.Path(path_type=Path),
        default=Path("fleet.toml"),
        show_default=True,
        help="The file of the fleet.",
    )(command)


def groups_option(command: F) -> F:
    """`--group GROUP`."""
    return click.option(
        "--group", "groups", multiple=True, metavar="GROUP", help="Only repositories of this group. Repeatable."
    )(command)
