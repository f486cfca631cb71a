"""The graph of a program: contains, imports, invokes, inherits; and walks along them."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.graph.deadline import WALK_SECONDS, Deadline
    from trackdown.graph.edges import DIRECTIONS, EDGE_TYPES, HOWS, Direction, Edge, EdgeType, How, Node
    from trackdown.graph.graph import ROOT, Graph, resolution_notes
    from trackdown.graph.paths import shared_length
    from trackdown.graph.program import Definition
    from trackdown.graph.walks import MOST_NODES, walk
else:
    __getattr__ = door(__name__)
