"""Tests of calibration, and conversion of calibrated probabilities to another prior.

The estimates of `label_free` from probabilities hold only if these are calibrated. This module has
the expected calibration error, Spiegelhalter's test, a check with an exact p-value, and the
conversion of calibrated probabilities to another prior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics._intervals.estimate import Estimate

__all__ = [
    "CalibrationCheck",
    "CalibrationTest",
    "calibration_error",
    "calibration_test",
    "check_calibration",
    "rebase",
]

# --------------------------------------------------------------------------- another prior


@overload
def rebase(y_prob: ArrayLike, *, prior: float, new_prior: float) -> FloatArray: ...


@overload
def rebase(y_prob: ArrayLike, *, prior: float, new_prior: Estimate) -> Estimate: ...


def rebase(
    y_prob: ArrayLike, *, prior: float, new_prior: float | Estimate
) -> FloatArray | Estimate:
    """Convert probabilities that are calibrated at one prior to another prior.

    The odds are multiplied by ``new_prior / (1 - new_prior) / (prior / (1 - prior))``.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class that are calibrated at `prior`, in [0, 1].
    prior : float in (0, 1)
    new_prior : float in (0, 1), or Estimate
        An `Estimate`, such as that of `label_free.estimate_prior`, carries its error to the result.
        Its value and its limits may be 0 or 1.

    Returns
    -------
    ndarray of shape (n_samples,), in [0, 1], or Estimate
        The order of the samples is kept, except that neighbouring values may round to ties. 0 and 1
        do not change. Equal priors change nothing, and swapping the two priors inverts the
        conversion, up to rounding. Results below 1e-308 become 0.

        For an `Estimate` of the new prior, an `Estimate` whose value, limits and standard error
        have the shape (n_samples,). The limits are those of the new prior, converted. Whenever the
        interval contains the true new prior, the converted limits contain the converted
        probabilities of all samples.

    Raises
    ------
    ValueError, TypeError
        For probabilities outside [0, 1], priors outside (0, 1) or too far apart for float64.

    Notes
    -----
    Use `rebase` for samples *collected* at the new prior and scored by a classifier that is
    calibrated at the old prior. If only the class ratio differs between the two (label shift: the
    density of the features given the class is the same), their re-based probabilities are
    calibrated.

    `rebase` does not move a given sample to the new prior. Let π be the mean of ``y_prob``. The
    sample at prior π₀ is this sample with weights ``w(p) = π₀ p/π + (1 - π₀)(1 - p)/(1 - π)``, and
    ``w(p) rebase(p) = π₀ p/π``. Hence, up to the scale of all counts,

    - re-based probabilities *with the weights w* have the curve
      ``ConfusionCurve.from_probabilities(y_prob).at_prior(pi0)``, exactly;
    - ``ConfusionCurve.from_probabilities(rebase(y_prob, ...))``, without weights, is another
      curve: its prior is the mean of the re-based probabilities, not π₀, and even its ROC curve
      differs. It is the expected curve of samples that have the re-based odds.

    So use ``at_prior`` to calibrate a metric, and `rebase` to score a shifted population.

    References
    ----------
    Saerens, Latinne & Decaestecker, "Adjusting the outputs of a classifier to new a priori
    probabilities", Neural Computation 14 (2002), doi:10.1162/089976602753284446.
    Siblini et al., IDA 2020, section 3, doi:10.1007/978-3-030-44584-3_36.

    Examples
    --------
    >>> from calibrated_metrics.probabilities import rebase
    >>> rebase([0.0, 0.1, 0.5, 1.0], prior=0.1, new_prior=0.5)
    array([0. , 0.5, 0.9, 1. ])

    >>> from calibrated_metrics.uncertainty import Estimate
    >>> new_prior = Estimate.normal(0.5, 0.05, bounds=(0, 1))
    >>> rebased = rebase([0.1, 0.5], prior=0.1, new_prior=new_prior)
    >>> rebased.low, rebased.high
    (array([0.402..., 0.858...]), array([0.597..., 0.930...]))
    """
    probability = _checks.probabilities("y_prob", y_prob)
    prior = _checks.open_unit("prior", prior)
    if not isinstance(new_prior, Estimate):
        return _rebased(probability, prior, _checks.open_unit("new_prior", new_prior))
    value = _checks.real_number("new_prior.value", new_prior.value)
    if not 0 <= value <= 1:
        raise ValueError(f"new_prior.value must lie in [0, 1], got {value}")
    rebased = _rebased(probability, prior, value)
    with np.errstate(invalid="ignore"):
        slope = rebased * (1 - rebased) / (value * (1 - value)) if 0 < value < 1 else np.nan
    return Estimate.from_limits(
        rebased,
        slope * new_prior.standard_error,
        _RebasedLimits(probability, prior, new_prior),
        confidence_level=new_prior.confidence_level,
        method=f"rebased {new_prior.method}",
        reason=new_prior.reason,
    )


@dataclass(frozen=True, eq=False)
class _RebasedLimits:
    """Limits of re-based probabilities, which rise with the new prior."""

    y_prob: FloatArray
    prior: float
    new_prior: Estimate

    def __call__(self, level: float) -> tuple[FloatArray, FloatArray]:
        low, high = (
            _rebased(self.y_prob, self.prior, float(np.clip(limit, 0.0, 1.0)))
            for limit in self.new_prior.limits(level)
        )
        return low, high


def _rebased(probability: FloatArray, prior: float, new_prior: float) -> FloatArray:
    if new_prior == prior:
        return probability.copy()
    if math.isnan(new_prior):
        return np.full(len(probability), np.nan)
    if new_prior in (0, 1):
        certain = probability == 1 if new_prior == 0 else probability > 0
        return certain.astype(np.float64)
    # Unlike p a / (p a + (1 - p) b), every step is monotone after rounding: no two samples swap.
    with np.errstate(over="ignore", divide="ignore"):
        factor = np.divide((1.0 - new_prior) * prior, new_prior * (1.0 - prior))
        if not 0 < factor < np.inf:
            raise ValueError(
                f"prior={prior} and new_prior={new_prior} are too far apart for float64"
            )
        rebased: FloatArray = 1.0 / (1.0 + (1.0 - probability) / probability * factor)
        return rebased


# ----------------------------------------------------------------------------- calibration

_DISTRUST = "do not trust label-free estimates"


def calibration_error(
    y_true: ArrayLike, y_prob: ArrayLike, *, n_bins: int = 10, pos_label: Any = 1
) -> float:
    """Expected calibration error over bins with equally many samples.

    It is the absolute difference between the share of positives and the mean probability of a bin,
    averaged over the samples. Tied probabilities stay in one bin.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class, in [0, 1].
    n_bins : int >= 1, default=10
        Number of bins. With one bin, the result is the error of the mean probability.
    pos_label : scalar, default=1
        Label of the positive class.

    Returns
    -------
    float in [0, 1]
        Even calibrated probabilities have an error above 0, about
        ``sqrt(2 n_bins p (1 - p) / (π n_samples))`` for probabilities around p. Use
        `check_calibration` to judge it.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class, probabilities outside [0, 1], lengths
        that differ, empty input, `n_bins` below 1.

    References
    ----------
    Naeini, Cooper & Hauskrecht, "Obtaining well calibrated probabilities using Bayesian
    binning", AAAI 2015; Nguyen & O'Connor, "Posterior calibration and exploratory analysis for
    natural language processing models", EMNLP 2015 (equally filled bins).

    Examples
    --------
    >>> from calibrated_metrics.probabilities import calibration_error
    >>> calibration_error([0, 0, 0, 1], [0.25, 0.25, 0.25, 0.25])
    0.0
    >>> calibration_error([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75], n_bins=2)
    0.25
    """
    claim = _Claim(y_prob, n_bins)
    return claim.calibration_error(claim.labels(y_true, pos_label))


class CalibrationTest(NamedTuple):
    """A test statistic and its two-sided p-value.

    Attributes
    ----------
    statistic : float
        Standard normal under calibration, for many samples. Positive if the Brier score is worse
        than its expected value under calibration, as for overconfident probabilities; negative if
        it is better, as for underconfident ones.
    p_value : float in [0, 1]
    """

    statistic: float
    p_value: float


def calibration_test(
    y_true: ArrayLike, y_prob: ArrayLike, *, pos_label: Any = 1
) -> CalibrationTest:
    """Spiegelhalter's test: is the Brier score close to its expected value under calibration?

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class, in [0, 1].
    pos_label : scalar, default=1
        Label of the positive class.

    Returns
    -------
    CalibrationTest
        ``z = Σ (y - p)(1 - 2p) / sqrt(Σ (1 - 2p)² p (1 - p))``. If a label contradicts a
        probability of 0 or 1, the p-value is 0.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class, probabilities outside [0, 1], lengths
        that differ, empty input, or probabilities that are all 0, 0.5 or 1: the Brier score then
        cannot vary.

    Notes
    -----
    The p-value assumes that z is normal, which needs tens of positives. The test cannot detect
    errors that leave the Brier score at its expected value: probabilities that are spread evenly
    around 0.5 and all too low by the same amount pass it. `check_calibration` has neither weakness.

    References
    ----------
    Spiegelhalter, "Probabilistic prediction in patient management and clinical trials",
    Statistics in Medicine 5 (1986), pp. 421-433, doi:10.1002/sim.4780050506.

    Examples
    --------
    >>> from calibrated_metrics.probabilities import calibration_test
    >>> found = calibration_test([0, 1, 0, 1, 1, 0], [0.9, 0.1, 0.8, 0.2, 0.1, 0.9])
    >>> round(found.statistic, 2), round(found.p_value, 5)
    (6.53, 0.0)
    """
    claim = _Claim(y_prob, n_bins=1)
    positive = claim.labels(y_true, pos_label)
    z = claim.spiegelhalter_z(positive)
    p_value = 0.0 if claim.rules_out(positive) else float(2.0 * ndtr(-abs(z)))
    return CalibrationTest(z, p_value)


class CalibrationCheck(NamedTuple):
    """Result of `check_calibration`: whether label-free estimates may be trusted.

    Attributes
    ----------
    ece : float in [0, 1]
        Expected calibration error.
    z : float
        Spiegelhalter's statistic, positive if the Brier score is worse than expected under
        calibration.
    p_value : float in [0, 1]
        Probability that calibrated probabilities look at least as bad as these, by either
        statistic.
    trusted : bool
        False if ``p_value <= level``.
    message : str
        Human-readable summary.
    """

    ece: float
    z: float
    p_value: float
    trusted: bool
    message: str


def check_calibration(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    level: float = 0.05,
    n_bins: int = 10,
    n_resamples: int = 999,
    pos_label: Any = 1,
    rng: RandomState = 0,
) -> CalibrationCheck:
    """Check on labelled samples whether label-free estimates may be trusted.

    Labels are drawn from the probabilities many times (consistency resampling). The draws give
    the null distribution of the expected calibration error and of Spiegelhalter's statistic. The
    smaller of the two p-values is compared with its own null distribution, so that using two
    statistics does not raise the rate of false alarms.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class, in [0, 1].
    level : float in (0, 1), default=0.05
        Significance level: the largest share of calibrated classifiers that are rejected by
        chance. At least ``1 / (n_resamples + 1)``.
    n_bins : int >= 1, default=10
        Number of bins of the expected calibration error, with equally many samples each.
    n_resamples : int >= 1, default=999
        Number of draws of the labels.
    pos_label : scalar, default=1
        Label of the positive class.
    rng : None, int or numpy.random.Generator, default=0
        With the default, the result is reproducible.

    Returns
    -------
    CalibrationCheck
        If a label contradicts a probability of 0 or 1, the p-value is 0.

    Raises
    ------
    ValueError, TypeError
        As `calibration_test`, or for arguments outside their range.

    Notes
    -----
    The level is never exceeded, for any number of samples or positives. Few labels cannot prove
    calibration: the message states the calibration error that a calibrated classifier could have.

    References
    ----------
    Bröcker & Smith, "Increasing the reliability of reliability diagrams", Weather and
    Forecasting 22 (2007), doi:10.1175/WAF993.1 (consistency resampling).
    Spiegelhalter (1986), doi:10.1002/sim.4780050506. Westfall & Young, *Resampling-Based
    Multiple Testing* (1993) (the smaller of several p-values).

    Examples
    --------
    >>> from calibrated_metrics.probabilities import check_calibration
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_prob = rng.random(2000)
    >>> y_true = rng.random(2000) < y_prob
    >>> check_calibration(y_true, y_prob).trusted
    True
    >>> check_calibration(y_true, y_prob**2).trusted
    False
    """
    level = _checks.level("level", level)
    n_resamples = _checks.integer_at_least("n_resamples", n_resamples, 1)
    if level * (n_resamples + 1) < 1:
        raise ValueError(
            f"n_resamples must be at least {int(np.ceil(1 / level)) - 1} to judge at "
            f"level={level}, got {n_resamples}"
        )
    generator = _checks.generator("rng", rng)
    claim = _Claim(y_prob, n_bins)
    positive = claim.labels(y_true, pos_label)
    ece, z = claim.calibration_error(positive), claim.spiegelhalter_z(positive)
    if claim.rules_out(positive):
        message = f"{_DISTRUST}: a label contradicts a probability of 0 or 1"
        return CalibrationCheck(ece, z, 0.0, False, message)
    drawn = [claim.badness(claim.drawn_labels(generator)) for _ in range(n_resamples)]
    p_value = _smallest_p_value(np.array([(ece, abs(z)), *drawn]))
    usual = np.quantile([error for error, _ in drawn], 1.0 - level, method="higher")
    evidence = (
        f"p = {p_value:.2g}, {len(positive)} labels, expected calibration error {ece:.3g} "
        f"(calibrated probabilities: up to {usual:.3g} in {100 * (1 - level):.4g} % of draws)"
    )
    if p_value > level:
        return CalibrationCheck(
            ece, z, p_value, True, f"no evidence against calibration: {evidence}"
        )
    message = (
        f"{_DISTRUST}: {evidence}; the share of positives is {positive.mean():.3g} and the mean "
        f"probability {claim.y_prob.mean():.3g}, and the Brier score is "
        f"{'worse' if z > 0 else 'better'} than expected under calibration (z = {z:.2f})"
    )
    return CalibrationCheck(ece, z, p_value, False, message)


class _Claim:
    """Probabilities that claim to be calibrated; the claim is tested against labels."""

    def __init__(self, y_prob: ArrayLike, n_bins: int):
        from scipy.stats import rankdata  # slow to import

        n_bins = _checks.integer_at_least("n_bins", n_bins, 1)
        self.y_prob = _checks.probabilities("y_prob", y_prob)
        # Mid-ranks put ties into one bin, for any order of the samples.
        mid_ranks = rankdata(self.y_prob) - 0.5
        bins = (mid_ranks * (n_bins / len(self.y_prob))).astype(np.intp)
        self._bins = np.unique(bins, return_inverse=True)[1]  # at most one bin per sample
        self._slopes = 1.0 - 2.0 * self.y_prob
        variances = self.y_prob * (1.0 - self.y_prob)
        self._spread = float(np.sqrt((self._slopes**2 * variances).sum()))

    def drawn_labels(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        return rng.random(len(self.y_prob)) < self.y_prob

    def labels(self, y_true: ArrayLike, pos_label: Any) -> NDArray[np.bool_]:
        positive = _checks.is_positive(y_true, pos_label)
        _checks.same_length(y_true=positive, y_prob=self.y_prob)
        return positive

    def rules_out(self, positive: NDArray[np.bool_]) -> bool:
        return bool((np.abs(positive - self.y_prob) == 1.0).any())

    def calibration_error(self, positive: NDArray[np.bool_]) -> float:
        sums = np.bincount(self._bins, weights=positive - self.y_prob)
        return float(np.abs(sums).sum() / len(self.y_prob))

    def spiegelhalter_z(self, positive: NDArray[np.bool_]) -> float:
        if self._spread > 0:
            return float(((positive - self.y_prob) * self._slopes).sum() / self._spread)
        if self.rules_out(positive):
            return np.inf
        raise ValueError(
            "y_prob must hold probabilities other than 0, 0.5 and 1: "
            "Spiegelhalter's statistic is undefined"
        )

    def badness(self, positive: NDArray[np.bool_]) -> tuple[float, float]:
        return self.calibration_error(positive), abs(self.spiegelhalter_z(positive))


def _smallest_p_value(badness: FloatArray) -> float:
    """P-value of the first row: the rank, among all rows, of its smaller p-value by column.

    Under calibration the rows are exchangeable, so no approximation is involved.
    """
    from scipy.stats import rankdata

    p_values = rankdata(-badness, method="max", axis=0).min(axis=1)
    return float(np.mean(p_values <= p_values[0]))
