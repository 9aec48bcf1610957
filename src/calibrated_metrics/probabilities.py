"""Tests of calibration, conversion of probabilities to another prior, and proper scores there."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _arguments, _columns, _labels, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics._messages import with_bar
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import Values
from calibrated_metrics.functions.value import value_of
from calibrated_metrics.scores.proper import rebased
from calibrated_metrics.uncertainty import Estimate
from calibrated_metrics.uncertainty.estimate import t_quantile, withheld

__all__ = [
    "CalibrationCheck",
    "brier_score",
    "check_calibration",
    "log_loss",
    "rebase",
]


@overload
def rebase(y_prob: ArrayLike, *, prior: float, pi0: float) -> FloatArray: ...


@overload
def rebase(y_prob: ArrayLike, *, prior: float, pi0: Estimate) -> Estimate: ...


@plain_calls(old_prior="use prior", new_prior="use pi0")
def rebase(y_prob: ArrayLike, *, prior: float, pi0: float | Estimate) -> FloatArray | Estimate:
    """Convert probabilities that are calibrated at one prior to another prior.

    The odds are multiplied by ``pi0 / (1 - pi0) / (prior / (1 - prior))`` (Saerens et
    al. 2002, doi:10.1162/089976602753284446). The results are calibrated for rows that were
    collected at the new prior, under label shift. To compute the metrics of given rows at another
    prior, use `ConfusionCurve.at_prior` (see ``docs/how-to/without-labels.md``).

    Parameters
    ----------
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class that are calibrated at `prior`, in [0, 1].
    prior : float in (0, 1)
    pi0 : float in (0, 1), or Estimate
        An `Estimate`, such as from `label_free.estimate_prior`, may have a value and limits of 0 or
        1.

    Returns
    -------
    ndarray of shape (n_samples,), in [0, 1], or Estimate
        In the same order, except that neighbours may round to ties. For an `Estimate` of the prior,
        its converted limits contain the probabilities of all samples if they contain the prior.

    Examples
    --------
    >>> from calibrated_metrics.probabilities import rebase
    >>> rebase([0.0, 0.1, 0.5, 1.0], prior=0.1, pi0=0.5)
    array([0. , 0.5, 0.9, 1. ])
    """
    probability = _numbers.probabilities("y_prob", y_prob)
    prior = _numbers.open_unit("prior", prior)
    if not isinstance(pi0, Estimate):
        return rebased(probability, prior, _numbers.open_unit("pi0", pi0))
    value = _numbers.probability("value of pi0", pi0.value)
    converted, low, high = (
        rebased(probability, prior, float(np.clip(each, 0, 1)))
        for each in (value, pi0.low, pi0.high)
    )
    slope = converted * (1 - converted) / (value * (1 - value)) if 0 < value < 1 else np.nan
    error, level = slope * pi0.standard_error, pi0.confidence_level
    method = f"rebased {pi0.method}"
    return Estimate(converted, low, high, error, level, method, pi0.reason)


_MOST_STEPS = 100  # of Newton's method, of length 2 or less
_DISTRUST = (
    "evidence against calibration; do not rely on these probabilities, or estimates without labels"
)
_CONTRADICTED = f"{_DISTRUST}: a label contradicts a probability of 0 or 1"


class CalibrationCheck(NamedTuple):
    """Result of `check_calibration`: whether probabilities are calibrated.

    `ece` is the expected calibration error: the absolute difference between the share of positives
    and the mean probability of a bin, averaged over the samples. `z` is Spiegelhalter's statistic,
    ``Σ (y - p)(1 - 2p) / sqrt(Σ (1 - 2p)² p (1 - p))``, which is positive if the Brier score is
    worse than expected, as for overconfident probabilities. `p_value` is the probability of an at
    least as extreme result under calibration; `trusted` is False if it is at most the level.
    `message` is a human-readable summary.

    `slope` is that of a logistic regression of the labels on the log-odds of the probabilities: 1
    if they are calibrated, less if they are too extreme. `intercept` is that with a slope of 1: 0
    if they are right on average (calibration in the large), more if they are too low (Van Calster
    et al. 2019, doi:10.1186/s12916-019-1466-7). Both are `uncertainty.Estimate`.
    """

    ece: float
    z: float
    p_value: float
    trusted: bool
    message: str
    slope: Estimate
    intercept: Estimate


@plain_calls()
def check_calibration(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    prior: float | None = None,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    n_bins: int = 10,
    n_resamples: int = 999,
    pos_label: Any = 1,
    rng: RandomState = None,
) -> CalibrationCheck:
    """Test the calibration of probabilities on labelled samples, with its slope and intercept.

    Label-free estimates may be trusted only if probabilities are calibrated. Labels are drawn from
    them many times (consistency resampling; Bröcker & Smith 2007, doi:10.1175/WAF993.1). The draws
    give the null distribution of the smaller p-value of two statistics: the expected calibration
    error and Spiegelhalter's (1986, doi:10.1002/sim.4780050506). The test keeps its level for any
    number of samples. Few labels cannot prove calibration, so the message states how large the
    error of a calibrated classifier could be.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present; the positives are labelled `pos_label`.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class, in [0, 1], not all of them 0, 0.5 or 1.
    prior : float in (0, 1), default=None
        Prior at which the probabilities are said to be calibrated. They are converted from it to
        that of the samples, as by `rebase`; the error of the latter makes the test conservative,
        and the interval of the intercept narrower. None: the prior of the samples.
    significance_level : float in (0, 1), default=0.05
        At least ``1 / (n_resamples + 1)``.
    confidence_level : float in (0, 1), default=0.95
        Level of the intervals of slope and intercept (Wald).
    n_bins : int >= 1, default=10
        Number of bins of the expected calibration error, with equally many samples; tied
        probabilities stay in one bin. One bin: the error of the mean.
    n_resamples : int >= 1, default=999
        Number of draws of the labels.
    pos_label : scalar, default=1
        The label of the positives.
    rng : None, int or numpy.random.Generator, default=None

    Returns
    -------
    CalibrationCheck
        If a label contradicts a probability of 0 or 1, the p-value is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.probabilities import check_calibration
    >>> rng = np.random.default_rng(0)
    >>> y_prob = rng.random(2000)
    >>> y_true = rng.random(2000) < y_prob
    >>> [check_calibration(y_true, p, rng=0).trusted for p in (y_prob, y_prob**2)]
    [True, False]
    """
    level = _numbers.level("significance_level", significance_level)
    n_resamples = _numbers.integer_at_least("n_resamples", n_resamples, 1)
    if level * (n_resamples + 1) < 1:
        raise ValueError(
            f"n_resamples must be at least {int(np.ceil(1 / level)) - 1} to judge at "
            f"significance_level={level}, got {n_resamples}"
        )
    generator = _arguments.generator("rng", rng)
    claim = _Claim(y_true, y_prob, n_bins, pos_label, prior)
    ece, z = claim.statistics(positive := claim.positive)
    fitted = _slope_and_intercept(positive, claim.y_prob, prior is not None, confidence_level)
    if claim.is_contradicted:
        return CalibrationCheck(ece, z, 0.0, False, _CONTRADICTED, *fitted)
    drawn = [
        claim.statistics(generator.random(len(positive)) < claim.y_prob)
        for _ in with_bar(range(n_resamples), "draws")
    ]
    p_value = _smallest_p_value(np.abs([(ece, z), *drawn]))
    usual = np.quantile([error for error, _ in drawn], 1.0 - level, method="higher")
    message = (
        f"p = {p_value:.2g}, {len(positive)} labels, expected calibration error {ece:.3g} "
        f"(calibrated probabilities: up to {usual:.3g} in {100 * (1 - level):.4g} % of draws)"
    )
    if trusted := p_value > level:
        message = f"no evidence against calibration: {message}"
    else:
        message = f"{_DISTRUST}: {message}; {claim.difference(z)}"
    return CalibrationCheck(ece, z, p_value, trusted, message, *fitted)


class _Claim:
    """Labels, and probabilities whose calibration is tested."""

    def __init__(
        self, y_true: ArrayLike, y_prob: ArrayLike, n_bins: int, pos_label: Any, prior: float | None
    ):
        from scipy.stats import rankdata  # slow to import

        n_bins = _numbers.integer_at_least("n_bins", n_bins, 1)
        _columns.same_index(y_true=y_true, y_prob=y_prob)
        self.y_prob = _numbers.probabilities("y_prob", y_prob)
        self.positive = _labels.is_positive(y_true, pos_label)
        _columns.same_length(y_true=self.positive, y_prob=self.y_prob)
        if prior is not None:
            self.y_prob = rebase(self.y_prob, prior=prior, pi0=float(self.positive.mean()))
        # Mid-ranks put ties into one bin, for any order of the samples.
        mid_ranks = rankdata(self.y_prob) - 0.5
        bins = (mid_ranks * (n_bins / len(self.y_prob))).astype(np.intp)
        self._bins = np.unique(bins, return_inverse=True)[1]  # at most one bin per sample
        self._slopes = 1.0 - 2.0 * self.y_prob
        variances = self.y_prob * (1.0 - self.y_prob)
        self._spread = float(np.sqrt((self._slopes**2 * variances).sum()))
        self.is_contradicted = bool((np.abs(self.positive - self.y_prob) == 1.0).any())
        if self._spread == 0 and not self.is_contradicted:
            raise ValueError(
                "y_prob must hold probabilities other than 0, 0.5 and 1: "
                "Spiegelhalter's statistic is undefined"
            )

    def difference(self, z: float) -> str:
        """How labels and probabilities differ, in words."""
        return (
            f"the share of positives is {self.positive.mean():.3g} and the mean probability "
            f"{self.y_prob.mean():.3g}, and the Brier score is {'worse' if z > 0 else 'better'} "
            f"than expected under calibration (z = {z:.2f})"
        )

    def statistics(self, positive: NDArray[np.bool_]) -> tuple[float, float]:
        """Expected calibration error, and Spiegelhalter's statistic."""
        residual = positive - self.y_prob
        error = float(np.abs(np.bincount(self._bins, weights=residual)).sum() / len(residual))
        z = float((residual * self._slopes).sum() / self._spread) if self._spread > 0 else np.inf
        return error, z


