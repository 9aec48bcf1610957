"""Metrics of a calibrated classifier without labels.

The scores of a calibrated classifier are probabilities: of the samples scored p, a share p is
positive. Scores alone, or their distribution, then give the expected confusion matrix at every
threshold (the note *Classification metrics for a calibrated classifier*), and with it every
metric. `ConfusionCurve.from_probabilities` and `ConfusionCurve.from_distribution` are the curves
made of these matrices; here are the matrices themselves, how uncertain a label-free estimate is,
probabilities at another prior, and a check of the premise on whatever labels there are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr, ndtri
from scipy.stats import rankdata

from calibrated_metrics import _checks
from calibrated_metrics._sources import ScoreDistribution
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.metrics import UndefinedMetricWarning

__all__ = [
    "CalibrationCheck",
    "CalibrationTest",
    "ConfusionMatrix",
    "Estimate",
    "ThresholdMetrics",
    "calibration_error",
    "calibration_test",
    "check_calibration",
    "estimate",
    "expected_confusion_matrix",
    "labelled_confusion_matrix",
    "population_confusion_matrix",
    "rebase",
    "threshold_metrics",
]


_DISTRUST = "do not trust label-free estimates"

# ------------------------------------------------------------------------- confusion matrices


class ConfusionMatrix(NamedTuple):
    """Weights of the four outcomes; a score strictly above the threshold is predicted positive.

    Attributes
    ----------
    tp, fp, fn, tn : float, or ndarray of shape (n_thresholds,)
        At least 0. They sum to the number of samples, or to 1 for a distribution.
    """

    tp: float | np.ndarray
    fp: float | np.ndarray
    fn: float | np.ndarray
    tn: float | np.ndarray


def labelled_confusion_matrix(y_true, y_score, threshold, *, pos_label=1) -> ConfusionMatrix:
    """Count the confusion matrix of labelled scores, at one threshold or at many.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    threshold : float, or array-like of shape (n_thresholds,)
        In any order; all of them cost one sort.
    pos_label : scalar, default=1
        Label of the positive class.

    Returns
    -------
    ConfusionMatrix
        Whole numbers that sum to ``n_samples``.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class, scores or thresholds that are not finite
        numbers, lengths that differ, empty input.

    Examples
    --------
    >>> labelled_confusion_matrix([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], 0.5)
    ConfusionMatrix(tp=1.0, fp=1.0, fn=1.0, tn=1.0)
    """
    y_score = _checks.finite_vector("y_score", y_score)
    positive = _checks.is_positive(y_true, pos_label)
    _checks.same_length(y_true=positive, y_score=y_score)
    return _confusion_matrix(y_score, positive.astype(np.float64), threshold)


def expected_confusion_matrix(y_prob, threshold) -> ConfusionMatrix:
    """Confusion matrix that calibrated probabilities promise, without labels.

    Each probability ``p`` above the threshold adds ``p`` to TP and ``1 - p`` to FP; any other
    adds ``p`` to FN and ``1 - p`` to TN.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples,)
        Calibrated probabilities of the positive class, in [0, 1].
    threshold : float, or array-like of shape (n_thresholds,)
        In any order; all of them cost one sort.

    Returns
    -------
    ConfusionMatrix
        Expected counts that sum to ``n_samples``.

    Raises
    ------
    ValueError, TypeError
        For probabilities outside [0, 1], thresholds that are not finite numbers, empty input.

    References
    ----------
    *Classification metrics for a calibrated classifier*: metrics from a sample of scores.

    Examples
    --------
    >>> expected_confusion_matrix([0.25, 0.5, 0.75], 0.5)
    ConfusionMatrix(tp=0.75, fp=0.25, fn=0.75, tn=1.25)
    """
    y_prob = _probabilities(y_prob)
    return _confusion_matrix(y_prob, y_prob, threshold)


def population_confusion_matrix(dist, threshold) -> ConfusionMatrix:
    """Confusion matrix of a calibrated classifier whose scores follow a distribution.

    ``TP = ∫_t^1 x f(x) dx``, ``FP = ∫_t^1 (1 - x) f(x) dx``, ``FN = ∫_0^t x f(x) dx`` and
    ``TN = ∫_0^t (1 - x) f(x) dx``, each within 1e-10.

    Parameters
    ----------
    dist : frozen continuous scipy.stats distribution
        Its support must lie in [0, 1].
    threshold : float, or array-like of shape (n_thresholds,)
        In any order.

    Returns
    -------
    ConfusionMatrix
        Per sample: the four sum to 1.

    Raises
    ------
    ValueError, TypeError
        For a `dist` that is not such a distribution, thresholds that are not finite numbers.

    References
    ----------
    *Classification metrics for a calibrated classifier*: the expected confusion matrix.

    Examples
    --------
    >>> from scipy import stats
    >>> population_confusion_matrix(stats.uniform(), 0.5)
    ConfusionMatrix(tp=0.375, fp=0.125, fn=0.125, tn=0.375)
    """
    source = ScoreDistribution(dist)
    thresholds = _thresholds(threshold)
    n_pos, n_neg = source.counts_above(0.0)
    above = np.array([source.counts_above(each) for each in thresholds.flat])
    tp, fp = above.T.reshape(2, *thresholds.shape)
    fn, tn = np.maximum(n_pos - tp, 0.0), np.maximum(n_neg - fp, 0.0)
    return ConfusionMatrix(*map(_plain, (tp, fp, fn, tn)))


def _confusion_matrix(scores: np.ndarray, positive: np.ndarray, threshold) -> ConfusionMatrix:
    """Confusion matrix of samples each of which is positive by a share in [0, 1]."""
    thresholds = _thresholds(threshold)
    order = np.argsort(scores)
    n_below = scores[order].searchsorted(thresholds, side="right")
    fn, tp = _sums_around(positive[order], n_below)
    tn, fp = _sums_around(1.0 - positive[order], n_below)
    return ConfusionMatrix(*map(_plain, (tp, fp, fn, tn)))


def _sums_around(weights: np.ndarray, n_below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the first `n_below` weights, and of the others."""
    # Each side is summed from its own end: a difference from the total would cancel.
    below = np.concatenate([[0.0], np.cumsum(weights)])
    above = np.concatenate([[0.0], np.cumsum(weights[::-1])])
    return below[n_below], above[len(weights) - n_below]


