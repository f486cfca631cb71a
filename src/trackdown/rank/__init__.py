"""Candidates ranked by what was learned from issues: features of candidates, and trees that score them."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.rank.features import FeatureTable, ModelValues, feature_table
    from trackdown.rank.pool import POOL, candidate_pool
    from trackdown.rank.ranker import Ranker, fitted_ranker, load_ranker, write_ranker
    from trackdown.rank.trees import NODE, Trees
else:
    __getattr__ = door(__name__)
