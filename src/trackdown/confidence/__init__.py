"""How likely an answer is right: its features, a calibrated probability, and a verdict in words."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.confidence.calibration import Calibration, LogisticModel, calibration_of, load_calibration
    from trackdown.confidence.features import ANSWER_FEATURES, RESULT_FEATURES, AnswerSigns, answer_signs
    from trackdown.confidence.verdict import NOTHING, Assessment, assess, listed
else:
    __getattr__ = door(__name__)
