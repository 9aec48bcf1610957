"""Precision, recall and alerts of a ranking against the threshold."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrated_metrics import scores
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.asked import Settings
from calibrated_metrics._intervals.estimate import Estimate
from calibrated_metrics._thresholds.priors import Prior, Priors, reported_priors, shown
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays._axes import (
    Style,
    Styles,
    axes_of,
    draw_band,
    draw_curve,
    draw_legend,
    guide_look,
    include,
    joined_statements,
    name_axis,
    prior_in_words,
    second_axes,
    shown_name,
    styles_of,
)
from calibrated_metrics.displays._curves import Band
from calibrated_metrics.displays._inputs import Ranking
from calibrated_metrics.displays._rankings import OfRanking
from calibrated_metrics.registry import THRESHOLD, Metric
from calibrated_metrics.thresholds import OperatingPoint

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["ThresholdDisplay"]

_QUANTITIES = ("precision", "recall", "alerts per 1000")
_WITH_BAND = ("precision", "recall")
_N_THRESHOLDS = 150
_N_LIMITS = 120
_STATEMENT_WIDTH = 48  # characters


class ThresholdDisplay(OfRanking):
    """Precision, recall and alerts against the threshold, at a reference prior.

    A chosen `OperatingPoint` is shown with its guarantee. Use `from_predictions`, `from_estimator`
    or `from_curve`.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Ascending. A score ``>= threshold`` is predicted positive.
    precision, recall, alerts_per_1000 : ndarray of shape (n_thresholds,)
        At the reference prior; alerts are cases that are predicted positive.
    pi0 : float in (0, 1) or tuple (low, high)
        Reference prior. For a range, precision is that at its lower end and alerts are those at
        its upper end.
    point : OperatingPoint, default=None
        The chosen threshold.
    name : str, default=None
        Name of the model in the legend.
    bands : dict of str to Band, default=None
        Pointwise limits of "precision" and "recall" by threshold.

    Attributes
    ----------
    thresholds, precision, recall, alerts_per_1000, pi0, point, bands
        As given.
    line_ : list of matplotlib Line2D
        Precision, recall and alerts.
    band_ : list of matplotlib FillBetweenPolyCollection
    point_ : list of matplotlib artists
        The line at the chosen threshold, its markers and its lower confidence limits.
    ax_, alerts_ax_, figure_ : matplotlib Axes of precision and recall, Axes of alerts, and Figure

    See Also
    --------
    calibrated_metrics.thresholds.choose_threshold : Chooses the `point`.

    Notes
    -----
    The band is pointwise: at each threshold, the interval of `uncertainty.interval` of precision
    and of recall, which does not allow for choosing the threshold on the same data. The guarantee
    of `point` allows for it. Bars below the markers of the point reach to its `precision_low` and
    `recall_low`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from calibrated_metrics import ConfusionCurve
    >>> from calibrated_metrics.displays import ThresholdDisplay
    >>> from calibrated_metrics.thresholds import choose_threshold
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(30_000) < 300
    >>> curve = ConfusionCurve.from_predictions(y_true, rng.normal(3 * y_true))
    >>> point = choose_threshold(curve, pi0=0.004, min_precision=0.3)
    >>> display = ThresholdDisplay.from_curve(curve, point=point)
    >>> print(display.statement)
    score ≥ 2.57: precision ≥ 0.3 at π$_0$ = 0.004, certified at 90 %
    >>> plt.close(display.figure_)
    """

    line_: list[Line2D]
    band_: list[FillBetweenPolyCollection]
    point_: list[Artist]
    ax_: Axes
    alerts_ax_: Axes
    figure_: Figure | SubFigure

    def __init__(
        self,
        thresholds: FloatArray,
        precision: FloatArray,
        recall: FloatArray,
        alerts_per_1000: FloatArray,
        *,
        pi0: float | tuple[float, float],
        point: OperatingPoint | None = None,
        name: str | None = None,
        bands: Mapping[str, Band] | None = None,
    ):
        self.thresholds, self.precision, self.recall = thresholds, precision, recall
        self.alerts_per_1000, self.pi0, self.point = alerts_per_1000, pi0, point
        self.name, self.bands = name, dict(bands or {})

    # --------------------------------------------------------------------------- constructors

    @classmethod
    def from_curve(
        cls,
        curve: ConfusionCurve,
        *,
        point: OperatingPoint | None = None,
        pi0: Prior | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        confidence_level: float | None = 0.95,
        curve_kwargs: Styles = None,
        **plot_options: Any,
    ) -> Self:
        """Plot a curve and a threshold that was chosen on it.

        Parameters
        ----------
        curve : ConfusionCurve
            From labelled scores or from counts: it must know its counts at any threshold.
        point : OperatingPoint, default=None
            Result of `thresholds.choose_threshold`.
        pi0 : None, float in (0, 1), tuple (low, high) or Estimate, default=None
            Reference prior, also called prevalence. None is the prior of `point`, or without a
            point that of the curve. The error of an `Estimate` is part of the bands.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a new figure.
        confidence_level : float in (0, 1) or None, default=0.95
            Level of the pointwise bands. None draws no bands.
        curve_kwargs : dict or list of three dicts, default=None
            Style of all lines, or of precision, recall and alerts.
        **plot_options
            Further arguments of `plot`.

        Returns
        -------
        The display, which has been plotted.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            For arguments outside their range, a curve whose thresholds or counts are unknown, or
            a `pi0` that is not that of `point`.
        """
        return cls._drawn(
            Ranking(curve),
            point=point,
            pi0=pi0,
            name=name,
            ax=ax,
            confidence_level=confidence_level,
            curve_kwargs=curve_kwargs,
            **plot_options,
        )

    @classmethod
    def _drawn(
        cls,
        ranking: Ranking,
        *,
        pi0: Prior | None,
        name: str | None,
        ax: Axes | None = None,
        point: OperatingPoint | None = None,
        confidence_level: float | None = 0.95,
        **plot_options: Any,
    ) -> Self:
        prior = _prior_of(ranking.curve, point, pi0)
        priors = reported_priors(prior)
        thresholds = _thresholds_of(ranking.curve, point)
        matrices = ranking.curve.confusion_matrix(thresholds)
        at_low, at_high = matrices.at_prior(priors.low), matrices.at_prior(priors.high)
        bands = {}
        if confidence_level is not None:
            settings = Settings.of(confidence_level, "auto", 2, None)
            of_precision = priors.low if isinstance(prior, tuple) else prior
            bands = {
                score: _band_of(ranking, score, of_precision, thresholds, settings)
                for score in _WITH_BAND
            }
        display = cls(
            thresholds,
            np.asarray(scores.precision(at_low)),
            np.asarray(scores.recall(at_low)),
            np.asarray(1000 * (at_high.tp + at_high.fp) / (at_high.n_pos + at_high.n_neg)),
            pi0=(priors.low, priors.high) if isinstance(prior, tuple) else priors.low,
            point=point,
            name=name,
            bands=bands,
        )
        return display.plot(ax, **plot_options)

    # ------------------------------------------------------------------------------- drawing

    @property
    def statement(self) -> str | None:
        """What is certified at the chosen threshold, in words."""
        if self.point is None:
            return None
        goal = self.point.goal.replace(">=", "≥").replace("<=", "≤").replace("pi0", "π$_0$")
        level = self.point.confidence_level
        at_level = "" if level is None else f" at {100 * level:.6g} %"
        if self.point.threshold is None:
            return f"no threshold: {goal} cannot be certified{at_level}"
        chosen = f"score ≥ {self.point.threshold:.3g}: {goal.replace(', at', ' at')}"
        if not self.point.certified:
            return f"{chosen}, without a guarantee"
        return f"{chosen}, {_bound(self.point)}certified{at_level}"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Styles = None,
        band_kwargs: Style | None = None,
        point_kwargs: Style | None = None,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on, such as `ax_` of another display. None makes a new figure. Alerts have
            a logarithmic ordinate on the right, which all displays on these axes share.
        name : str, default=None
            Name in the legend; None is the `name` of the display.
        curve_kwargs : dict or list of three dicts, default=None
            Style of all lines, or of precision, recall and alerts: keywords of ``Axes.plot``.
        band_kwargs : dict, default=None
            Style of the bands: keywords of ``Axes.fill_between``.
        point_kwargs : dict, default=None
            Style of the line at the chosen threshold: keywords of ``Axes.axvline``.

        Returns
        -------
        The display.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            For arguments of another type, or a list of styles of another length.
        """
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        name_axis(self.ax_, "x", "threshold")
        self.alerts_ax_ = second_axes(self.ax_)
        self.alerts_ax_.set_yscale("log")
        low, high = map(prior_in_words, self._priors)
        name_axis(self.alerts_ax_, "y", "alerts per 1000", None if low == high else high)
        name_axis(self.ax_, "y", "precision, recall", low)
        include(self.ax_, (self.thresholds[0], 0), (self.thresholds[-1], 1))
        self.line_ = self._draw_lines(self.name if name is None else name, curve_kwargs)
        self.band_ = [
            draw_band(self.ax_, x, low, high, line, band_kwargs, level, step="pre")
            for line, (x, low, high, level) in zip(
                self.line_[:2], self.bands.values(), strict=False
            )
        ]
        self.point_ = self._draw_point(point_kwargs)
        self._draw_legend()
        return self

    @property
    def _priors(self) -> Priors:
        return reported_priors(self.pi0)

    def _draw_lines(self, name: str | None, curve_kwargs: Styles) -> list[Line2D]:
        prefix = "" if name is None else f"{shown_name(name)}, "
        lines = []
        for quantity, values, axes, style in zip(
            _QUANTITIES,
            (self.precision, self.recall, self.alerts_per_1000),
            (None, None, self.alerts_ax_),
            styles_of(curve_kwargs, 3),
            strict=True,
        ):
            look = {"label": prefix + quantity, "drawstyle": "steps-pre", **style}
            lines.append(draw_curve(self.ax_, self.thresholds, values, look, on=axes))
        return lines

    def _draw_point(self, point_kwargs: Style | None) -> list[Artist]:
        point = self.point
        (style,) = styles_of(point_kwargs, 1)
        if point is None or point.threshold is None:
            return []
        look = {**guide_look(self.ax_), "linestyle": "-", **style}
        artists: list[Artist] = [self.ax_.axvline(point.threshold, **look)]
        for axes, line, value, low in zip(
            (self.ax_, self.ax_, self.alerts_ax_),
            self.line_,
            (point.precision, point.recall, point.alerts_per_1000),
            (point.precision_low, point.recall_low, math.nan),
            strict=True,
        ):
            look = {"color": line.get_color(), "zorder": 4}
            artists += axes.plot([point.threshold], [value], marker="o", markersize=5, **look)
            if not math.isnan(low):
                artists += axes.plot(
                    [point.threshold] * 2, [low, value], marker="_", linewidth=2.5, **look
                )
        return artists

    def _draw_legend(self) -> None:
        statement = self.statement and textwrap.fill(self.statement, _STATEMENT_WIDTH)
        title = joined_statements(self.ax_, statement)
        draw_legend(self.ax_, self.alerts_ax_, title=title)


