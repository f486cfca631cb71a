"""Offline work: measure retrieval on a repository's own history and on public benchmarks, report it, train models.

The library's API, after CodeRAG's harness:

from trackdown.lab import aggregate_by_mode, build_from_git, compare_modes, evaluate

Names are loaded when they are first used: training runs where neither parsers nor a store are installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trackdown.lab.cases import Case, CodeLocation, read_cases, write_cases
    from trackdown.lab.comparison import compare_modes, evaluate
    from trackdown.lab.evaluation import Evaluation, MeanResult, aggregate_by_mode, mean_results
    from trackdown.lab.mine.dataset import MinedCases, build_from_git

_HOME = {
    "Case": "cases",
    "Evaluation": "evaluation",
    "MeanResult": "evaluation",
    "MinedCases": "mine.dataset",
    "CodeLocation": "cases",
    "aggregate_by_mode": "evaluation",
    "build_from_git": "mine.dataset",
    "compare_modes": "comparison",
    "evaluate": "comparison",
    "mean_results": "evaluation",
    "read_cases": "cases",
    "write_cases": "cases",
}

__all__ = [
    "Case",
    "CodeLocation",
    "Evaluation",
    "MeanResult",
    "MinedCases",
    "aggregate_by_mode",
    "build_from_git",
    "compare_modes",
    "evaluate",
    "mean_results",
    "read_cases",
    "write_cases",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'trackdown.lab' has no attribute {name!r}")
    return getattr(import_module(f"trackdown.lab.{_HOME[name]}"), name)
