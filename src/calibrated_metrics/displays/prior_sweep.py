"""A metric of one or more models against the reference prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _labels, _numbers
from calibrated_metrics._arguments import RandomState
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion.data import Measurable
from calibrated_metrics.displays.base import Display
from calibrated_metrics.displays.constructors import curves_of, scores_of_estimators
from calibrated_metrics.displays.drawing import (
    Band,
    draw_band,
    guide_look,
    label_once,
    next_style,
    number,
    of_label,
    set_ylabel,
    shown,
)
from calibrated_metrics.scores.metric import Data, DataLike, Metric, MetricLike
from calibrated_metrics.uncertainty.estimate import Settings, warn_of
from calibrated_metrics.uncertainty.interval import estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

__all__ = ["PriorSweepDisplay", "SweepCrossing"]

_N_PRIORS = 41


class SweepCrossing(NamedTuple):
    """A prior `pi0` at which the models `first` and `second` have the same `value`."""

    first: str
    second: str
    pi0: float
    value: float


@dataclass(eq=False, repr=False)
class PriorSweepDisplay(Display):
    """A metric against the reference prior, with a band, for one or more models.

    Such figures are in Siblini et al., IDA 2020, doi:10.1007/978-3-030-44584-3_36, section 5. The
    band is pointwise: the interval of `uncertainty.interval` at each prior, which is treated as
    known. Overlapping bands do not show that two models are equal; use `uncertainty.difference`.
    The artists are the lists `line_` and `band_`, and the
    markers `own_prior_` and `crossing_`, on `ax_` of `figure_`.

    Parameters
    ----------
    pi0 : ndarray of shape (n_priors,)
        Reference priors, ascending.
    values : dict of str to ndarray of shape (n_priors,)
        The metric of each model at each prior.
    own : dict of str to tuple (prior, value), optional
        The prior of the data of each model, and the metric there: a marker, or the prior in the
        legend if it is out of the range of `pi0`.
    bands : dict of str to Band, optional
        Pointwise limits of the metric.
    crossings : list of SweepCrossing, optional
        Priors at which the estimates of two models are equal, without intervals. A crossing is
        found if it lies between two priors of `pi0` at which different models are better.
    score_label : str, default="metric"
        Label of the ordinate.
    pos_label : object, default=None
        Label of the positives, named on the axis if it is not 1.

    Examples
    --------
    The positive predictive value of a diagnostic test against the prevalence:

    >>> from calibrated_metrics import ConfusionMatrix
    >>> from calibrated_metrics.displays import PriorSweepDisplay
    >>> test = ConfusionMatrix(tp=58, fp=10, fn=7, tn=190)
    >>> display = PriorSweepDisplay.from_curve("ppv", test, pi0=[0.01, 0.1, 0.5])
    >>> display.line_[0].get_ydata().round(3)
    array([0.153, 0.665, 0.947])
    """

    pi0: FloatArray
    values: Mapping[str, FloatArray]
    _: KW_ONLY
    own: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    bands: Mapping[str, Band] = field(default_factory=dict)
    crossings: Sequence[SweepCrossing] = ()
    score_label: str = "metric"
    pos_label: Any = field(default=None, compare=False)

    @classmethod
    def from_curve(
        cls,
        metric: MetricLike,
        curve: DataLike | Mapping[str, DataLike],
        *,
        pi0: ArrayLike | None = None,
        pos_label: Any = None,
        confidence_level: float | None = 0.95,
        n_resamples: int = 1000,
        rng: RandomState = None,
        **options: Any,
    ) -> Self:
        """Plot a metric of curves or of confusion matrices against the prior.

        Parameters
        ----------
        metric, pos_label, n_resamples, rng
            As for `uncertainty.interval`; a metric without a reference prior of its own.
        curve : ConfusionCurve, ConfusionMatrix or pair (y_true, y_score), or dict of str to them
            A model, or several models by their names. They may come from different data.
        pi0 : array-like of shape (n_priors,), default=None
            Reference priors, ascending. None: 41 logarithmically spaced priors, from a tenth of the
            lowest prior of the data to 0.5 or the highest prior of the data.
        confidence_level : float in (0, 1) or None, default=0.95
            Level of the pointwise band. None: no band.
        **options : arguments of `plot`
        """
        asked = Metric(metric)
        models = _models_of(asked, curve)
        data = {model: _data_of(asked, each, pos_label) for model, each in models.items()}
        priors = _default_priors(data) if pi0 is None else _ascending(pi0)
        values = {model: _values_of(model, asked, each, priors) for model, each in data.items()}
        found = {}
        if confidence_level is not None:
            settings = Settings.of(confidence_level, "auto", n_resamples, rng)
            found = {
                model: estimate(asked, each, priors, settings, pos_label=pos_label)
                for model, each in models.items()
            }
            warn_of(remark for each in found.values() for remark in each.remarks)
        return cls(
            priors,
            values,
            own={
                model: (float(each.prior), asked._value(each))
                for model, each in data.items()
                if not each.prior_is_known
            },
            bands={model: Band.of(priors, each) for model, each in found.items()},
            crossings=_crossings(asked, data, values, priors),
            score_label=asked._label(),
            pos_label=next(iter(data.values())).pos_label,
        ).plot(**options)

    @classmethod
    def from_predictions(
        cls,
        metric: MetricLike,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        *,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Plot a metric of labelled scores against the prior.

        Parameters
        ----------
        metric
            As for `from_curve`.
        y_true, pos_label, sample_weight, clusters, strata
            As for `ConfusionCurve.from_predictions`.
        y_score : array-like of shape (n_rows,), or dict of str to it
            The scores of a model, or of several models by their names.
        **options : further arguments of `from_curve`, and arguments of `plot`
        """
        drawn = {"sample_weight": sample_weight, "clusters": clusters, "strata": strata}
        return cls.from_curve(metric, curves_of(y_true, y_score, pos_label, drawn), **options)

    @classmethod
    def from_estimator(
        cls,
        metric: MetricLike,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: Any = None,
        response_method: str = "auto",
        **options: Any,
    ) -> Self:
        """Plot a metric of the scores of fitted classifiers against the prior.

        Parameters
        ----------
        metric
            As for `from_curve`.
        estimator, X, y, pos_label, response_method
            As for `PrecisionRecallDisplay.from_estimator`; `estimator` may be a dict.
        **options : further arguments of `from_predictions`
        """
        weight = options.get("sample_weight")
        found = scores_of_estimators(estimator, X, y, pos_label, response_method, weight, True)
        return cls.from_predictions(metric, y, found[0], pos_label=found[1], **options)

    @property
    def _n_names(self) -> int:
        return len(self.values)

    def _draw(self, name: str | None, style: dict[str, Any]) -> None:
        ax = self.ax_
        if not ax.has_data():
            _set_log_axis(ax, self.pi0)
        ax.set_xlabel(of_label("reference prior π$_0$", self.pos_label))
        set_ylabel(ax, f"{self.score_label} at π$_0$", "metric at π$_0$")
        self.line_: list[Line2D] = []
        self.band_: list[FillBetweenPolyCollection] = []
        shown_own, first, last = [], self.pi0[0], self.pi0[-1]
        for model, values in self.values.items():
            # The label of a metric may hold mathtext, the name of a model does not.
            unnamed = name is None and model == self.score_label
            label = model if unnamed else shown(name or model)
            if model in self.bands and np.isnan(self.bands[model].low).all():
                label += " (no interval)"
            own = self.own.get(model)
            if own is not None and first <= own[0] <= last:
                shown_own.append(own)
            elif own is not None:
                label += f" (prior of the data: {number(own[0])})"
            self.line_ += ax.plot(self.pi0, values, **next_style(ax, {"label": label, **style}))
            if model in self.bands:
                self.band_.append(draw_band(ax, self.bands[model], self.line_[-1]))
        crossings = [(each.pi0, each.value) for each in self.crossings]
        self.own_prior_ = _mark(ax, shown_own, "prior of the data", "o")
        self.crossing_ = _mark(ax, crossings, _equal_at(crossings), "x")


