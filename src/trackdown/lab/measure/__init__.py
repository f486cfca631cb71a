"""Rankings → numbers: one metric per file, intervals, and tests between two runs."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.lab.measure.calibration import CalibrationScores, calibration_scores
    from trackdown.lab.measure.metrics import JudgedRanking, judge, metric
    from trackdown.lab.measure.significance import bootstrap_interval, paired_permutation_test
    from trackdown.lab.measure.style.cssim import weights_from
    from trackdown.lab.measure.style.scores import StyleScores, style_scores
    from trackdown.lab.measure.style.snippet import (
        Snippet,
        check_packages,
        corpus_names,
        one_language,
        read_snippet,
        read_source,
    )
else:
    __getattr__ = door(__name__)
