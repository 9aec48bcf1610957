"""Precision, recall and alerts of a ranking against the threshold."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrated_metrics import scores
from calibrated_metrics._numbers import FloatArray, all_digits
from calibrated_metrics.confusion import ConfusionCurve, CurveLike
from calibrated_metrics.confusion.data import as_curve
from calibrated_metrics.displays.base import Display
from calibrated_metrics.displays.constructors import RankingDisplay
from calibrated_metrics.displays.drawing import (
    Band,
    draw_band,
    guide_look,
    include,
    of_label,
    prior_text,
    set_log_if_low,
    set_ylabel,
    shown,
)
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.thresholds import OperatingPoint
from calibrated_metrics.thresholds.point import shown_limit
from calibrated_metrics.uncertainty import Estimate
from calibrated_metrics.uncertainty.interval import intervals_along
from calibrated_metrics.uncertainty.prior import PriorLike, ReferencePrior

if TYPE_CHECKING:
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

__all__ = ["ThresholdDisplay"]

_N_THRESHOLDS = 150
_N_LIMITS = 60
_STATEMENT_WIDTH = 30  # characters


@dataclass(eq=False, repr=False)
class ThresholdDisplay(RankingDisplay, Display):
    """Precision, recall and alerts against the threshold, at a reference prior.

    A chosen `OperatingPoint` is shown with its guarantee: bars reach down to the certified lower
    limits, which account for the choice of the threshold on the same data. The bands do not account
    for it; they are intervals at each threshold. The artists are the lists `line_`, `band_`,
    `threshold_` and `point_`, on `ax_` and, for the alerts, `alerts_ax_`.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Ascending. A score ``>= threshold`` is predicted positive.
    precision, recall, alerts_per_1000 : ndarray of shape (n_thresholds,)
        At the reference prior; alerts are cases that are predicted positive.
    pi0, pi0_range : float in (0, 1) or None, tuple (low, high) or None
        Reference prior, or a range; the other one is None. For a range, precision is shown at its
        lower end and alerts at its upper end.
    point : OperatingPoint, default=None
        The chosen threshold, a result of `thresholds.choose_threshold`.
    bands : dict of str to Band, optional
        Pointwise limits of "precision" and "recall" by threshold.
    pos_label : object, default=None
        Label of the positives, named on the axis if it is not 1.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import ConfusionCurve
    >>> from calibrated_metrics.displays import ThresholdDisplay
    >>> from calibrated_metrics.thresholds import choose_threshold
    >>> y_true = np.arange(30_000) < 300
    >>> y_score = np.random.default_rng(0).normal(3 * y_true)
    >>> curve = ConfusionCurve.from_predictions(y_true, y_score)
    >>> point = choose_threshold(curve, pi0=0.004, min_precision=0.3, confidence_level=0.9)
    >>> print(ThresholdDisplay.from_curve(curve, point=point).statement)
    score ≥ 2.566: precision ≥ 0.3 at π$_0$ = 0.004, certified at 90 %
    """

    thresholds: FloatArray
    precision: FloatArray
    recall: FloatArray
    alerts_per_1000: FloatArray
    _: KW_ONLY
    pi0: float | None = None
    pi0_range: tuple[float, float] | None = None
    point: OperatingPoint | None = None
    bands: Mapping[str, Band] = field(default_factory=dict)
    pos_label: Any = field(default=None, compare=False)

    @classmethod
    def from_curve(
        cls,
        curve: CurveLike,
        *,
        point: OperatingPoint | None = None,
        pi0: float | Estimate | None = None,
        pi0_range: tuple[float, float] | None = None,
        pos_label: Any = None,
        confidence_level: float | None = 0.95,
        **options: Any,
    ) -> Self:
        """Plot a curve and a threshold that was chosen on it.

        Parameters
        ----------
        curve : ConfusionCurve or pair (y_true, y_score)
            A curve with counts at any threshold, such as a curve of rows.
        point : OperatingPoint, default=None
            Result of `thresholds.choose_threshold`.
        pi0, pi0_range
            Reference prior, or a range of priors, as for `thresholds.choose_threshold`. None: that
            of `point`, or without a point that of the curve. The error of an `Estimate` is part of
            the band of precision.
        pos_label : scalar, default=None
            Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.
        confidence_level : float in (0, 1) or None, default=0.95
            Level of the pointwise bands. None: no bands.
        **options : arguments of `plot`
        """
        curve = as_curve("curve", curve, pos_label)
        prior = _prior_of(curve, point, pi0, pi0_range)
        given = prior.estimate
        of_precision: PriorLike = given if isinstance(given, Estimate) else prior.low
        if pi0 is None and of_precision == curve.prior:
            of_precision = None  # it is estimated unless the curve knows it
        thresholds = _thresholds_of(curve, point)
        matrices = curve.confusion_matrix(thresholds)
        at_low, at_high = matrices.at_prior(prior.low), matrices.at_prior(prior.high)
        return cls(
            thresholds,
            np.asarray(scores.precision(at_low)),
            np.asarray(scores.recall(at_low)),
            1000 * np.asarray(scores.alert_rate(at_high)),
            pi0=prior.value if prior.low == prior.high else None,
            pi0_range=None if prior.low == prior.high else (prior.low, prior.high),
            point=point,
            pos_label=curve.pos_label,
            bands={}
            if confidence_level is None
            else {
                metric: _band_of(metric, curve, of_precision, thresholds, confidence_level)
                for metric in ("precision", "recall")
            },
        ).plot(**options)

    @property
    def statement(self) -> str | None:
        """Human-readable statement of what is certified at the chosen threshold."""
        if self.point is None:
            return None
        goal = self.point.goal.replace(">=", "≥").replace("<=", "≤").replace("pi0", "π$_0$")
        level = self.point.confidence_level
        at_level = "" if level is None else f" at {100 * level:.6g} %"
        if self.point.threshold is None:
            certified = at_level and f" is certified{at_level}"
            return f"no threshold{certified}: {goal}"
        goal, score = goal.replace(", at", " at"), f"score ≥ {all_digits(self.point.threshold)}"
        if not self.point.certified:
            return f"{score}: {goal}, without a guarantee"
        optimised, _, constraints = goal.rpartition(", with ")
        statement = f"{score}: {constraints}, {_bound(self.point)}certified{at_level}"
        return f"{statement}; {optimised}, without a guarantee" if optimised else statement

    @property
    def _n_panels(self) -> int:
        return 2

    @property
    def _title_of_legend(self) -> str | None:
        found_none = self.point is not None and self.point.threshold is None
        return _filled(self.statement) if found_none else None

    def _draw(self, name: str | None, style: dict[str, Any]) -> None:
        self.alerts_ax_ = self.axes_[1] if len(self.axes_) > 1 else None
        set_log_if_low(self.ax_, [(self.recall, self.precision)])
        include(self.ax_, (self.thresholds[0], 0), (self.thresholds[-1], 1))
        self.ax_.set_ylabel("precision, recall")
        self.axes_[-1].set_xlabel(of_label("threshold", self.pos_label))
        self._draw_lines(name, style)
        self._draw_point()

    def _draw_lines(self, name: str | None, given: Mapping[str, Any]) -> None:
        """One colour for the model, and a line style for each quantity."""
        ends: Any = self.pi0_range or (self.pi0, self.pi0)  # one of the two is given
        low, high = ends
        prefix = "" if name is None else f"{shown(name)}: "
        style: dict[str, Any] = {"drawstyle": "steps-pre", **given}
        label = f"{prefix}precision at {prior_text(low)}"
        self.line_ = self.ax_.plot(self.thresholds, self.precision, **{"label": label, **style})
        style["color"] = self.line_[0].get_color()
        dashed = {"linestyle": "--", "label": f"{prefix}recall"}
        self.line_ += self.ax_.plot(self.thresholds, self.recall, **{**style, **dashed})
        bands_of_lines = zip(self.bands.values(), self.line_, strict=False)
        self.band_ = [draw_band(self.ax_, *each) for each in bands_of_lines]
        if self.alerts_ax_ is not None:
            self.alerts_ax_.set_yscale("log")
            self.alerts_ax_.yaxis.set_major_formatter("{x:g}")
            label = f"alerts per 1000\nat {prior_text(high)}"
            set_ylabel(self.alerts_ax_, label, "alerts per 1000")
            self.line_ += self.alerts_ax_.plot(self.thresholds, self.alerts_per_1000, **style)

    def _draw_point(self) -> None:
        self.threshold_: list[Line2D] = []
        self.point_: list[ErrorbarContainer] = []
        point = self.point
        if point is None or point.threshold is None:
            return
        self.threshold_ = [ax.axvline(point.threshold, **guide_look(ax)) for ax in self.axes_]
        self.threshold_[0].set_label(_filled(self.statement))
        look: dict[str, Any] = {"fmt": "o", "markersize": 5, "capsize": 3, "zorder": 4}
        look["color"] = self.line_[0].get_color()
        pairs = (point.precision, point.precision_low), (point.recall, point.recall_low)
        for value, low in pairs:
            below = np.fmax([[value - low], [0.0]], 0.0)  # 0 if no limit is certified
            self.point_.append(self.ax_.errorbar(point.threshold, value, below, **look))


def _filled(statement: str | None) -> str:
    return textwrap.fill(statement or "", _STATEMENT_WIDTH)


def _bound(point: OperatingPoint) -> str:
    """The certified limit of an objective; empty for a constraint, which states its limit."""
    if math.isnan(point.value_limit):
        return ""
    return f"value {' '.join(shown_limit(point.value, point.value_limit, 3))} "


def _prior_of(
    curve: ConfusionCurve, point: OperatingPoint | None, pi0: Any, pi0_range: Any
) -> ReferencePrior:
    if point is None:
        own = pi0 is None and pi0_range is None
        return ReferencePrior.of(curve.prior if own else pi0, pi0_range)
    if not isinstance(point, OperatingPoint):
        raise TypeError(f"point must be None or an OperatingPoint, got {point!r}")
    if pi0 is not None or pi0_range is not None:
        raise ValueError(
            "pi0 and pi0_range must be None with a point, whose guarantee holds at its prior, got "
            f"{pi0} and {pi0_range}"
        )
    return ReferencePrior.of(point.pi0, point.pi0_range)


def _thresholds_of(curve: ConfusionCurve, point: OperatingPoint | None) -> FloatArray:
    """Thresholds of the lines: equally spaced, by the number of alerts, and the chosen one."""
    known = curve.thresholds[1:]
    if np.isnan(known).any():
        raise ValueError("curve must have known thresholds, got NaN: build it from scores")
    by_alerts = np.unique(np.geomspace(1, len(known), _N_THRESHOLDS).astype(int)) - 1
    chosen = [] if point is None or point.threshold is None else [point.threshold]
    return np.unique(
        np.concatenate([known[by_alerts], np.linspace(known[-1], known[0], _N_THRESHOLDS), chosen])
    )


def _band_of(
    metric: str, curve: ConfusionCurve, pi0: Any, thresholds: FloatArray, level: float
) -> Band:
    """Intervals at some of the thresholds."""
    some = thresholds[np.unique(np.linspace(0, len(thresholds) - 1, _N_LIMITS).astype(int))]
    asked = [Metric(metric, threshold=float(threshold)) for threshold in some]
    return Band.of(some, intervals_along(asked, curve, level, pi0))
