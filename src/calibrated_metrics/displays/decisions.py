"""Display of the value of decisions: net benefit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _numbers, scores
from calibrated_metrics.confusion import ConfusionCurve, CurveLike
from calibrated_metrics.displays.curve import LineDisplay
from calibrated_metrics.displays.drawing import Band, guide_look, label_once
from calibrated_metrics.probabilities import rebase
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.scores.proper import doubts_of_prior
from calibrated_metrics.uncertainty.estimate import warn_of
from calibrated_metrics.uncertainty.interval import intervals_along

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

__all__ = ["DecisionCurveDisplay"]

_N_PROBABILITIES = 100
_DEPTH = 0.1  # the line of treating all is drawn down to this share of the prior below 0


@dataclass(eq=False, repr=False)
class DecisionCurveDisplay(LineDisplay):
    """Decision curve: net benefit against the threshold probability, at a reference prior.

    At the threshold probability p, net benefit is π₀ TPR - (1 - π₀) FPR p / (1 - p), with cases
    treated if their probability *at π₀* is at least p (Vickers & Elkin 2006,
    doi:10.1177/0272989X06295361). The scores are probabilities that are calibrated at `prior`.
    `probabilities.rebase` converts them to π₀ before they are compared with p, unlike the metric
    "net_benefit" at a threshold, which takes scores as they are. The model is useful
    at p if its line is above those of treating all and of treating none, the artists
    `chance_level_`. The other artists are `line_` and `band_`, on `ax_` of `figure_`.

    Parameters
    ----------
    threshold_probability, net_benefit : ndarray of shape (n_points,), or list of ndarray
        Points of the line, by ascending p. The net benefit, in true positives per case, is at most
        π₀.
    prevalence_pos_label : float or list of float, default=None
        Prior at which the net benefit was computed, for the line of treating all.
    name, pos_label, pi0, band, of_models
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

    threshold_probability: Any
    net_benefit: Any
    _: KW_ONLY
    prevalence_pos_label: float | list[float] | None = None

    FIELDS = "threshold_probability", "net_benefit", "name", "prevalence_pos_label"
    X, Y = "threshold_probability", "net_benefit"
    QUANTITIES = "threshold probability p", "net benefit (TP per case)"
    LABEL, TOP = "model", 0.0

    @classmethod
    def from_curve(
        cls,
        curve: CurveLike | Mapping[str, CurveLike],
        *,
        pi0: float | None = None,
        prior: float | None = None,
        threshold_probability: ArrayLike | None = None,
        pos_label: Any = None,
        confidence_level: float | None = 0.95,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Plot a curve whose scores are calibrated probabilities, or those of several models.

        Parameters
        ----------
        curve : ConfusionCurve or pair (y_true, y_prob), or dict of str to them
            With rows whose scores lie in [0, 1].
        pi0, pos_label, confidence_level, name
            As for `PrecisionRecallDisplay.from_curve`.
        prior : float in (0, 1), default=None
            Prior at which the probabilities are calibrated. None: the prior of the rows, with a
            warning if their mean is far from it. It differs after training on balanced classes, and
            in a case-control sample: there it is the prior of the cohort that trained the model.
        threshold_probability : array-like of shape (n_points,), default=None
            Values in (0, 1). None: 100 equally spaced values with odds of at most ten times those
            of π₀.
        **options : arguments of `plot`
        """
        how: dict[str, Any] = {"confidence_level": confidence_level, "prior": prior}
        how |= {"p": threshold_probability}
        return cls._of_models(curve, pi0, pos_label, name, **how).plot(**options)

    @classmethod
    def _fields_of(
        cls, curve: ConfusionCurve, confidence_level: float | None, prior: Any = None, p: Any = None
    ) -> dict[str, Any]:
        _numbers.probabilities("scores of curve", curve.rows.score)
        source = curve.rows.prior if prior is None else _numbers.open_unit("prior", prior)
        if p is None:
            top = 10 * curve.prior / (1 + 9 * curve.prior)
            p = np.linspace(0, top, _N_PROBABILITIES + 1)[1:]
        p = np.unique(_numbers.priors("threshold_probability", p))
        warn_of(doubts_of_prior(curve) if prior is None else ())
        # If the priors differ by rounding only, scores equal to p must remain equal to it.
        same = math.isclose(source, curve.prior, rel_tol=1e-9)
        thresholds = p if same else rebase(p, prior=curve.prior, pi0=source)
        band = None
        if confidence_level is not None:
            asked = [
                Metric("net_benefit", threshold=threshold, threshold_probability=probability)
                for threshold, probability in zip(thresholds.tolist(), p.tolist(), strict=True)
            ]
            band = Band.of(p, intervals_along(asked, curve, confidence_level))
        net_benefit = np.asarray(scores.net_benefit(curve.confusion_matrix(thresholds), p))
        found = {"threshold_probability": p, "net_benefit": net_benefit, "band": band}
        return found | {"prevalence_pos_label": curve.prior}

    def _draw_chance_level(self, levels: list[float], style: Mapping[str, Any]) -> list[Line2D]:
        """Net benefit of treating all, (π₀ - p) / (1 - p), to just below 0, and of none."""
        p, pi0 = np.ravel(self.threshold_probability), levels[0]
        lowest = min(-_DEPTH * pi0, np.min(self.net_benefit))
        last = min((pi0 - lowest) / (1 - lowest), p.max())
        p = np.linspace(min(p.min(), last), last, _N_PROBABILITIES)
        none = self.ax_.axhline(0, **guide_look(self.ax_), label=label_once(self.ax_, "treat none"))
        look = self._look_of_guide("treat all", style)
        return [*self.ax_.plot(p, (pi0 - p) / (1 - p), **look), none]