def _slope_and_intercept(
    positive: NDArray[np.bool_], y_prob: FloatArray, prior_is_given: bool, level: float
) -> tuple[Estimate, Estimate]:
    """Slope of the log-odds, and intercept if the slope is 1.

    If the prior is given, the numbers of both classes say nothing about it, and the variance of the
    intercept is lower by the sum of their inverses (Prentice & Pyke 1979,
    doi:10.1093/biomet/66.3.403).
    """
    from scipy.special import logit

    log_odds = logit(y_prob)
    of_pos, of_neg = log_odds[positive], log_odds[~positive]
    level, method = _numbers.level("confidence_level", level), "logistic regression"
    if not np.isfinite(log_odds).all():
        reason = "y_prob holds 0 or 1, whose log-odds are infinite"
        return (withheld(math.nan, level, method, reason),) * 2
    value, variance = _logistic(positive, np.ones((len(positive), 1)), log_odds)
    if prior_is_given:
        variance -= 1 / len(of_pos) + 1 / len(of_neg)
    intercept = _wald(value, variance, level, method)
    if of_pos.min() >= of_neg.max() or of_pos.max() <= of_neg.min():
        reason = "y_prob separates the classes, or is constant: the slope is undefined"
        return withheld(math.nan, level, method, reason), intercept
    columns = np.column_stack([np.ones(len(positive)), log_odds])
    return _wald(*_logistic(positive, columns, np.zeros(len(positive))), level, method), intercept


