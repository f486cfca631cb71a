"""A neighbourhood as a tree of text: coloured on a terminal, plain elsewhere."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from trackdown.engine import Neighbourhood
from trackdown.surfaces.drawing import ARROWS, Branch, as_tree, name_of, place_of

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

_NO_EDGE = 10_000
_MOST_ON_TERMINAL = 40
_STYLES = {"contains": "dim", "imports": "green", "invokes": "blue", "inherits": "yellow"}
AGAIN = "↺"


def tree_text(answer: Neighbourhood, *, on_terminal: bool) -> str:
    """The text with a line's end. `↺` marks what is unfolded elsewhere in it.

    A terminal shows at most 40 branches of a place and says how many there are; a pipe gets all.
    """
    from rich.console import Console

    stream = io.StringIO()
    width = None if on_terminal else _NO_EDGE
    console = Console(file=stream, force_terminal=on_terminal, width=width, highlight=False, markup=False, emoji=False)
    for root in as_tree(answer):
        console.print(_grown(root, _MOST_ON_TERMINAL if on_terminal else _NO_EDGE))
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n"))


def _grown(branch: Branch, most: int) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(_line(branch), guide_style="dim", highlight=False)
    growing = [(tree, branch)]
    while growing:
        above, shown = growing.pop()
        growing += [(above.add(_line(one)), one) for one in shown.branches[:most]]
        if len(shown.branches) > most:
            above.add(Text(f"… and {len(shown.branches) - most} more (a pipe or JSON shows all)", "dim"))
    return tree


def _line(branch: Branch) -> Text:
    from rich.text import Text

    line = Text()
    if branch.edges:
        line.append(f"{ARROWS['out' if branch.outward else 'in']} ")
        for number, edge in enumerate(branch.edges):
            line.append(", " if number else "")
            line.append(edge.type, _STYLES[edge.type])
            line.append(f" {edge.how}", "dim")
        line.append("  ")
    if branch.node.symbol:
        line.append(f"{name_of(branch.node)}  ", "bold")
    line.append(place_of(branch.node), "cyan" if branch.node.symbol else "bold cyan")
    if branch.again:
        line.append(f"  {AGAIN}", "magenta")
    return line
