"""`trackdown history`."""

from __future__ import annotations

from dataclasses import asdict

import click

from trackdown.surfaces.cli.options import at_option, count_option, format_option, open_all, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress

EXAMPLES = """\b
Examples:
  trackdown history "race condition in the cache"
  trackdown history "drop support for old Python" ~/src/flask -k 3
"""


@click.command(epilog=EXAMPLES)
@click.argument("query")
@click.argument("place", default=".", metavar="[PATH]")
@count_option
@at_option
@format_option
def command(query: str, place: str, k: int, at: str | None, style: str) -> None:
    """Find past commits that resemble a query, with the files they touched under their current names."""
    (repository,) = open_all([place])
    with TerminalProgress(repository.source.name) as progress:
        answer = repository.history(query, k, at, progress=progress)
    if style == "json":
        value = asdict(answer)
        print_json({name: value[name] for name in ("query", "notes", "snapshots", "commits")})
        return
    print_notes(answer.notes)
    from trackdown.surfaces.cli.render import print_history

    print_history(answer)