class ThresholdMetrics(NamedTuple):
    """Metrics of confusion matrices, one per threshold.

    Attributes
    ----------
    accuracy : float or ndarray of shape (n_thresholds,), in [0, 1]
    precision : float or ndarray of shape (n_thresholds,), in [0, 1]
        NaN where nothing lies above the threshold: precision does not exist there.
    recall : float or ndarray of shape (n_thresholds,), in [0, 1]
        NaN where no sample can be positive.
    fbeta : float or ndarray of shape (n_thresholds,), in [0, 1]
        0 where nothing lies above the threshold, NaN where also no sample can be positive.
    """

    accuracy: float | np.ndarray
    precision: float | np.ndarray
    recall: float | np.ndarray
    fbeta: float | np.ndarray


def threshold_metrics(matrix: ConfusionMatrix, *, beta: float = 1.0) -> ThresholdMetrics:
    """Accuracy, precision, recall and F-beta of confusion matrices, from wherever they come.

    Parameters
    ----------
    matrix : ConfusionMatrix
        Of `labelled_confusion_matrix`, `expected_confusion_matrix`, `population_confusion_matrix`
        or one's own counts.
    beta : float > 0, default=1.0
        Weight of recall against precision; 1 gives F1.

    Returns
    -------
    ThresholdMetrics
        Numbers, or arrays of shape (n_thresholds,), as in `matrix`. A perfect classifier has 1.

    Raises
    ------
    ValueError, TypeError
        If `matrix` is not a confusion matrix, holds negative or non-finite weights or none at
        all, or `beta` is not above 0.

    Examples
    --------
    >>> threshold_metrics(expected_confusion_matrix([0.25, 0.5, 0.75], 0.5))
    ThresholdMetrics(accuracy=0.6666666666666666, precision=0.75, recall=0.5, fbeta=0.6)
    """
    tp, fp, fn, tn = _outcomes(matrix)
    log_beta = np.log(_checks.positive_number("beta", beta))
    # 1 / (1 + beta²) and beta² / (1 + beta²), for any beta without overflow.
    of_precision, of_recall = expit(-2.0 * log_beta), expit(2.0 * log_beta)
    predicted, n_pos = tp + fp, tp + fn
    fbeta = _ratio(tp, of_precision * predicted + of_recall * n_pos)
    return ThresholdMetrics(
        accuracy=_plain((tp + tn) / (tp + tn + (fp + fn))),
        precision=_plain(_ratio(tp, predicted)),
        recall=_plain(_ratio(tp, n_pos)),
        fbeta=_plain(np.minimum(fbeta, 1.0)),
    )


