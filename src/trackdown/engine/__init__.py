"""The engine behind every surface: open a repository, keep its indexes up to date, search it, explain the answer.

Parts that only some callers need, such as the graph, are loaded when they are first used.
"""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.engine.health.data_checks import check_data
    from trackdown.engine.health.health_check import HealthCheck
    from trackdown.engine.health.program_checks import check_program
    from trackdown.engine.health.repository_checks import check_repository, check_trackers
    from trackdown.engine.impact.impact import Change
    from trackdown.engine.indexing.exporting import export_index
    from trackdown.engine.indexing.importing import import_index
    from trackdown.engine.issues.fetch_issue import IssueText, fetch_issue, names_issue
    from trackdown.engine.llm.configured import (
        WITHOUT_LLM,
        asking,
        has_llm,
        list_llms,
        llm_cost,
        llm_ended,
        llm_name,
        open_llm,
    )
    from trackdown.engine.llm.few_shot import CodeExample, read_pairs
    from trackdown.engine.llm.pregenerated import Pregenerated
    from trackdown.engine.llm.rewrite_units import RewriteReport, take_rewrites
    from trackdown.engine.navigation.examples import Example
    from trackdown.engine.navigation.neighbourhoods import MOST_DEPTH, Neighbourhood
    from trackdown.engine.navigation.related import Related
    from trackdown.engine.navigation.relations import Relative
    from trackdown.engine.opening import clear_everything, open
    from trackdown.engine.past.blame import Blame, BlamedCommit, BlamedLines
    from trackdown.engine.past.changed_units import ChangedUnit
    from trackdown.engine.past.co_changes import CoChange
    from trackdown.engine.past.commit_report import MOST_DIFF_LINES, ChangedFile, CommitReport
    from trackdown.engine.past.past_commits import HistoryLimits, HistoryRequest
    from trackdown.engine.project_settings import settings_of
    from trackdown.engine.repository import Repository
    from trackdown.engine.searching.evidence import (
        AnswerEvidence,
        CandidateFeatures,
        ReadableCandidates,
        answer_evidence,
        candidate_features,
        readable_candidates,
        speaking_models,
    )
    from trackdown.engine.searching.filters import checked_languages
    from trackdown.engine.searching.merge import (
        heard_with,
        merged,
        merged_history,
        repository_names,
        search_all,
        under_name,
    )
    from trackdown.engine.searching.modes import (
        SWITCHES,
        check_ranker,
        default_plan,
        list_model_sets,
        list_modes,
        with_mode,
    )
    from trackdown.engine.searching.ranking import RankedPlace, rank
    from trackdown.engine.serving.calls import Call, CallOptions
    from trackdown.engine.serving.deep_keeper import DeepKeeper, DeepTarget
    from trackdown.engine.serving.fair_queue import Load
    from trackdown.engine.serving.live import LiveIndex, LiveUpdate
    from trackdown.engine.serving.named_repositories import ServedInfo
    from trackdown.engine.serving.served_repository import ServedRepository
    from trackdown.engine.serving.shared_repositories import SharedRepositories
    from trackdown.graph import DIRECTIONS, EDGE_TYPES, HOWS, WALK_SECONDS, Direction, Edge, EdgeType, How, Node
    from trackdown.index import Corpus
else:
    __getattr__ = door(__name__)
