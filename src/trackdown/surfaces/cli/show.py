"""`trackdown show`."""

from __future__ import annotations

import click

from trackdown.surfaces.cli.options import at_option, format_option, open_all, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress

EXAMPLES = """\b
Examples:
  trackdown show 1a2b3c4
  trackdown show HEAD~3 ~/src/flask --lines 0
  trackdown show v2.0 --path src/ --path '*.md'
"""


@click.command(epilog=EXAMPLES)
@click.argument("commit", default="HEAD", metavar="[COMMIT]")
@click.argument("place", default=".", metavar="[PATH]")
@click.option(
    "--lines", type=int, default=500, show_default=True, help="How many lines of the diff to show; 0 leaves it out."
)
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only files that match a pattern. Repeatable.")
@at_option
@format_option
def command(commit: str, place: str, lines: int, paths: tuple[str, ...], at: str | None, style: str) -> None:
    """Show a commit, and what Trackdown makes of it.

    COMMIT is an id or its first digits, a branch or a tag, by default HEAD. Besides message and diff it shows the
    functions and classes that changed, with where they are now; the issues that the message names; files that often
    change with these but did not; and similar past commits. Small diffs are shown whole, the beginnings of large ones.
    """
    (repository,) = open_all([place])
    with TerminalProgress(repository.source.name) as progress:
        report = repository.show(commit, lines, paths, at, progress=progress)
    if style == "json":
        print_json(report)
        return
    print_notes(report.notes)
    from trackdown.surfaces.cli.render_past import print_commit

    print_commit(report)
