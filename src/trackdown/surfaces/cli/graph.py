"""`trackdown graph`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from trackdown.engine import DIRECTIONS, EDGE_TYPES, HOWS, MOST_DEPTH, WALK_SECONDS, Neighbourhood
from trackdown.errors import UsageError
from trackdown.pages import place_to_save, save
from trackdown.surfaces.cli.options import at_option, open_all, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.terminal_text import one_line

_BY_ENDING = {
    "": "text",
    ".txt": "text",
    ".json": "json",
    ".dot": "dot",
    ".gv": "dot",
    ".svg": "svg",
    ".png": "png",
    ".html": "html",
    ".htm": "html",
}
FORMATS = tuple(dict.fromkeys(_BY_ENDING.values()))

EXAMPLES = """\b
Examples:
  trackdown graph Session.sign_cookie
  trackdown graph src/app.py:120 --edges invokes --direction in --depth 3
  trackdown graph QuerySet ~/src/django --edges inherits --how exact
  trackdown graph src/app.py --output graph.html
  trackdown graph QuerySet --edges inherits --output graph.svg
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
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=WALK_SECONDS,
    show_default=True,
    help="How long to look for edges; 0 for as long as it takes.",
)
@at_option
@click.option("--format", "style", type=click.Choice(FORMATS), help="The format. Default: by the suffix of --output.")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write to a file, and say what.")
def command(
    target: str,
    place: str,
    edges: str,
    depth: int,
    direction: Any,
    how: str,
    seconds: float,
    at: str | None,
    style: str | None,
    output: Path | None,
) -> None:
    """Show containment, imports, calls and inheritance around a place, in both directions.

    The place is a class or function by its name or the end of its name, a file, a line in a file, or a folder. HTML is
    one self-contained page to explore, SVG a picture; PNG needs rsvg-convert or Graphviz.
    """
    style = style or _style_of(output)
    written_to = None if output is None else place_to_save(output)
    if style == "png":
        _check_png(to_terminal=written_to is None and sys.stdout.isatty())
    (repository,) = open_all([place])
    repository.confined = False  # PATH says where to begin: whoever sits here has the whole repository
    with TerminalProgress(repository.source.name) as progress:
        answer = repository.graph(
            target, depth, _split(edges), direction, _split(how), at, seconds=seconds or None, progress=progress
        )
    if style != "json":
        print_notes(answer.notes)
    content = _written(answer, style, on_terminal=written_to is None and sys.stdout.isatty())
    if written_to is not None:
        from trackdown.surfaces.drawing import summary

        save(content, written_to)
        print(f"wrote {one_line(str(output))} as {style}: {summary(answer)}", file=sys.stderr)
    elif isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    else:
        sys.stdout.write(content)


def _style_of(output: Path | None) -> str:
    """The format that a file's ending stands for. Raises UsageError if it stands for none."""
    if output is None:
        return "text"
    style = _BY_ENDING.get(output.suffix.lower())
    if style is None:
        endings = ", ".join(ending for ending in _BY_ENDING if ending)
        raise UsageError(
            f"{one_line(output.name)}: no format has the ending {output.suffix}. Use {endings}, or --format"
        )
    return style


def _check_png(*, to_terminal: bool) -> None:
    from trackdown.surfaces.drawing import png_program

    if to_terminal:
        raise UsageError("a PNG is no text for a terminal: add --output FILE")
    png_program()


def _split(text: str) -> Any:
    return [part.strip() for part in text.split(",") if part.strip()]


def _written(answer: Neighbourhood, style: str, *, on_terminal: bool) -> str | bytes:
    if style == "text":
        from trackdown.surfaces.cli.graph_tree import tree_text

        return tree_text(answer, on_terminal=on_terminal)
    from trackdown.surfaces.drawing import as_document, as_dot, as_html, as_png, as_svg

    if style == "json":
        return json.dumps(as_document(answer), indent=2) + "\n"
    if style == "png":
        return as_png(answer)
    writers = {"dot": as_dot, "svg": as_svg, "html": as_html}
    return writers[style](answer)
