"""Mined examples and issues → what the package ships: models, the ranker's trees, the calibration of confidence."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.lab.train.assessed_answers import AssessedAnswer, collect_answers
    from trackdown.lab.train.candidate_collection import CandidateReport, collect_candidates
    from trackdown.lab.train.confidence import ConfidenceReport, fit_confidence, judge_confidence
    from trackdown.lab.train.export import export_folder
    from trackdown.lab.train.judge import MEASURES, judge_models
    from trackdown.lab.train.mean import mean_of_runs
    from trackdown.lab.train.packing import Packed, pack_training
    from trackdown.lab.train.questions import QUESTIONS, read_questions
    from trackdown.lab.train.ranker_training import RankerReport, train_ranker
    from trackdown.lab.train.recipe import train_models
    from trackdown.lab.train.training_plan import plan_options
else:
    __getattr__ = door(__name__)
