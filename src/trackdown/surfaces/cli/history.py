"""`trackdown history`."""

from __future__ import annotations

from dataclasses import asdict

import click

from trackdown.surfaces.cli.options import (
    at_option,
    count_option,
    exclude_option,
    format_option,
    open_all,
    print_json,
    print_notes,
)
from trackdown.surfaces.cli.progress import TerminalProgress

EXAMPLES = """\b
Examples:
  trackdown history "race condition in the cache"
  trackdown history "#4692" ~/src/flask
  trackdown history 1a2b3c4
  trackdown history "drop support for old Python" ~/src/flask -k 3
"""


@click.command(epilog=EXAMPLES)
@click.argument("query")
@click.argument("place", default=".", metavar="[PATH]")
@count_option
@at_option
@exclude_option
@format_option
def command(query: str, place: str, k: int, at: str | None, exclude: tuple[str, ...], style: str) -> None:
    """Find past commits that resemble a query, with the files they touched under their current names.

    The commits that the query refers to come first: #123, GH-123, !45 or KEY-123 in their messages, or a commit id. The
    filters path: and lang: in the query select commits by the files they touched.
    """
    (repository,) = open_all([place])
    with TerminalProgress(repository.source.name) as progress:
        answer = repository.history(query, k, at, exclude, progress=progress)
    if style == "json":
        value = asdict(answer)
        print_json({name: value[name] for name in ("query", "notes", "snapshots", "commits")})
        return
    print_notes(answer.notes)
    from trackdown.surfaces.cli.render import print_history

    print_history(answer)
