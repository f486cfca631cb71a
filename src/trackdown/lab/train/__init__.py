"""Mined examples → weights: the encoder, the cross-encoder, the static table, fusion. Needs the extra `train`."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.lab.train.assessed_answers import AssessedAnswer, collect_answers
    from trackdown.lab.train.confidence import ConfidenceReport, fit_confidence, judge_confidence
    from trackdown.lab.train.evidence import EvidencePlan
    from trackdown.lab.train.export import export_folder
    from trackdown.lab.train.fusion import METRICS, JudgedFusion, train_fusion
    from trackdown.lab.train.model_training import train_ablations, train_models
    from trackdown.lab.train.questions import QUESTIONS, read_questions
    from trackdown.lab.train.ranker_training import RankerReport, train_ranker
    from trackdown.lab.train.repository_weights import FEWEST_CASES, MOST_CASES, WeightsReport, fit_weights
else:
    __getattr__ = door(__name__)
