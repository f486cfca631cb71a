"""`trackdown blame`."""

from __future__ import annotations

import click

from trackdown.surfaces.cli.options import at_option, format_option, open_all, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress

EXAMPLES = """\b
Examples:
  trackdown blame src/app.py:120
  trackdown blame src/app.py:100-140 --format json
  trackdown blame src/app.py:Flask.make_response
  trackdown blame QuerySet.bulk_create ~/src/django
"""


@click.command(epilog=EXAMPLES)
@click.argument("target", metavar="FILE:LINE|SYMBOL")
@click.argument("place", default=".", metavar="[PATH]")
@at_option
@format_option
def command(target: str, place: str, at: str | None, style: str) -> None:
    """Show who last changed some lines, when, in which commit, and the issues that it names.

    FILE:LINE, FILE:FIRST-LAST, FILE:SYMBOL, a whole FILE or a SYMBOL. Lines that are not committed yet say so. Commits
    that .git-blame-ignore-revs lists are passed over.
    """
    (repository,) = open_all([place])
    repository.confined = False  # PATH says where to begin: whoever sits here has the whole repository
    with TerminalProgress(repository.source.name) as progress:
        answer = repository.blame(target, at, progress=progress)
    if style == "json":
        print_json(answer)
        return
    print_notes(answer.notes)
    from trackdown.surfaces.cli.render_past import print_blame

    print_blame(answer)
