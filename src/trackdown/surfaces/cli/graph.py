"""`trackdown graph`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from trackdown.engine import DIRECTIONS, EDGE_TYPES, HOWS, MOST_DEPTH, Neighbourhood
from trackdown.pages import place_to_save, save
from trackdown.surfaces.cli.options import at_option, open_all, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress

FORMATS = ("text", "json", "dot", "html")
_BY_ENDING = {".html": "html", ".htm": "html", ".json": "json", ".dot": "dot", ".gv": "dot"}

EXAMPLES = """\b
Examples:
  trackdown graph Session.sign_cookie
  trackdown graph src/app.py:120 --edges invokes --direction in --depth 3
  trackdown graph QuerySet ~/src/django --edges inherits --how exact
  trackdown graph src/app.py --output graph.html
  trackdown graph src/ --edges contains,imports --at v1.0 --format dot | dot -Tsvg > graph.svg
"""


@click.command(epilog=EXAMPLES)
@click.argument("target", metavar="SYMBOL|FILE[:LINE]")
@click.argument("place", default=".", metavar="[PATH]")
@click.option(
    "--edges", default=",".join(EDGE_TYPES), show_default=True, metavar="TYPE,...", help="Which edges to follow."
)
@click.option("--depth", type=int, default=1, show_default=True, help=f"How many edges to follow, up to {MOST_DEPTH}.")
@click.option(
    "--direction",
    type=click.Choice(DIRECTIONS),
    default="both",
    show_default=True,
    help="Follow incoming edges, outgoing edges, or both.",
)
@click.option(
    "--how",
    default=",".join(HOWS),
    show_default=True,
    metavar="HOW,...",
    help="How edges may have been resolved: to the definition itself, by what is in scope, or by name alone.",
)
@at_option
@click.option("--format", "style", type=click.Choice(FORMATS), help="The format. Default: by the suffix of --output.")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write to a file.")
def command(
    target: str,
    place: str,
    edges: str,
    depth: int,
    direction: Any,
    how: str,
    at: str | None,
    style: str | None,
    output: Path | None,
) -> None:
    """Show containment, imports, calls and inheritance around a place, in both directions.

    The place is a class or function by its name or the end of its name, a file, a line in a file, or a folder. HTML is
    one self-contained page to explore.
    """
    written_to = None if output is None else place_to_save(output)
    (repository,) = open_all([place])
    repository.confined = False  # PATH says where to begin: whoever sits here has the whole repository
    with TerminalProgress(repository.source.name) as progress:
        answer = repository.graph(target, depth, _split(edges), direction, _split(how), at, progress=progress)
    style = style or _BY_ENDING.get(output.suffix.lower() if output else "", "text")
    if style != "json":
        print_notes(answer.notes)
    text = _written(answer, style, on_terminal=written_to is None and sys.stdout.isatty())
    if written_to is None:
        sys.stdout.write(text)
    else:
        save(text, written_to)


def _split(text: str) -> Any:
    return [part.strip() for part in text.split(",") if part.strip()]


def _written(answer: Neighbourhood, style: str, *, on_terminal: bool) -> str:
    if style == "json":
        from trackdown.surfaces.drawing import as_document

        return json.dumps(as_document(answer), indent=2) + "\n"
    if style == "dot":
        from trackdown.surfaces.drawing import as_dot

        return as_dot(answer)
    if style == "html":
        from trackdown.surfaces.drawing import as_html

        return as_html(answer)
    from trackdown.surfaces.cli.graph_tree import tree_text

    return tree_text(answer, on_terminal=on_terminal)
