"""Histories → cases to measure with, and files to train on: which commits count, and what they edited."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.lab.mine.archives.files import Archive
    from trackdown.lab.mine.archives.issue import seconds_of
    from trackdown.lab.mine.archives.registry import adapter_named
    from trackdown.lab.mine.dataset import MINED, MinedCases, build_from_git
    from trackdown.lab.mine.harvest import HarvestLimits
    from trackdown.lab.mine.issue_writer import IssueWriter
    from trackdown.lab.mine.issues import IssueCases, issue_cases, write_issue_cases
    from trackdown.lab.mine.matching.matcher import match_archive
    from trackdown.lab.mine.matching.plan import MatchPlan, MatchReport
    from trackdown.lab.mine.parquet_table import check_pyarrow, read_about
    from trackdown.lab.mine.training import MiningJob, MiningPlan, MiningReport, mine_all, read_rewritten
    from trackdown.lab.mine.truth import edited_by_patch
else:
    __getattr__ = door(__name__)
