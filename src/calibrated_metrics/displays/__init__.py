"""Displays in scikit-learn's form, at a reference prior.

A constructor such as ``from_predictions`` creates a display and plots it. A display can also be
created from the arrays of a stored result and plotted by its method ``plot``. Its attributes are
the numbers and the matplotlib artists, which can be changed further. Pass ``ax=display.ax_`` to
draw several displays on one figure. They need matplotlib: ``pip install ".[plots]"`` in a copy of
the repository.
"""

from calibrated_metrics.displays.change import ChangeDisplay
from calibrated_metrics.displays.decisions import DecisionCurveDisplay
from calibrated_metrics.displays.drawing import Band
from calibrated_metrics.displays.groups import GroupsDisplay
from calibrated_metrics.displays.period_tables import Series
from calibrated_metrics.displays.precision_recall import PrecisionRecallDisplay
from calibrated_metrics.displays.precision_recall_gain import PrecisionRecallGainDisplay
from calibrated_metrics.displays.prior_sweep import PriorSweepDisplay, SweepCrossing
from calibrated_metrics.displays.roc import RocCurveDisplay
from calibrated_metrics.displays.threshold import ThresholdDisplay

__all__ = [
    "Band",
    "ChangeDisplay",
    "DecisionCurveDisplay",
    "GroupsDisplay",
    "PrecisionRecallDisplay",
    "PrecisionRecallGainDisplay",
    "PriorSweepDisplay",
    "RocCurveDisplay",
    "Series",
    "SweepCrossing",
    "ThresholdDisplay",
]
