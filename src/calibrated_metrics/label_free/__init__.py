"""Metrics and class priors of rows without labels (see ``docs/how-to/without-labels.md``).

`estimate_prior` and `estimate` need labelled rows of an earlier period, and assume that only
the class ratio changed (label shift). `expected` needs calibrated probabilities instead.
"""

from calibrated_metrics.label_free.expected import expected
from calibrated_metrics.label_free.shift import LabelShiftTest
from calibrated_metrics.label_free.unlabelled import (
    EstimatedPrior,
    LabelFreeEstimate,
    estimate,
    estimate_prior,
)

__all__ = [
    "EstimatedPrior",
    "LabelFreeEstimate",
    "LabelShiftTest",
    "estimate",
    "estimate_prior",
    "expected",
]
