"""A score of one or more models against the reference prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics._intervals.asked import Asked, ScoreLike, Settings
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays._axes import (
    Style,
    Styles,
    axes_of,
    draw_band,
    draw_curve,
    draw_legend,
    guide_look,
    is_common,
    label_once,
    name_axis,
    one_or_all,
    shown_name,
    styles_of,
)
from calibrated_metrics.displays._inputs import Ranking, scores_of
from calibrated_metrics.displays._sweeps import (
    Sweep,
    SweepCrossing,
    ascending_priors,
    crossings_of,
    default_priors,
    label_of,
    settings_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["PriorSweepDisplay", "SweepCrossing"]

_UNNAMED = "model"


class PriorSweepDisplay:
    """A score against the reference prior, with a band, for one or more models.

    Use `from_predictions`, `from_estimator` or `from_curve`.

    Parameters
    ----------
    pi0 : ndarray of shape (n_priors,)
        Reference priors, ascending.
    values : dict of str to ndarray of shape (n_priors,)
        The score of each model at each prior.
    own : dict of str to tuple (prior, value), default=None
        The prior of the data of each model, and the score there.
    limits : dict of str to tuple (low, high) of ndarrays, default=None
        Pointwise limits of the score.
    confidence_level : float in (0, 1), default=0.95
        Level of the limits.
    crossings : list of SweepCrossing, default=None
    score_label : str, default="score"
        Label of the ordinate.

    Attributes
    ----------
    pi0, values, own, limits, crossings
        As given.
    line_ : matplotlib Line2D, or a list of them for several models
    band_ : list of matplotlib FillBetweenPolyCollection
    own_prior_ : list of matplotlib Line2D
        Markers at the priors of the data.
    crossing_ : list of matplotlib Line2D
        Markers at the crossings.
    ax_, figure_ : matplotlib Axes and Figure

    See Also
    --------
    calibrated_metrics.uncertainty.interval : The intervals, and their coverage.
    calibrated_metrics.dominance.compare : Whether one model is better at every prior.

    Notes
    -----
    The band is pointwise: the interval of `uncertainty.interval` at each prior, which takes the
    prior as known. Two bands that overlap do not show that two models are equal; use
    `uncertainty.difference_from_predictions`. A crossing is that of the two estimates and has no
    interval. It is found if it lies between two priors at which different models are better.

    References
    ----------
    Siblini et al., IDA 2020, doi:10.1007/978-3-030-44584-3_36, section 5: performance under
    other priors than that of the data.

    Examples
    --------
    Two models of which neither is better at every prior:

    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from calibrated_metrics.displays import PriorSweepDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(4000) < 400
    >>> models = {
    ...     "even": rng.normal(1.5 * y_true),
    ...     "sharp": rng.normal(np.where(np.arange(4000) < 160, 4, 0)),
    ... }
    >>> priors = np.geomspace(0.02, 0.5, 20)
    >>> display = PriorSweepDisplay.from_predictions(y_true, models, pi0=priors)
    >>> (crossing,) = display.crossings
    >>> crossing.first, crossing.second, round(crossing.pi0, 2)
    ('even', 'sharp', 0.14)
    >>> plt.close(display.figure_)
    """

    line_: Line2D | list[Line2D]
    band_: list[FillBetweenPolyCollection]
    own_prior_: list[Line2D]
    crossing_: list[Line2D]
    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(
        self,
        pi0: FloatArray,
        values: Mapping[str, FloatArray],
        *,
        own: Mapping[str, tuple[float, float]] | None = None,
        limits: Mapping[str, tuple[FloatArray, FloatArray]] | None = None,
        confidence_level: float = 0.95,
        crossings: Sequence[SweepCrossing] | None = None,
        score_label: str = "score",
    ):
        self.pi0, self.values = pi0, dict(values)
        self.own, self.limits = dict(own or {}), dict(limits or {})
        self.confidence_level, self.crossings = confidence_level, list(crossings or [])
        self.score_label = score_label

    # --------------------------------------------------------------------------- constructors

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        *,
        score: ScoreLike = "average_precision",
        pi0: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        confidence_level: float | None = 0.95,
        n_resamples: int = 1000,
        rng: RandomState = None,
        curve_kwargs: Styles = None,
        **plot_options: Any,
    ) -> Self:
        """Plot a score of labelled scores against the prior.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels of any type, both present.
        y_score : array-like of shape (n_samples,), or dict of str to such arrays
            Finite scores of a model, or of several models by their names.
        score : str, Metric or callable, default="average_precision"
            As for `uncertainty.interval`, without a reference prior of its own.
        pi0 : array-like of shape (n_priors,), default=None
            Reference priors, ascending. None takes 41 priors that are equally spaced in the
            logarithm, from a tenth of the least prior of the data to 0.5 or its greatest prior.
        name : str, default=None
            Name of a single model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a new figure.
        pos_label : scalar, default=1
            Label of the positive class.
        sample_weight, groups : array-like of shape (n_samples,), default=None
            As for `uncertainty.interval_from_predictions`.
        confidence_level : float in (0, 1) or None, default=0.95
            Level of the pointwise band. None draws no band.
        n_resamples : int >= 2, default=1000
            Number of draws at each prior, for scores whose intervals are bootstraps.
        rng : None, int or numpy.random.Generator, default=None
            Used by bootstraps only.
        curve_kwargs : dict or list of dict, default=None
            Style of the lines, or of each model.
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
            As `uncertainty.interval_from_predictions`, and for priors that do not ascend.

        Warns
        -----
        IntervalWarning
            As `uncertainty.interval`.
        """
        settings = settings_of(confidence_level, n_resamples, rng)
        named = y_score if isinstance(y_score, Mapping) else {name or _UNNAMED: y_score}
        rankings = {
            model: Ranking.of_predictions(
                y_true, scores, pos_label=pos_label, sample_weight=sample_weight, groups=groups
            )
            for model, scores in named.items()
        }
        display = cls._of(rankings, score, pi0, settings)
        return display.plot(ax, curve_kwargs=curve_kwargs, **plot_options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        name: str | None = None,
        pos_label: Any = 1,
        response_method: str = "auto",
        **options: Any,
    ) -> Self:
        """Plot a score of fitted binary classifiers against the prior.

        Parameters
        ----------
        estimator : fitted classifier, or dict of str to fitted classifiers
            With the attribute ``classes_``, as in scikit-learn.
        X : array-like of shape (n_samples, n_features)
            Input of the estimators.
        y : array-like of shape (n_samples,)
            Binary labels of any type, both present.
        name : str, default=None
            Name of a single model in the legend; None is the class of the estimator.
        pos_label : scalar, default=1
            Label of the positive class.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Method of the estimator that returns the scores. "auto" takes ``predict_proba`` if the
            estimator has it.
        **options
            Further arguments of `from_predictions`.

        Returns
        -------
        The display, which has been plotted.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            As `from_predictions`, and for an estimator that is not a fitted binary classifier.
        """
        if not isinstance(estimator, Mapping):
            estimator = {type(estimator).__name__ if name is None else name: estimator}
        scores = {
            model: scores_of(each, X, pos_label, response_method)
            for model, each in estimator.items()
        }
        return cls.from_predictions(y, scores, pos_label=pos_label, **options)

    @classmethod
    def from_curve(
        cls,
        curve: ConfusionCurve | Mapping[str, ConfusionCurve],
        *,
        score: ScoreLike = "average_precision",
        pi0: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        confidence_level: float | None = 0.95,
        n_resamples: int = 1000,
        rng: RandomState = None,
        curve_kwargs: Styles = None,
        **plot_options: Any,
    ) -> Self:
        """Plot a score of curves against the prior.

        Parameters
        ----------
        curve : ConfusionCurve, or dict of str to ConfusionCurve
            The curves of several models may come from different data.
        score, pi0, name, ax, confidence_level, n_resamples, rng, curve_kwargs, **plot_options
            As for `from_predictions`.

        Returns
        -------
        The display, which has been plotted.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            As `uncertainty.interval`, and for priors that do not ascend.

        Warns
        -----
        IntervalWarning
            As `uncertainty.interval`.
        """
        settings = settings_of(confidence_level, n_resamples, rng)
        named = curve if isinstance(curve, Mapping) else {name or _UNNAMED: curve}
        rankings = {model: Ranking(each) for model, each in named.items()}
        display = cls._of(rankings, score, pi0, settings)
        return display.plot(ax, curve_kwargs=curve_kwargs, **plot_options)

    @classmethod
    def _of(
        cls,
        rankings: Mapping[str, Ranking],
        score: ScoreLike,
        pi0: ArrayLike | None,
        settings: Settings | None,
    ) -> Self:
        if not rankings:
            raise ValueError("y_score and curve must name at least one model, got none")
        asked = Asked.of(score)
        if asked.pi0 is not None:
            raise ValueError(
                f"score must have no reference prior of its own, got {asked.pi0}: it is drawn "
                "against the prior"
            )
        asked.check_threshold()
        curves = {model: ranking.curve for model, ranking in rankings.items()}
        priors = default_priors(curves.values()) if pi0 is None else ascending_priors(pi0)
        sweeps = {model: Sweep(asked, curve) for model, curve in curves.items()}
        values = {model: sweep.at_all(priors) for model, sweep in sweeps.items()}
        limits = {}
        if settings is not None:
            for model, ranking in rankings.items():
                estimate = ranking.interval(score, priors, settings)
                limits[model] = np.asarray(estimate.low), np.asarray(estimate.high)
        return cls(
            priors,
            values,
            own={model: (sweep.curve.prior, sweep.own_value) for model, sweep in sweeps.items()},
            limits=limits,
            confidence_level=0.95 if settings is None else settings.confidence_level,
            crossings=crossings_of(sweeps, values, priors),
            score_label=label_of(score, asked),
        )

    # ------------------------------------------------------------------------------- drawing

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Styles = None,
        band_kwargs: Style | None = None,
        plot_own_prior: bool = True,
        plot_crossings: bool = True,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on, such as `ax_` of another display. None makes a new figure with a
            logarithmic axis of priors.
        name : str, default=None
            Name of a single model in the legend; None is the name in `values`.
        curve_kwargs : dict or list of dict, default=None
            Style of the lines, or of each model: keywords of ``Axes.plot``.
        band_kwargs : dict, default=None
            Style of the bands: keywords of ``Axes.fill_between``.
        plot_own_prior, plot_crossings : bool, default=True
            Whether to mark the priors of the data, and the crossings.

        Returns
        -------
        The display.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            For a `name` of several models, or a list of styles of another length.
        """
        if name is not None and len(self.values) > 1:
            raise ValueError(f"name must be None for several models, got {name!r}")
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        if not self.ax_.has_data():
            _set_log_axis(self.ax_, self.pi0)
        name_axis(self.ax_, "x", "reference prior π$_0$")
        label = self.score_label if is_common(self.ax_, "score", self.score_label) else "score"
        self.ax_.set_ylabel(f"{label} at π$_0$")
        styles = styles_of(curve_kwargs, len(self.values))
        lines = {
            model: draw_curve(
                self.ax_,
                self.pi0,
                values,
                {"label": shown_name(model if name is None else name), **style},
            )
            for (model, values), style in zip(self.values.items(), styles, strict=True)
        }
        self.line_ = one_or_all(list(lines.values()))
        self.band_ = [
            draw_band(self.ax_, self.pi0, *limits, lines[model], band_kwargs, self.confidence_level)
            for model, limits in self.limits.items()
        ]
        self.own_prior_ = self._mark_own_priors(lines) if plot_own_prior else []
        self.crossing_ = self._mark_crossings() if plot_crossings else []
        draw_legend(self.ax_)
        return self

    def _mark_own_priors(self, lines: Mapping[str, Line2D]) -> list[Line2D]:
        ax = self.ax_
        marks = []
        for model, (prior, value) in self.own.items():
            label = label_once(ax, "prior of the data")
            look: dict[str, Any] = {
                "marker": "o",
                "markersize": 5,
                "linestyle": "none",
                "label": label,
            }
            marks += ax.plot([prior], [value], color=lines[model].get_color(), **look)
        return marks

    def _mark_crossings(self) -> list[Line2D]:
        ax = self.ax_
        marks = []
        for crossing in self.crossings:
            look = guide_look(ax) | {
                "marker": "X",
                "markersize": 6,
                "linestyle": "none",
                "zorder": 3,
            }
            label = label_once(ax, "models equal")
            marks += ax.plot([crossing.pi0], [crossing.value], label=label, **look)
            ax.annotate(
                f"{crossing.pi0:.2g}",
                (crossing.pi0, crossing.value),
                xytext=(5, -3),
                textcoords="offset points",
                fontsize="x-small",
                va="top",
            )
        return marks


def _set_log_axis(ax: Axes, priors: FloatArray) -> None:
    """A logarithmic axis with plain numbers: 1, 2 and 5, or over many decades only 1."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if priors[-1] < 300 * priors[0] else (1,)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
