"""`trackdown clear`."""

from __future__ import annotations

import click

from trackdown.engine import clear_everything
from trackdown.errors import UsageError
from trackdown.surfaces.cli.options import format_option, open_all, print_json
from trackdown.surfaces.cli.terminal_text import human_bytes, one_line

EXAMPLES = """\b
Examples:
  trackdown clear
  trackdown clear ~/src/django
  trackdown clear --imported
  trackdown clear --all
"""


@click.command(epilog=EXAMPLES)
@click.argument("place", default=".", metavar="[PATH]")
@click.option("--all", "everything", is_flag=True, help="Remove the whole store: every repository, every version.")
@click.option("--imported", is_flag=True, help="Remove only what `index --import` brought, and what builds on it.")
@format_option
def command(place: str, everything: bool, imported: bool, style: str) -> None:
    """Remove a repository's index from the store. It can always be rebuilt; your files are not touched.

    Language models' answers don't belong to a single repository, so they stay, though they may reveal its code: --all
    removes them.
    """
    if everything and imported:
        raise UsageError("--all removes what was imported, too: leave --imported out")
    if everything:
        name = "everything"
        before, after = clear_everything()
    else:
        (repository,) = open_all([place])
        name, before = repository.source.name, repository.store.size()
        repository.clear(only_imported=imported)
        after = repository.store.size()
    if style == "json":
        print_json({"cleared": name, "freed_bytes": before - after, "store_bytes": after})
    else:
        print(f"Cleared {one_line(name)}: {human_bytes(max(0, before - after))} freed, {human_bytes(after)} left")