def _logistic(
    positive: NDArray[np.bool_], columns: FloatArray, offset: FloatArray
) -> tuple[float, float]:
    """The last coefficient of a logistic regression, and its variance: Newton's method."""
    from scipy.special import expit

    found = np.zeros(columns.shape[1])
    for _ in range(_MOST_STEPS):
        mean = expit(offset + columns @ found)
        information = columns.T @ (columns * (mean * (1 - mean))[:, np.newaxis])
        step = np.linalg.solve(information, columns.T @ (positive - mean))
        longest = float(np.abs(step).max())
        found = found + step * min(1.0, 2.0 / max(longest, 1e-300))
        if longest < 1e-11:
            break
    return float(found[-1]), float(np.linalg.inv(information)[-1, -1])


def _wald(value: float, variance: float, level: float, method: str) -> Estimate:
    error = math.sqrt(max(variance, 0.0))
    half = t_quantile(level) * error
    return Estimate(value, value - half, value + half, error, level, method)


def _smallest_p_value(badness: FloatArray) -> float:
    """P-value of the first row: the rank of its smaller p-value among those of all rows.

    Under calibration the rows are exchangeable, so the p-value is exact.
    """
    from scipy.stats import rankdata

    p_values = rankdata(-badness, method="max", axis=0).min(axis=1)
    return float(np.mean(p_values <= p_values[0]))


