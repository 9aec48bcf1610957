"""Displays in scikit-learn's form, at a reference prior.

Each display is made by one of its constructors, such as ``from_predictions``, which plot it; its
attributes hold the numbers and the artists of matplotlib, such as ``line_``. Several displays are
drawn on one figure by passing ``ax=display.ax_``. Colours are those of the style of matplotlib;
line styles, markers and hatches distinguish the lines without colour. On a figure with a layout,
such as ``plt.subplots(layout="constrained")``, the legend is above the axes, where it hides
nothing, and ``ax_.set_title`` puts the title above it. ``ax_.legend()`` moves it into the axes.

They need matplotlib: ``pip install "calibrated-metrics[plots]"``.
"""

from calibrated_metrics.displays._curves import Band
from calibrated_metrics.displays.achievable import AchievableDisplay
from calibrated_metrics.displays.change import ChangeDisplay, Series
from calibrated_metrics.displays.precision_recall import PrecisionRecallDisplay
from calibrated_metrics.displays.precision_recall_gain import PrecisionRecallGainDisplay
from calibrated_metrics.displays.prior_sweep import PriorSweepDisplay, SweepCrossing
from calibrated_metrics.displays.threshold import ThresholdDisplay

__all__ = [
    "AchievableDisplay",
    "Band",
    "ChangeDisplay",
    "PrecisionRecallDisplay",
    "PrecisionRecallGainDisplay",
    "PriorSweepDisplay",
    "Series",
    "SweepCrossing",
    "ThresholdDisplay",
]
