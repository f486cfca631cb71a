"""`trackdown man`: the manual page, made from the help of all commands."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

import click

from trackdown import __version__

EXAMPLES = """\b
Examples:
  trackdown man > ~/.local/share/man/man1/trackdown.1
  trackdown man | man -l -
"""
_EXIT_STATUS = {
    "0": "Done, or found.",
    "1": "It failed; standard error says why in one line.",
    "2": "The command line is wrong.",
    "130": "Interrupted.",
}
_SETTINGS = """Every setting has an environment variable: TRACKDOWN_ and its name in capitals. TRACKDOWN_STORE is the
folder of the store, TRACKDOWN_MODELS the set of models. docs/settings.md in the source lists them all."""
_FILES = {
    "~/.cache/trackdown": "The store: indexes, cloned repositories and kept answers. It can always be rebuilt.",
    "~/.config/trackdown/config.toml": "Your settings.",
    ".trackdownignore": "In a repository: files to leave out, or with ! to bring back.",
}
_WIDTH = 70


@click.command(epilog=EXAMPLES)
def command() -> None:
    """Print the manual page in man's format: all commands and options, as their help describes them."""
    from trackdown.surfaces.cli.main import cli

    print(manual(cli))


def manual(group: click.Group) -> str:
    """The manual page of a group of commands."""
    context = click.Context(group, info_name="trackdown")
    lines = [f'.TH TRACKDOWN 1 "" "trackdown {__version__}" "User Commands"', ".nh", ".ad l"]
    lines += [".SH NAME", rf"trackdown \- {_text(_first_line(group))}"]
    lines += [".SH SYNOPSIS", ".B trackdown", ".RI [ options ]", ".I command", ".RI [ arguments ]"]
    lines += [".SH DESCRIPTION", *_prose(group.help or ""), ".SH OPTIONS", *_options(group, context)]
    lines.append(".SH COMMANDS")
    for name, found, inner in _commands(group, context):
        lines += [f".SS {_text(name)}", *_usage(found, inner), *_prose(found.help or ""), *_options(found, inner)]
        lines += _examples(found.epilog or "")
    lines += [".SH EXAMPLES", *_example_lines(group.epilog or "")]
    lines += [".SH EXIT STATUS", *_definitions(_EXIT_STATUS), ".SH ENVIRONMENT", *_prose(_SETTINGS)]
    lines += [".SH FILES", *_definitions(_FILES)]
    return "\n".join(lines)


def _commands(
    group: click.Group, context: click.Context, prefix: str = "trackdown"
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Every command with its full name; a group of commands comes before what it contains."""
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        full = f"{prefix} {name}"
        inner = click.Context(found, info_name=name, parent=context)
        yield full, found, inner
        if isinstance(found, click.Group):
            yield from _commands(found, inner, full)


def _usage(found: click.Command, context: click.Context) -> list[str]:
    return [f".B {_text(context.command_path)}", _text(" ".join(found.collect_usage_pieces(context))), ".PP"]


def _options(found: click.Command, context: click.Context) -> list[str]:
    records = [record for param in found.get_params(context) if (record := param.get_help_record(context))]
    return _definitions({name: text for name, text in records if text})


def _definitions(entries: dict[str, str]) -> list[str]:
    return [line for name, text in entries.items() for line in (".TP", rf"\fB{_text(name)}\fR", *_prose(text))]


def _examples(epilog: str) -> list[str]:
    shown = _example_lines(epilog)
    return [".PP", "Examples:", *shown] if shown else []


def _example_lines(epilog: str) -> list[str]:
    lines = [line.strip() for line in epilog.partition("Examples:")[2].splitlines() if line.strip()]
    return [".nf", ".RS 4", *map(_text, lines), ".RE", ".fi"] if lines else []


def _prose(text: str) -> list[str]:
    """Paragraphs of text; lines of a paragraph are joined."""
    paragraphs = [" ".join(part.replace("\b", "").split()) for part in re.split(r"\n\s*\n", text)]
    lines: list[str] = []
    for paragraph in filter(None, paragraphs):
        wrapped = textwrap.wrap(paragraph, _WIDTH, break_long_words=False, break_on_hyphens=False)
        lines += [*([".PP"] if lines else []), *map(_text, wrapped)]
    return lines


def _first_line(found: click.Command) -> str:
    return " ".join((found.help or "").partition("\n\n")[0].split())


def _text(text: str) -> str:
    """Text that man prints as it is: backslashes and hyphens are escaped, and so is what would begin a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