@plain_calls()
def brier_score(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    rebase: bool = False,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Brier score at a reference prior: π₀ E[(1 - p)² | positive] + (1 - π₀) E[p² | negative].

    The metrics "brier_score" and "log_loss", with the option `rebase`, give intervals, differences
    and groups, such as ``uncertainty.interval("brier_score", (y_true, y_prob), pi0=0.1)``.

    With ``rebase=False`` it evaluates the probabilities as they are, on data with the prior π₀.
    This penalises a model for being calibrated at the prior of the data. With ``rebase=True`` the
    probabilities are first converted from the prior of the data to π₀ by the function `rebase`.
    Source: Brier 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n_rows,)
        Binary labels of any type, both present, and probabilities of the positive class in [0, 1].
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior. None: the prior of the data.
    rebase : bool, default=False
        Whether the probabilities are converted from the prior of the data to `pi0` first.
    pos_label : scalar, default=1
        The label of the positives.
    sample_weight : array-like of shape (n_rows,), default=None
        Non-negative weights; without `pi0` they also set the prior.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        0 is perfect; the best constant prediction, π₀, has the score π₀ (1 - π₀).

    Examples
    --------
    Probabilities that are calibrated at the prior of the data, 0.5, evaluated at the prior 0.1:

    >>> import numpy as np
    >>> from calibrated_metrics.probabilities import brier_score
    >>> rng = np.random.default_rng(0)
    >>> y_prob = rng.random(2000)
    >>> y_true = rng.random(2000) < y_prob
    >>> as_they_are = brier_score(y_true, y_prob, pi0=0.1)
    >>> round(as_they_are, 3), round(brier_score(y_true, y_prob, pi0=0.1, rebase=True), 3)
    (0.161, 0.068)
    """
    return _mean_loss("brier_score", y_true, y_prob, pi0, pos_label, sample_weight, rebase)


@plain_calls()
def log_loss(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    rebase: bool = False,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Log loss at a reference prior: -π₀ E[ln p | positive] - (1 - π₀) E[ln(1 - p) | negative].

    Source: Good 1952, doi:10.1111/j.2517-6161.1952.tb00104.x.

    Parameters
    ----------
    y_true, y_prob, pi0, rebase, pos_label, sample_weight
        As for `brier_score`.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, inf]
        In nats. 0 is perfect; the best constant prediction has the entropy of π₀. Probabilities are
        not clipped: the loss is infinite if a label contradicts a probability of 0 or 1.

    Examples
    --------
    >>> from calibrated_metrics.probabilities import log_loss
    >>> y_true, y_prob = [0, 0, 0, 0, 1, 1, 1], [0.1, 0.3, 0.2, 0.1, 0.6, 0.7, 0.8]
    >>> log_loss(y_true, y_prob, pi0=[0.1, 0.5]).round(4)
    array([0.2142, 0.2806])
    """
    return _mean_loss("log_loss", y_true, y_prob, pi0, pos_label, sample_weight, rebase)


def _mean_loss(
    name: str, y_true: Any, y_prob: Any, pi0: Any, pos_label: Any, sample_weight: Any, rebase: bool
) -> Values:
    _columns.same_index(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    probability = _numbers.probabilities("y_prob", y_prob)
    _columns.same_length(y_true=_columns.vector("y_true", y_true), y_prob=probability)
    return value_of(name, y_true, y_prob, pi0, pos_label, sample_weight, rebase=rebase)
