"""The engine behind every surface: open a repository, keep its indexes true, search it, explain the answer.

What only some callers need is loaded when it is first used: a search starts without the graph.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from trackdown.engine.modes import default_plan, list_model_sets, list_modes, with_mode
from trackdown.engine.prepare import Prepared
from trackdown.engine.rank import RankedPlace, rank
from trackdown.engine.repository import Repository, clear_everything, open
from trackdown.engine.several import search_all

if TYPE_CHECKING:
    from trackdown.engine.live import LiveIndex, LiveUpdate
    from trackdown.engine.neighbourhood import MOST_DEPTH, Neighbourhood
    from trackdown.engine.related import CoChange, Related
    from trackdown.engine.relations import Relative
    from trackdown.engine.shared import Place, SharedRepositories
    from trackdown.engine.turns import Load
    from trackdown.graph.edges import DIRECTIONS, EDGE_TYPES, HOWS, Direction, Edge, EdgeType, How, Node

_HOME = {
    "DIRECTIONS": "graph.edges",
    "EDGE_TYPES": "graph.edges",
    "HOWS": "graph.edges",
    "LiveIndex": "engine.live",
    "LiveUpdate": "engine.live",
    "MOST_DEPTH": "engine.neighbourhood",
    "CoChange": "engine.related",
    "Direction": "graph.edges",
    "Edge": "graph.edges",
    "EdgeType": "graph.edges",
    "How": "graph.edges",
    "Neighbourhood": "engine.neighbourhood",
    "Load": "engine.turns",
    "Node": "graph.edges",
    "Place": "engine.shared",
    "Related": "engine.related",
    "Relative": "engine.relations",
    "SharedRepositories": "engine.shared",
}

__all__ = [
    "DIRECTIONS",
    "EDGE_TYPES",
    "HOWS",
    "MOST_DEPTH",
    "CoChange",
    "Direction",
    "Edge",
    "EdgeType",
    "How",
    "LiveIndex",
    "LiveUpdate",
    "Load",
    "Neighbourhood",
    "Node",
    "Place",
    "Prepared",
    "RankedPlace",
    "Related",
    "Relative",
    "Repository",
    "SharedRepositories",
    "clear_everything",
    "default_plan",
    "list_model_sets",
    "list_modes",
    "open",
    "rank",
    "search_all",
    "with_mode",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'trackdown.engine' has no attribute {name!r}")
    return getattr(import_module(f"trackdown.{_HOME[name]}"), name)
