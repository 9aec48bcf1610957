"""Displays of the value of decisions: net benefit and expected cost."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks, scores, spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import CurveLike
from calibrated_metrics.confusion.curve import as_curve
from calibrated_metrics.displays.curve import LineDisplay
from calibrated_metrics.displays.drawing import (
    Band,
    guide_look,
    label_once,
    prior_text,
)
from calibrated_metrics.probabilities import rebase
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.interval import intervals_along

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

__all__ = ["CostCurveDisplay", "DecisionCurveDisplay"]

_N_PROBABILITIES = 100
_N_PRIORS = 500
_DEPTH = 0.1  # the line of treating all is drawn down to this share of the prior below 0


class DecisionCurveDisplay(LineDisplay):
    """Decision curve: net benefit against the threshold probability, at a reference prior.

    At the threshold probability p, net benefit is π₀ TPR - (1 - π₀) FPR p / (1 - p), with cases
    treated if their probability *at π₀* is at least p (Vickers & Elkin 2006,
    doi:10.1177/0272989X06295361). The scores are probabilities that are calibrated at `prior`.
    `probabilities.rebase` converts them to π₀ before they are compared with p. The model is useful
    at p if its line is above those of treating all and of treating none, the artists
    `chance_level_`. The other artists are `line_` and `band_`, on `ax_` of `figure_`.

    Parameters
    ----------
    threshold_probability, net_benefit : ndarray of shape (n_points,)
        Points of the line, by ascending p. The net benefit, in true positives per case, is at most
        π₀.
    pi0, of_data, band
        As for `PrecisionRecallDisplay`.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.displays import DecisionCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_prob = rng.beta(0.5, 2, size=2000)  # calibrated at the prior of the data, 0.2
    >>> y_true = rng.random(2000) < y_prob
    >>> display = DecisionCurveDisplay.from_predictions(
    ...     y_true, y_prob, pi0=0.05, threshold_probability=[0.02, 0.05, 0.1]
    ... )
    >>> display.net_benefit.round(3)
    array([0.037, 0.026, 0.017])
    """

    QUANTITIES = "threshold probability p", "net benefit (TP per case)"
    NAME, TOP = "model", 0.0

    threshold_probability = property(attrgetter("x"), doc="Threshold probabilities.")
    net_benefit = property(attrgetter("y"), doc="Net benefits.")

    @classmethod
    def from_curve(
        cls,
        curve: CurveLike,
        *,
        pi0: float | None = None,
        prior: float | None = None,
        threshold_probability: ArrayLike | None = None,
        pos_label: Any = 1,
        confidence_level: float | None = 0.95,
        **options: Any,
    ) -> Self:
        """Plot a curve whose scores are calibrated probabilities.

        Parameters
        ----------
        curve : ConfusionCurve or pair (y_true, y_prob)
            With rows whose scores lie in [0, 1].
        pi0, pos_label, confidence_level
            As for `PrecisionRecallDisplay.from_curve`.
        prior : float in (0, 1), default=None
            Prior at which the probabilities are calibrated. None: the prior of the rows. It can
            differ, for example after training on balanced classes.
        threshold_probability : array-like of shape (n_points,), default=None
            Values in (0, 1). None: 100 equally spaced values with odds of at most ten times those
            of π₀.
        **options : arguments of `plot`
        """
        curve = as_curve("curve", curve, pos_label)
        _checks.probabilities("scores of curve", curve.rows.score)
        source = curve.rows.prior if prior is None else _checks.open_unit("prior", prior)
        curve = curve if pi0 is None else curve.at_prior(pi0)
        if threshold_probability is None:
            top = 10 * curve.prior / (1 + 9 * curve.prior)
            threshold_probability = np.linspace(0, top, _N_PROBABILITIES + 1)[1:]
        p = np.unique(_checks.priors("threshold_probability", threshold_probability))
        # If the priors differ by rounding only, scores equal to p must remain equal to it.
        same = math.isclose(source, curve.prior, rel_tol=1e-9)
        thresholds = p if same else rebase(p, prior=curve.prior, pi0=source)
        net_benefit = np.asarray(scores.net_benefit(curve.confusion_matrix(thresholds), p))
        display = cls(p, net_benefit, pi0=curve.prior, of_data=not curve.prior_is_known)
        if confidence_level is not None:
            asked = [
                Metric("net_benefit", threshold=threshold, threshold_probability=probability)
                for threshold, probability in zip(thresholds.tolist(), p.tolist(), strict=True)
            ]
            display.band = Band.of(p, intervals_along(asked, curve, confidence_level))
        return display.plot(**options)

    def _draw_chance_level(self) -> list[Line2D]:
        """Net benefit of treating all, (π₀ - p) / (1 - p), to just below 0, and of none."""
        lowest = min(-_DEPTH * self.pi0, self.y.min())
        last = min((self.pi0 - lowest) / (1 - lowest), self.x[-1])
        p = np.linspace(min(self.x[0], last), last, _N_PROBABILITIES)
        look = {**guide_look(self.ax_), "label": label_once(self.ax_, "treat none")}
        none = self.ax_.axhline(0, **look)
        return [self._guide(p, (self.pi0 - p) / (1 - p), "treat all"), none]


@dataclass(eq=False, repr=False)
class CostCurveDisplay(LineDisplay):
    """Cost curve: the least expected cost over all thresholds, against the prior.

    The cost is normalised by that of wrong decisions on all cases: FNR · PC + FPR · (1 - PC) with
    PC = π c_FN / (π c_FN + (1 - π) c_FP), which is the prior if both errors cost the same (Drummond
    & Holte 2006, doi:10.1007/s10994-006-8199-5). The model is useful at a prior if its line is
    below the dashed line, the lower of the costs of predicting all or none positive. The threshold
    changes with the prior and is chosen on the sample itself, so the line is optimistic. The
    artists are `line_` and the list `chance_level_` (the dashed line, and the mark of the prior),
    on `ax_` of `figure_`.

    Parameters
    ----------
    prior, cost : ndarray of shape (n_points,)
        Points of the line, by ascending prior; the cost lies in [0, 0.5].
    pi0, of_data
        As for `PrecisionRecallDisplay`; this prior is marked.
    cost_ratio : float > 0, default=1.0
        c_FN / c_FP, the cost of a false negative over that of a false positive.

    Examples
    --------
    >>> from calibrated_metrics.displays import CostCurveDisplay
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> display = CostCurveDisplay.from_predictions(y_true, y_score, pi0=0.3)
    >>> round(float(display.cost.max()), 3)
    0.2
    """

    _: KW_ONLY
    cost_ratio: float = 1.0

    QUANTITIES = "prior π", "normalised expected cost"
    NAME, TOP = "least cost", 0.0

    prior = property(attrgetter("x"), doc="Priors.")
    cost = property(attrgetter("y"), doc="Expected costs.")

    @classmethod
    def from_curve(
        cls,
        curve: CurveLike,
        *,
        pi0: float | None = None,
        cost_fp: float = 1.0,
        cost_fn: float = 1.0,
        pos_label: Any = 1,
        **options: Any,
    ) -> Self:
        """Plot a curve.

        Parameters
        ----------
        curve : ConfusionCurve or pair (y_true, y_score)
        pi0 : None or float in (0, 1), default=None
            Reference prior; priors up to ten times as large are drawn. None: that of the curve.
        cost_fp, cost_fn : float > 0, default=1.0
            Cost of a false positive and of a false negative, in the same unit.
        pos_label : scalar, default=1
            The label of the positives of a pair.
        **options : arguments of `plot`
        """
        curve = as_curve("curve", curve, pos_label)
        curve = curve if pi0 is None else curve.at_prior(pi0)
        cost_fp = _checks.positive_number("cost_fp", cost_fp)
        ratio = _checks.positive_number("cost_fn", cost_fn) / cost_fp
        ratio = _checks.positive_number("cost_fn / cost_fp", ratio)
        last = min(10 * curve.prior, 1.0)
        prior = np.union1d(np.linspace(0, last, _N_PRIORS + 1), curve.prior)
        fpr, tpr = spaces.roc(curve.hull())
        display = cls(
            prior,
            _costs(prior, ratio, 1 - tpr, fpr).min(axis=0),
            pi0=curve.prior,
            of_data=not curve.prior_is_known,
            cost_ratio=ratio,
        )
        return display.plot(**options)

    def _ylabels(self) -> tuple[str, str]:
        return self.QUANTITIES[1], self.QUANTITIES[1]

    def _draw_chance_level(self) -> list[Line2D]:
        text = "prior of the data" if self.of_data else prior_text(self.pi0)
        look = {**guide_look(self.ax_), "label": label_once(self.ax_, text)}
        prior = self.ax_.axvline(self.pi0, **look)
        trivial = _costs(self.x, self.cost_ratio, np.array([0.0, 1.0]), np.array([1.0, 0.0]))
        text = f"all or none positive\n(FN costs {self.cost_ratio:.3g} × FP)"
        return [self._guide(self.x, trivial.min(axis=0), text), prior]


def _costs(prior: FloatArray, ratio: float, fnr: Any, fpr: Any) -> FloatArray:
    """Costs of decisions at each prior, of shape (n_decisions, n_priors)."""
    pc = prior * ratio / (prior * ratio + (1 - prior))
    costs: FloatArray = np.multiply.outer(fnr, pc) + np.multiply.outer(fpr, 1 - pc)
    return costs
