"""The engine behind every surface: open a repository, keep its indexes up to date, search it, explain the answer.

Parts that only some callers need, such as the graph, are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from trackdown.engine.opening import clear_everything, open
from trackdown.engine.repository import Repository
from trackdown.engine.searching.merge import search_all
from trackdown.engine.searching.modes import default_plan, list_model_sets, list_modes, with_mode
from trackdown.engine.searching.ranking import RankedPlace, rank
from trackdown.index.corpus import Corpus

if TYPE_CHECKING:
    from trackdown.engine.navigation.neighbourhoods import MOST_DEPTH, Neighbourhood
    from trackdown.engine.navigation.related import CoChange, Related
    from trackdown.engine.navigation.relations import Relative
    from trackdown.engine.serving.fair_queue import Load
    from trackdown.engine.serving.live import LiveIndex, LiveUpdate
    from trackdown.engine.serving.shared import ServedInfo, SharedRepositories
    from trackdown.graph.edges import DIRECTIONS, EDGE_TYPES, HOWS, Direction, Edge, EdgeType, How, Node

_HOME = {
    "DIRECTIONS": "graph.edges",
    "EDGE_TYPES": "graph.edges",
    "HOWS": "graph.edges",
    "LiveIndex": "engine.serving.live",
    "LiveUpdate": "engine.serving.live",
    "MOST_DEPTH": "engine.navigation.neighbourhoods",
    "CoChange": "engine.navigation.related",
    "Direction": "graph.edges",
    "Edge": "graph.edges",
    "EdgeType": "graph.edges",
    "How": "graph.edges",
    "Neighbourhood": "engine.navigation.neighbourhoods",
    "Load": "engine.serving.fair_queue",
    "Node": "graph.edges",
    "ServedInfo": "engine.serving.shared",
    "Related": "engine.navigation.related",
    "Relative": "engine.navigation.relations",
    "SharedRepositories": "engine.serving.shared",
}

__all__ = [
    "DIRECTIONS",
    "EDGE_TYPES",
    "HOWS",
    "MOST_DEPTH",
    "CoChange",
    "Corpus",
    "Direction",
    "Edge",
    "EdgeType",
    "How",
    "LiveIndex",
    "LiveUpdate",
    "Load",
    "Neighbourhood",
    "Node",
    "RankedPlace",
    "Related",
    "Relative",
    "Repository",
    "ServedInfo",
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
