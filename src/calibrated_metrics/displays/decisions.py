"""Display of the value of decisions: net benefit."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks, scores
from calibrated_metrics.confusion import CurveLike
from calibrated_metrics.confusion.data import as_curve
from calibrated_metrics.displays.curve import LineDisplay
from calibrated_metrics.displays.drawing import Band, guide_look, label_once
from calibrated_metrics.probabilities import rebase
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.interval import intervals_along

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

__all__ = ["DecisionCurveDisplay"]

_N_PROBABILITIES = 100
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
    x, y : ndarray of shape (n_points,)
        Points of the line, by ascending p; also the attributes `threshold_probability` and
        `net_benefit`. The net benefit, in true positives per case, is at most π₀.
    pi0, of_data, band
        As for `PrecisionRecallDisplay`.
    area : None
        Not used.

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
        pos_label: Any = None,
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