def _outcomes(matrix: ConfusionMatrix) -> list[np.ndarray]:
    if not isinstance(matrix, ConfusionMatrix):
        raise TypeError(f"matrix must be a ConfusionMatrix, got {matrix!r}")
    outcomes = []
    for name, weights in matrix._asdict().items():
        name = f"matrix.{name}"
        if np.isscalar(weights):
            array = np.array(_checks.real_number(name, weights))
        else:
            array = _checks.finite_vector(name, weights)
        if array.min() < 0:
            raise ValueError(f"{name} must not be negative, got {array.min()}")
        outcomes.append(array)
    if len({array.shape for array in outcomes}) > 1:
        shapes = ", ".join(str(array.shape) for array in outcomes)
        raise ValueError(f"matrix must hold four weights of the same shape, got {shapes}")
    if not (np.sum(outcomes, axis=0) > 0).all():
        raise ValueError("matrix must not be all zero")
    return outcomes


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole, NaN where the whole is 0."""
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)


# ------------------------------------------------------------------------------- uncertainty


class Estimate(NamedTuple):
    """A metric estimated without labels, and how far it may be off.

    Attributes
    ----------
    value : float
        The score of the expected curve.
    standard_error : float
        Standard deviation of the draws: of the value around that of the population, or of the
        metric on these samples over their possible labels, as asked for.
    low, high : float
        Confidence interval of the population's value, or prediction interval of the metric on
        these samples.
    """

    value: float
    standard_error: float
    low: float
    high: float


def estimate(
    score: Callable[[ConfusionCurve], float],
    y_prob,
    *,
    pi0: float | None = None,
    target: str = "population",
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> Estimate:
    """Estimate a metric, calibrated or not, from calibrated probabilities alone.

    Parameters
    ----------
    score : callable
        A function of a `ConfusionCurve`: one of `calibrated_metrics.scores`, or your own. Give
        options by ``functools.partial(scores.precision, threshold=0.5)``.
    y_prob : array-like of shape (n_samples,)
        Calibrated probabilities of the positive class, in [0, 1], neither all 0 nor all 1.
    pi0 : None or float in (0, 1), default=None
        Reference prior. None: the ordinary metric.
    target : {"population", "sample"}, default="population"
        What the uncertainty is about; the value is the same.

        - ``"population"``: the metric on endlessly many labelled samples. What is uncertain is
          which scores were sampled; they are drawn again, with replacement (bootstrap).
        - ``"sample"``: the metric on these very samples once their labels are known. What is
          uncertain is the labels; they are drawn from the probabilities (Bernoulli).
    n_bootstrap : int >= 2, default=1000
        Number of draws; each costs a sort of the samples.
    confidence : float in (0, 1), default=0.95
        Probability with which the interval is to hold its target; a confidence interval does
        so for many samples.
    rng : numpy.random.Generator

    Returns
    -------
    Estimate
        For ``"population"``: the standard error of the value, and the normal confidence interval
        around it, which may reach beyond the range of the metric. For ``"sample"``: the
        predictive standard deviation of the metric, and the prediction interval between its
        quantiles. Together they make up the spread of the metric over labelled samples of this
        size: its variance is the sum of both squares.

    Raises
    ------
    ValueError, TypeError
        For arguments outside their range, or where the metric is undefined on the data or on
        more than half of the draws.

    Warns
    -----
    UndefinedMetricWarning
        Where the metric is undefined on some draws, as when a class is absent or nothing lies
        above a threshold. They are left out.

    Notes
    -----
    All of it holds only while the probabilities are calibrated: see `check_calibration`.

    The value has a bias of order 1 / n_samples, small against both intervals unless positives are
    few. Where ``y_prob.sum()`` is below a few hundred, confidence intervals can be too narrow for
    areas that the highest few scores decide; prediction intervals hold up, as they contain the
    bias of the labelled metric and need not be centred on the value.

    References
    ----------
    Efron & Tibshirani, *An Introduction to the Bootstrap* (1993), chapters 6 (standard errors)
    and 13 (intervals).

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import scores
    >>> rng = np.random.default_rng(0)
    >>> y_prob = rng.beta(0.2, 0.3, size=2000)
    >>> found = estimate(scores.average_precision, y_prob, pi0=0.5, n_bootstrap=200, rng=rng)
    >>> round(found.value, 2), round(found.standard_error, 3)
    (0.96, 0.002)
    """
    if not callable(score):
        raise TypeError(f"score must be a function of a ConfusionCurve, got {score!r}")
    if target not in ("population", "sample"):
        raise ValueError(f"target must be 'population' or 'sample', got {target!r}")
    n_bootstrap = _checks.integer_at_least("n_bootstrap", n_bootstrap, 2)
    confidence = _checks.open_unit("confidence", confidence)
    rng = _checks.generator("rng", rng)
    y_prob = _probabilities(y_prob)

    def value_of(curve: ConfusionCurve) -> float:
        calibrated = curve if pi0 is None else curve.at_prior(pi0)
        return _checks.real_number("score(curve)", score(calibrated))

    value = value_of(ConfusionCurve.from_probabilities(y_prob))
    draw = _with_scores_drawn if target == "population" else _with_labels_drawn
    drawn = _defined_values(value_of, lambda: draw(y_prob, rng), n_bootstrap)
    standard_error = float(drawn.std(ddof=1))
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if target == "sample":
        low, high = np.quantile(drawn, tails)
    else:
        # Not quantiles: what bias the value has, bootstrap draws have twice, as they hold ties.
        low, high = value + standard_error * ndtri(tails)
    return Estimate(value, standard_error, float(low), float(high))


def _with_scores_drawn(y_prob: np.ndarray, rng: np.random.Generator) -> ConfusionCurve:
    return ConfusionCurve.from_probabilities(y_prob[rng.integers(len(y_prob), size=len(y_prob))])


def _with_labels_drawn(y_prob: np.ndarray, rng: np.random.Generator) -> ConfusionCurve:
    return ConfusionCurve.from_predictions(_labels(y_prob, rng), y_prob)


def _labels(y_prob: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.random(len(y_prob)) < y_prob


def _defined_values(value_of, draw, n_draws: int) -> np.ndarray:
    """Values of the draws on which the metric is defined."""
    values, reason = [], None
    for _ in range(n_draws):
        try:
            values.append(value_of(draw()))
        except ValueError as error:  # the data themselves passed: only the draw can be at fault
            reason = error
    n_undefined = n_draws - len(values)
    if n_undefined:
        told = f"the metric is undefined on {n_undefined} of {n_draws} draws, such as: {reason}"
        if n_undefined > n_draws / 2 or len(values) < 2:
            raise ValueError(f"y_prob says too little about the metric: {told}")
        warnings.warn(f"{told}; they are left out", UndefinedMetricWarning, stacklevel=3)
    return np.array(values)


# ------------------------------------------------------------------------------ another prior


def rebase(y_prob, *, prior: float, new_prior: float) -> np.ndarray:
    """Carry probabilities that are calibrated at one prior over to another.

    Odds multiply by ``new_prior / (1 - new_prior) / (prior / (1 - prior))``.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class where its prior is `prior`, in [0, 1].
    prior, new_prior : float in (0, 1)

    Returns
    -------
    ndarray of shape (n_samples,), in [0, 1]
        In the same order, except that neighbours may round to ties; 0 and 1 stay. Equal priors
        change nothing, and exchanged priors go back, up to rounding. What falls below 1e-308
        is 0.

    Raises
    ------
    ValueError, TypeError
        For probabilities outside [0, 1], priors outside (0, 1) or too far apart for float64.

    Notes
    -----
    Re-basing is for samples *collected* at the new prior and scored by a classifier calibrated at
    the old one: if only the class ratio differs between the two (the density of the features
    given the class is the same), their re-based probabilities are calibrated.

    It does not move the samples at hand to the new prior. With π the mean of ``y_prob``, samples
    at prior π₀ are these samples with weights ``w(p) = π₀ p/π + (1 - π₀)(1 - p)/(1 - π)``, and
    ``w(p) rebase(p) = π₀ p/π``. Hence, up to the scale of all counts,

    - re-based probabilities *with the weights w* have the curve
      ``ConfusionCurve.from_probabilities(y_prob).at_prior(pi0)``, exactly;
    - ``ConfusionCurve.from_probabilities(rebase(y_prob, ...))``, without weights, is another
      curve: its prior is the mean of the re-based probabilities, not π₀, and even its ROC curve
      differs. It answers what would be found if each of these samples had other odds.

    So take ``at_prior`` to calibrate a metric, and `rebase` to score a shifted population.

    References
    ----------
    Saerens, Latinne & Decaestecker, "Adjusting the outputs of a classifier to new a priori
    probabilities", Neural Computation 14 (2002), doi:10.1162/089976602753284446.
    Siblini et al., IDA 2020, section 3, doi:10.1007/978-3-030-44584-3_36.

    Examples
    --------
    >>> rebase([0.0, 0.1, 0.5, 1.0], prior=0.1, new_prior=0.5)
    array([0. , 0.5, 0.9, 1. ])
    """
    y_prob = _probabilities(y_prob)
    prior, new_prior = _checks.open_unit("prior", prior), _checks.open_unit("new_prior", new_prior)
    if new_prior == prior:
        return y_prob.copy()
    # Unlike p a / (p a + (1 - p) b), every step is monotone after rounding: no two samples swap.
    with np.errstate(over="ignore", divide="ignore"):
        factor = np.divide((1.0 - new_prior) * prior, new_prior * (1.0 - prior))
        if not 0 < factor < np.inf:
            raise ValueError(
                f"prior={prior} and new_prior={new_prior} are too far apart for float64"
            )
        return 1.0 / (1.0 + (1.0 - y_prob) / y_prob * factor)


# ---------------------------------------------------------------------- check of the premise


def calibration_error(y_true, y_prob, *, n_bins: int = 10, pos_label=1) -> float:
    """Expected calibration error over bins that hold equally many samples.

    The mean over the samples of how far the share of positives in a bin is from its mean
    probability. Tied probabilities stay in one bin.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class, in [0, 1].
    n_bins : int >= 1, default=10
        With one bin it is the error of the prior that the probabilities promise.
    pos_label : scalar, default=1
        Label of the positive class.

    Returns
    -------
    float in [0, 1]
        Calibrated probabilities too have an error above 0, about
        ``sqrt(2 n_bins p (1 - p) / (π n_samples))`` for probabilities around p: judge it by
        `check_calibration`.

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
    >>> calibration_error([0, 0, 0, 1], [0.25, 0.25, 0.25, 0.25])
    0.0
    >>> calibration_error([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75], n_bins=2)
    0.25
    """
    premise = _Premise(y_prob, n_bins)
    return premise.calibration_error(premise.labels(y_true, pos_label))


class CalibrationTest(NamedTuple):
    """A test statistic and its two-sided p-value.

    Attributes
    ----------
    statistic : float
        Standard normal under calibration, for many samples. Above 0 where the Brier score is
        worse than the probabilities promise, as when they are overconfident; below 0 where it is
        better, as when they are underconfident.
    p_value : float in [0, 1]
    """

    statistic: float
    p_value: float


def calibration_test(y_true, y_prob, *, pos_label=1) -> CalibrationTest:
    """Test of Spiegelhalter: is the Brier score what the probabilities promise?

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
        ``z = Σ (y - p)(1 - 2p) / sqrt(Σ (1 - 2p)² p (1 - p))``. A label that a probability of 0
        or 1 rules out gives p-value 0.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class, probabilities outside [0, 1], lengths
        that differ, empty input, or probabilities that are all 0, 0.5 or 1: they promise a Brier
        score that cannot vary.

    Notes
    -----
    The p-value takes z for normal, which needs tens of positives. The test is blind to errors
    that leave the Brier score as promised: probabilities spread evenly around 0.5 and all too
    low by the same amount pass it. `check_calibration` has neither weakness.

    References
    ----------
    Spiegelhalter, "Probabilistic prediction in patient management and clinical trials",
    Statistics in Medicine 5 (1986), pp. 421-433, doi:10.1002/sim.4780050506.

    Examples
    --------
    >>> found = calibration_test([0, 1, 0, 1, 1, 0], [0.9, 0.1, 0.8, 0.2, 0.1, 0.9])
    >>> round(found.statistic, 2), round(found.p_value, 5)
    (6.53, 0.0)
    """
    premise = _Premise(y_prob, n_bins=1)
    positive = premise.labels(y_true, pos_label)
    z = premise.spiegelhalter_z(positive)
    p_value = 0.0 if premise.rules_out(positive) else float(2.0 * ndtr(-abs(z)))
    return CalibrationTest(z, p_value)


class CalibrationCheck(NamedTuple):
    """Whether labels give reason to distrust label-free estimates.

    Attributes
    ----------
    ece : float in [0, 1]
        Expected calibration error.
    z : float
        Spiegelhalter's statistic, above 0 where the Brier score is worse than promised.
    p_value : float in [0, 1]
        Probability that calibrated probabilities look as bad as these, by either number.
    trusted : bool
        False where ``p_value <= level``.
    message : str
        The same for a reader.
    """

    ece: float
    z: float
    p_value: float
    trusted: bool
    message: str


def check_calibration(
    y_true,
    y_prob,
    *,
    level: float = 0.05,
    n_bins: int = 10,
    n_resamples: int = 999,
    pos_label=1,
    rng: np.random.Generator | None = None,
) -> CalibrationCheck:
    """Check on labelled samples that label-free estimates may be trusted.

    Labels are drawn from the probabilities again and again (consistency resampling). The draws
    say how large the expected calibration error and Spiegelhalter's statistic are when the
    probabilities are calibrated; the smaller of the two p-values is itself judged by the draws,
    so that looking at two numbers costs no false alarms.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class, in [0, 1].
    level : float in (0, 1), default=0.05
        Largest share of calibrated classifiers that are distrusted by chance; at least
        ``1 / (n_resamples + 1)``.
    n_bins : int >= 1, default=10
        Bins of the expected calibration error, equally filled.
    n_resamples : int >= 1, default=999
        Number of draws of the labels.
    pos_label : scalar, default=1
        Label of the positive class.
    rng : numpy.random.Generator, default=None
        None: a generator seeded by 0, so that the same labels get the same answer.

    Returns
    -------
    CalibrationCheck
        A label that a probability of 0 or 1 rules out gives p-value 0.

    Raises
    ------
    ValueError, TypeError
        As `calibration_test`, or for arguments outside their range.

    Notes
    -----
    The level is never exceeded, however few the samples or the positives. Few labels cannot
    prove calibration: the message tells what error would have gone unnoticed.

    References
    ----------
    Bröcker & Smith, "Increasing the reliability of reliability diagrams", Weather and
    Forecasting 22 (2007), doi:10.1175/WAF993.1 (consistency resampling).
    Spiegelhalter (1986), doi:10.1002/sim.4780050506. Westfall & Young, *Resampling-Based
    Multiple Testing* (1993) (the smaller of several p-values).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_prob = rng.random(2000)
    >>> y_true = rng.random(2000) < y_prob
    >>> check_calibration(y_true, y_prob).trusted
    True
    >>> check_calibration(y_true, y_prob**2).trusted
    False
    """
    level = _checks.open_unit("level", level)
    n_resamples = _checks.integer_at_least("n_resamples", n_resamples, 1)
    if level * (n_resamples + 1) < 1:
        raise ValueError(
            f"n_resamples must be at least {int(np.ceil(1 / level)) - 1} to judge at "
            f"level={level}, got {n_resamples}"
        )
    rng = np.random.default_rng(0) if rng is None else _checks.generator("rng", rng)
    premise = _Premise(y_prob, n_bins)
    positive = premise.labels(y_true, pos_label)
    ece, z = premise.calibration_error(positive), premise.spiegelhalter_z(positive)
    if premise.rules_out(positive):
        message = f"{_DISTRUST}: a label contradicts a probability of 0 or 1"
        return CalibrationCheck(ece, z, 0.0, False, message)
    drawn = [premise.badness(_labels(premise.y_prob, rng)) for _ in range(n_resamples)]
    p_value = _smallest_p_value(np.array([(ece, abs(z)), *drawn]))
    usual = np.quantile([error for error, _ in drawn], 1.0 - level, method="higher")
    evidence = (
        f"p = {p_value:.2g}, {len(positive)} labels, expected calibration error {ece:.3g} where "
        f"calibrated probabilities have up to {usual:.3g} in {100 * (1 - level):.4g} % of draws"
    )
    if p_value > level:
        return CalibrationCheck(
            ece, z, p_value, True, f"no evidence against calibration: {evidence}"
        )
    message = (
        f"{_DISTRUST}: {evidence}; {positive.mean():.3g} are positive where the probabilities "
        f"promise {premise.y_prob.mean():.3g}, and the Brier score is "
        f"{'worse' if z > 0 else 'better'} than they promise (z = {z:.2f})"
    )
    return CalibrationCheck(ece, z, p_value, False, message)


class _Premise:
    """Probabilities that claim to be calibrated; labels are held against them."""

    def __init__(self, y_prob, n_bins: int):
        n_bins = _checks.integer_at_least("n_bins", n_bins, 1)
        self.y_prob = _probabilities(y_prob)
        # By mid-ranks, so that ties share a bin whatever the order of the samples.
        mid_ranks = rankdata(self.y_prob) - 0.5
        self._bins = (mid_ranks * (n_bins / len(self.y_prob))).astype(np.intp)
        self._slopes = 1.0 - 2.0 * self.y_prob
        variances = self.y_prob * (1.0 - self.y_prob)
        self._spread = float(np.sqrt((self._slopes**2 * variances).sum()))

    def labels(self, y_true, pos_label) -> np.ndarray:
        positive = _checks.is_positive(y_true, pos_label)
        _checks.same_length(y_true=positive, y_prob=self.y_prob)
        return positive

    def rules_out(self, positive: np.ndarray) -> bool:
        return bool((np.abs(positive - self.y_prob) == 1.0).any())

    def calibration_error(self, positive: np.ndarray) -> float:
        sums = np.bincount(self._bins, weights=positive - self.y_prob)
        return float(np.abs(sums).sum() / len(self.y_prob))

    def spiegelhalter_z(self, positive: np.ndarray) -> float:
        if self._spread > 0:
            return float(((positive - self.y_prob) * self._slopes).sum() / self._spread)
        if self.rules_out(positive):
            return np.inf
        raise ValueError(
            "y_prob must hold probabilities other than 0, 0.5 and 1: "
            "Spiegelhalter's statistic is undefined"
        )

    def badness(self, positive: np.ndarray) -> tuple[float, float]:
        return self.calibration_error(positive), abs(self.spiegelhalter_z(positive))


def _smallest_p_value(badness: np.ndarray) -> float:
    """P-value of the first row among all rows by the smaller of its columns' p-values.

    Under calibration the rows are exchangeable, so no approximation is involved.
    """
    p_values = rankdata(-badness, method="max", axis=0).min(axis=1)
    return float(np.mean(p_values <= p_values[0]))


# ----------------------------------------------------------------------------------- helpers


def _probabilities(y_prob) -> np.ndarray:
    y_prob = _checks.finite_vector("y_prob", y_prob)
    outside = (y_prob < 0) | (y_prob > 1)
    if outside.any():
        raise ValueError(f"y_prob must lie in [0, 1], got {y_prob[outside][0]}")
    return y_prob


def _thresholds(threshold) -> np.ndarray:
    """One threshold or a vector of them, as an array of 0 or 1 dimensions."""
    if np.isscalar(threshold):
        return np.array(_checks.real_number("threshold", threshold))
    return _checks.finite_vector("threshold", threshold)


def _plain(values: np.ndarray) -> float | np.ndarray:
    return float(values) if np.ndim(values) == 0 else values
