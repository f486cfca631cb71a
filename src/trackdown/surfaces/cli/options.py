"""Options that several commands share, and opening the repositories named on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, TypeVar

import click

from trackdown.engine import Repository
from trackdown.engine import open as open_repository
from trackdown.request import help_of
from trackdown.settings import load_settings
from trackdown.surfaces.cli.terminal_text import advice

F = TypeVar("F", bound=Callable[..., Any])


def format_option(command: F) -> F:
    """`--format text|json`."""
    return click.option(
        "--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print the answer."
    )(command)


def at_option(command: F) -> F:
    """`--at REV`."""
    return click.option("--at", metavar="REV", help=help_of("at"))(command)


def count_option(command: F) -> F:
    """`-k N`."""
    return click.option("-k", type=int, default=10, show_default=True, help=help_of("k"))(command)


def exclude_option(command: F) -> F:
    """`--exclude GLOB`."""
    text = help_of("exclude") + " Repeatable."
    return click.option("--exclude", multiple=True, metavar="GLOB", help=text)(command)


def open_all(places: Sequence[str], **overrides: Any) -> list[Repository]:
    """Open every place, or the current folder if none is named. `overrides` are settings; None leaves one alone."""
    settings = load_settings(**overrides)
    return [open_repository(place, settings=settings) for place in places or ["."]]


def print_json(answer: Any) -> None:
    """Print a value as JSON; undecodable bytes of a path stay as lone surrogates (`\\udcXX`)."""
    value = asdict(answer) if is_dataclass(answer) and not isinstance(answer, type) else answer
    json.dump(value, sys.stdout, indent=2, ensure_ascii=True, allow_nan=False)
    sys.stdout.write("\n")


def print_notes(notes: Sequence[str]) -> None:
    """Notes go to standard error, so that results can be piped."""
    for note in notes:
        print(f"note: {advice(note)}", file=sys.stderr)
