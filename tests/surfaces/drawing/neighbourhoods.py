"""Neighbourhoods made by hand, small and large, tame and hostile."""

from __future__ import annotations

import random
from collections.abc import Sequence

from trackdown.engine import EDGE_TYPES, HOWS, Edge, EdgeType, How, Neighbourhood, Node
from trackdown.types import SnapshotInfo

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    '"><img src=x onerror=alert(3)>',
    "']];alert(4)//",
    '"]; evil [label="x',
    "back\\slash\\",
    "\\N \\n \\l",
    "&lt;b&gt; &amp; <b>",
    "\x1b[31mred\x07",
    "\u202egnorw\u2066",
    "line\u2028break\u2029end",
    "lone \udcff surrogate",
    "-->",
    "<!--",
    "]]>",
    "漢字 ünïcödé 🙂",
    "new\nline\ttab",
    "<TABLE>",
    "",
)


def function(symbol: str, path: str = "a.py", line: int = 1) -> Node:
    return Node("function", path, symbol, line, line + 2)


def made(
    starts: Sequence[Node], links: Sequence[tuple[Node, EdgeType, How, Node]], *, notes: Sequence[str] = ()
) -> Neighbourhood:
    """A neighbourhood of these edges."""
    edges = tuple(Edge(source, target, type_, how) for source, type_, how, target in links)
    nodes = dict.fromkeys([*starts, *(end for edge in edges for end in (edge.source, edge.target))])
    info = SnapshotInfo("shop", "0123456789abcdef", False)
    return Neighbourhood("made", tuple(starts), tuple(nodes), edges, False, (info,), tuple(notes))


def hostile() -> Neighbourhood:
    """Every name tries to break out of what it stands in."""
    start = Node("file", f"{HOSTILE[0]}.py")
    links: list[tuple[Node, EdgeType, How, Node]] = [
        (start, "contains", "exact", Node("class", f"{bad}/x.py", f"C{bad}", number + 1, number + 2))
        for number, bad in enumerate(HOSTILE)
    ]
    return made([start], links, notes=HOSTILE)


def grown(size: int, seed: int = 1, starts: int = 1) -> Neighbourhood:
    """A random graph that hangs together, with cycles, parallel edges and names of many lengths."""
    source = random.Random(seed)
    words = ["load", "Session", "a_rather_long_name_of_something", "x", "漢字の名前"]
    nodes = []
    for number in range(size):
        symbol = ".".join(source.choices(words, k=source.randint(1, 4)))
        nodes.append(function(symbol, f"{'sub/' * source.randint(0, 9)}m{number % 9}.py", number))
    links: list[tuple[Node, EdgeType, How, Node]] = []
    for number in range(starts, size):
        other = nodes[source.randrange(max(1, number // 3))]
        ends = (other, nodes[number]) if source.random() < 0.6 else (nodes[number], other)
        links.append((ends[0], source.choice(EDGE_TYPES), source.choice(HOWS), ends[1]))
    for _ in range(size // 2):
        one, two = source.sample(nodes, 2) if size > 1 else (nodes[0], nodes[0])
        if one != two:
            links.append((one, source.choice(EDGE_TYPES), source.choice(HOWS), two))
    return made(nodes[:starts], list(dict.fromkeys(links)))
