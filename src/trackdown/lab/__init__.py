"""Offline work: measure retrieval on a repository's own history and on public benchmarks, report it, train models.

The library's API, after CodeRAG's harness:

from trackdown.lab import aggregate_by_mode, build_from_git, compare_modes, evaluate

Names are loaded when they are first used: training runs where neither parsers nor a store are installed.
"""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.lab.cases import Case, CodeLocation, Protocol, read_cases, write_cases
    from trackdown.lab.clone import (
        UnitsAt,
        commit_times,
        enclosing,
        files_among,
        is_commit_id,
        present_commits,
        regular_files,
    )
    from trackdown.lab.comparison import compare_modes, evaluate
    from trackdown.lab.evaluations import (
        Evaluation,
        MeanResult,
        aggregate_by_mode,
        evaluation,
        mean_results,
        why_not_scored,
    )
    from trackdown.lab.gate_verdict import GateVerdict, verdict_lines
    from trackdown.lab.gating import ALPHA, gate
    from trackdown.lab.mine import MinedCases, build_from_git
    from trackdown.lab.repositories import (
        MinedRepository,
        check_allowed,
        find_repositories,
        find_repository,
        read_manifest,
        read_names,
    )
    from trackdown.lab.run import run_bench
    from trackdown.lab.run_plan import BenchPlan, plan, resolve_modes
    from trackdown.lab.runs import SCORE_DIGITS, Row, RunFile, by_mode, read_run, trec_lines, without_answer
    from trackdown.lab.summary import ALL_METRICS, summarise
    from trackdown.lab.tasks import Bench, Skipped, Task, bench_of_cases, joined
    from trackdown.lab.workers import PATIENCE, JobResult, end_with_parent, run_jobs
else:
    __getattr__ = door(__name__)
