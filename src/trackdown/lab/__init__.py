"""Offline work: measure retrieval on a repository's own history and on public benchmarks, and report it.

The library's API, after CodeRAG's harness:

from trackdown.lab import aggregate_by_mode, build_from_git, compare_modes, evaluate
"""

from trackdown.lab.aggregate import MeanResult, aggregate_by_mode, mean_results
from trackdown.lab.cases import Case, Place
from trackdown.lab.evaluate import compare_modes, evaluate
from trackdown.lab.evaluation import Evaluation
from trackdown.lab.mine.case_file import read_cases, write_cases
from trackdown.lab.mine.dataset import Mined, build_from_git

__all__ = [
    "Case",
    "Evaluation",
    "MeanResult",
    "Mined",
    "Place",
    "aggregate_by_mode",
    "build_from_git",
    "compare_modes",
    "evaluate",
    "mean_results",
    "read_cases",
    "write_cases",
]