def _models_of(metric: Metric, curve: DataLike | Mapping[str, DataLike]) -> Mapping[str, DataLike]:
    """The models by their names; a single one has the label of the metric."""
    if metric.pi0 is not None:
        raise ValueError(
            f"metric must have no reference prior of its own, got {metric.pi0}: it is drawn "
            "against the prior"
        )
    if isinstance(curve, Mapping) and not curve:
        raise ValueError("at least one model must be given, got an empty dict")
    return dict(curve) if isinstance(curve, Mapping) else {metric._label(): curve}


def _mark(ax: Axes, points: list[tuple[float, float]], label: str, marker: str) -> Line2D | None:
    """Markers in the text colour, because they have the same meaning on each line."""
    if not points:
        return None
    look = {"marker": marker, "markersize": 5, "markerfacecolor": ax.get_facecolor(), "zorder": 3}
    look |= {"linestyle": "none", "label": label_once(ax, label)}
    (line,) = ax.plot(*zip(*points, strict=True), **{**guide_look(ax), **look})
    return line


def _equal_at(crossings: Sequence[tuple[float, float]]) -> str:
    if len(crossings) > 3:
        return "two models equal"
    return "equal at π$_0$ = " + ", ".join(f"{pi0:.2g}" for pi0, _ in crossings)