def _bound(point: OperatingPoint) -> str:
    """Of an objective, the limit that is certified; a constraint names its limit itself."""
    if math.isnan(point.value_limit):
        return ""
    side = "≥" if point.value_limit <= point.value else "≤"
    return f"value {side} {point.value_limit:.3g} "


def _prior_of(curve: ConfusionCurve, point: OperatingPoint | None, pi0: Prior | None) -> Prior:
    if point is None:
        return curve.prior if pi0 is None else pi0
    if not isinstance(point, OperatingPoint):
        raise TypeError(f"point must be None or an OperatingPoint, got {point!r}")
    if pi0 is not None and reported_priors(pi0) != reported_priors(point.pi0):
        raise ValueError(
            f"pi0 must be None or the prior of point, {shown(point.pi0)}, got {shown(pi0)}: the "
            "guarantee holds at that prior"
        )
    return point.pi0


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
    ranking: Ranking, score: str, pi0: float | Estimate, thresholds: FloatArray, settings: Settings
) -> Band:
    some = thresholds[np.unique(np.linspace(0, len(thresholds) - 1, _N_LIMITS).astype(int))]
    estimates = [
        ranking.interval(Metric(score, options={THRESHOLD: float(each)}), pi0, settings)
        for each in some
    ]
    low, high = (
        np.array([getattr(each, limit) for each in estimates]) for limit in ("low", "high")
    )
    return Band(some, low, high, settings.confidence_level)
