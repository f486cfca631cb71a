"""The engine behind every surface: open a repository, keep its indexes true, search it, explain the answer."""

from trackdown.engine.modes import list_modes, options_of, with_mode
from trackdown.engine.neighbourhood import MOST_DEPTH, Neighbourhood
from trackdown.engine.prepare import Prepared
from trackdown.engine.rank import RankedPlace, rank
from trackdown.engine.related import CoChange, Related
from trackdown.engine.relations import Relative
from trackdown.engine.repository import Repository, clear_everything, open
from trackdown.engine.several import search_all
from trackdown.graph.edges import DIRECTIONS, EDGE_TYPES, HOWS, Direction, Edge, EdgeType, How, Node

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
    "Neighbourhood",
    "Node",
    "Prepared",
    "RankedPlace",
    "Related",
    "Relative",
    "Repository",
    "clear_everything",
    "list_modes",
    "open",
    "options_of",
    "rank",
    "search_all",
    "with_mode",
]