def _set_log_axis(ax: Axes, priors: FloatArray) -> None:
    """A logarithmic axis with plain numbers at 1, 2 and 5, or only at 1 over many decades."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    n_decades, width = np.log10(priors[-1] / priors[0]), ax.get_window_extent().width
    has_room = n_decades < min(2.5, width / ax.figure.dpi / 1.5)  # half an inch for each number
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if has_room else (1,)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


def _data_of(metric: Metric, data: DataLike, pos_label: Any) -> Data | Measurable:
    if not isinstance(data, Measurable):
        return metric._prepare(data, "curve", pos_label=pos_label)
    _labels.label_of_built("curve", data.pos_label, pos_label)
    return data


def _values_of(model: str, metric: Metric, data: Any, priors: FloatArray) -> FloatArray:
    """The metric of a model at each prior; an error names the model if there may be others."""
    try:
        return np.array([metric._value(data.at_prior(prior)) for prior in priors])
    except ValueError as error:
        if model == metric._label():
            raise
        raise ValueError(f"{model}: {error}; draw the other models without it") from error


def _default_priors(data: Mapping[str, Data | Measurable]) -> FloatArray:
    own = [float(each.prior) for each in data.values()]
    return np.geomspace(min(own) / 10, max(0.5, *own), _N_PRIORS)


def _ascending(pi0: ArrayLike) -> FloatArray:
    priors = _numbers.priors("pi0", pi0)
    if not (np.diff(priors) > 0).all():
        raise ValueError(f"pi0 must ascend strictly, got {priors}")
    return priors


def _crossings(
    metric: Metric, data: Mapping[str, Any], values: Mapping[str, FloatArray], priors: FloatArray
) -> list[SweepCrossing]:
    """Crossings of each pair of models, by ascending prior within a pair."""
    found = []
    for first, second in combinations(data, 2):
        differences = values[first] - values[second]
        apart = np.flatnonzero(np.abs(differences) > _numbers.ROUNDING)
        for change in np.flatnonzero(np.diff(np.sign(differences[apart]))):
            between = priors[apart[[change, change + 1]]]
            pi0 = _equal_prior(metric, data[first], data[second], between)
            value = metric._value(data[first].at_prior(pi0))
            found.append(SweepCrossing(first, second, pi0, value))
    return found


def _equal_prior(metric: Metric, first: Any, second: Any, between: FloatArray) -> float:
    """A prior between two others at which two models have the same value."""
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    def difference(log_odds: float) -> float:
        pi0 = float(expit(log_odds))
        return metric._value(first.at_prior(pi0)) - metric._value(second.at_prior(pi0))

    return float(expit(brentq(difference, *logit(between), xtol=1e-9)))
