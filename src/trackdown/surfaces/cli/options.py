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
    return click.option("-k", type=int, default=10, help=help_of("k"))(command)


def exclude_option(command: F) -> F:
    """`--exclude GLOB`."""
    text = help_of("exclude") + " Repeatable."
    return click.option("--exclude", multiple=True, metavar="GLOB", help=text)(command)


def open_all(places: Sequence[str], **overrides: Any) -> list[Repository]:
    """Open every place, or the current folder if none is named. `overrides` are settings; None leaves one alone."""
    settings = load_settings(**overrides)
    return [open_repository(place, settings=settings) for place in places or ["."]]


def json_value(answer: Any) -> dict[str, Any]:
    """The fields of an answer, without the snippets of results: their `matches` say more."""
    return asdict(answer, dict_factory=lambda fields: {name: value for name, value in fields if name != "snippet"})


def print_json(answer: Any) -> None:
    """Print a value as JSON: indented on a terminal, in one line elsewhere, because readers pay for spaces.

    Undecodable bytes of a path stay as lone surrogates (`\\udcXX`).
    """
    value = json_value(answer) if is_dataclass(answer) and not isinstance(answer, type) else answer
    layout: dict[str, Any] = {"indent": 2} if sys.stdout.isatty() else {"separators": (",", ":")}
    json.dump(value, sys.stdout, ensure_ascii=True, allow_nan=False, **layout)
    sys.stdout.write("\n")


def print_notes(notes: Sequence[str]) -> None:
    """Notes go to standard error, so that results can be piped."""
    for note in notes:
        print(f"note: {advice(note)}", file=sys.stderr)
