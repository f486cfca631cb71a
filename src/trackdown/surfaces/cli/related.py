"""`trackdown related`."""

from __future__ import annotations

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
  trackdown related Session.sign_cookie
  trackdown related src/app.py:120
  trackdown related django/db/models/query.py:250 ~/src/django -k 5
"""


@click.command(epilog=EXAMPLES)
@click.argument("target", metavar="SYMBOL|FILE[:LINE]")
@click.argument("place", default=".", metavar="[PATH]")
@count_option
@at_option
@exclude_option
@format_option
def command(target: str, place: str, k: int, at: str | None, exclude: tuple[str, ...], style: str) -> None:
    """Find code related to a function, a class, a line or a file.

    What calls it, what it calls, its siblings, base classes and subclasses, and similar code; for a file, what it
    imports and what imports it; and the files that changed together with it. At most K of each, the most certain first.
    """
    (repository,) = open_all([place])
    repository.confined = False  # PATH says where to begin: whoever sits here has the whole repository
    with TerminalProgress(repository.source.name) as progress:
        answer = repository.related(target, k, at, exclude, progress=progress)
    if style == "json":
        print_json(answer)
        return
    print_notes(answer.notes)
    from trackdown.surfaces.cli.render import print_related

    print_related(answer)
