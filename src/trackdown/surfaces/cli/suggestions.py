"""Commands and variables that somebody misspelt, and what they probably meant."""

from __future__ import annotations

import os
import sys
from collections.abc import Set
from difflib import get_close_matches

import click

from trackdown.surfaces.cli.terminal_text import one_line

_FILTERS = ("-path:", "-lang:", "-kind:", "-symbol:")


class SuggestingGroup(click.Group):
    """A group of commands that answers a misspelt one with the nearest."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            near = get_close_matches(name.lower(), self.list_commands(ctx), n=1, cutoff=0.6)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"there is no command {name[:100]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


class QueryCommand(click.Command):
    """A command whose query may begin with a minus, as filters and the lines of a list do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = {name for option in self.params for name in (*option.opts, *option.secondary_opts)}
        return super().parse_args(ctx, [f" {one}" if _is_query(one, options) else one for one in args])


def _is_query(argument: str, options: Set[str]) -> bool:
    """Whether something with a minus before it is no option: `-path:tests`, or a text of several words."""
    if argument[:1] != "-" or argument[:2] == "--":
        return False
    return argument.startswith(_FILTERS) or (" " in argument and argument[:2] not in options)


def misspelt_option(error: click.NoSuchOption) -> str:
    """What to say about an option that is not there: the nearest of this command."""
    known = [
        name for one in (error.ctx.command.params if error.ctx else ()) for name in (*one.opts, *one.secondary_opts)
    ]
    near = get_close_matches(error.option_name, [name for name in known if name.startswith("--")], n=1, cutoff=0.6)
    return f"there is no option {error.option_name[:100]!r}" + (f"; did you mean {near[0]}?" if near else "")


def warn_of_misspelt_variables() -> None:
    """Say on standard error which TRACKDOWN_ variables are probably misspelt. Once per run, and never an error."""
    if not any(name.startswith("TRACKDOWN_") for name in os.environ):
        return
    from trackdown.settings import misspelt_variables

    for line in misspelt_variables(os.environ):
        print(f"trackdown: {one_line(line)}", file=sys.stderr)
