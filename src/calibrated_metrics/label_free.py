"""Metrics and class priors of rows without labels.

There are two cases.

- *A new period whose prior may have moved*, and labelled rows of an earlier period. If only the
  class ratio differs (label shift), `estimate_prior` estimates the new prior, and `estimate` with
  `labelled` moves the metrics of the labelled rows to it. Only the ranks of the scores are used, so
  the scores need no calibration. A test rejects label shift where the scores can show that it
  fails; the page ``docs/without-labels.md`` lists what they cannot show.
- *Calibrated probabilities*: of the samples with score p, a share p is positive. The scores alone
  then give the expected confusion matrix at every threshold (the note *Classification metrics for
  a calibrated classifier*), and with it every metric: see `ConfusionCurve.from_probabilities`.
  `estimate` without `labelled` estimates a metric with its uncertainty. Test calibration on some
  labels with `probabilities.check_calibration` first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from numbers import Real
from typing import Any

from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._checks import RandomState
from calibrated_metrics._intervals.asked import Settings
from calibrated_metrics._intervals.estimate import Estimate
from calibrated_metrics._intervals.results import warn_of
from calibrated_metrics._label_free.from_probabilities import estimate_from_probabilities
from calibrated_metrics._label_free.results import LabelFreeEstimate, LabelShiftTest
from calibrated_metrics._label_free.samples import LabelShift
from calibrated_metrics._label_free.under_label_shift import (
    TARGET,
    at_given_prior,
    estimate_of_prior,
    remarks_on,
)
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.registry import Metric, thresholds_of

__all__ = ["LabelFreeEstimate", "LabelShiftTest", "estimate", "estimate_prior"]

ScoreLike = str | Metric | Callable[[ConfusionCurve], float]


def estimate_prior(
    y_score_new: ArrayLike,
    labelled: tuple[ArrayLike, ArrayLike],
    *,
    method: str = "bins",
    n_bins: int = 10,
    pos_label: Any = 1,
    confidence_level: float = 0.9,
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> LabelFreeEstimate:
    """Estimate the class prior (prevalence) of rows without labels, under label shift.

    Parameters
    ----------
    y_score_new : array-like of shape (n_new,)
        Finite scores of the rows without labels.
    labelled : tuple (y_true, y_score)
        Binary labels and finite scores of the same model on other rows, each of shape
        (n_labelled,). Their class ratio has no influence with ``method="bins"``, so either class
        may have been undersampled.
    method : {"bins", "em"}, default="bins"
        - ``"bins"``: maximum likelihood on histograms. Only ranks count: an increasing map of all
          scores changes nothing.
        - ``"em"``: the EM algorithm of [1]_ for scores that are calibrated probabilities at the
          prior of the labelled rows. Its intervals are somewhat narrower. If the labelled rows
          refute calibration (`probabilities.check_calibration`), the interval is withheld.
    n_bins : int >= 2, default=10
        Largest number of bins. They hold equal shares of a balanced mixture of the labelled
        classes. Ties stay in one bin, so discrete scores fill fewer bins. There is at most one bin
        per two labelled rows of the rarer class.
    pos_label : scalar, default=1
        The label of the positives.
    confidence_level : float in (0, 1), default=0.9
        Nominal probability that the interval contains the prior.
    n_resamples : int >= 2, default=1000
        Number of bootstrap draws. Each draws labelled rows of each class, and new rows. The limits
        of ``method="bins"`` need no draws.
    rng : None, int or numpy.random.Generator, default=None

    Returns
    -------
    LabelFreeEstimate
        An `uncertainty.Estimate` with `fit`, the test of label shift. Its target is the prior of
        the population that the new rows come from, not the share of positives among these rows.
        It can be passed as `new_prior` to `probabilities.rebase`, and as `pi0` to
        `thresholds.choose_threshold` with a curve of other rows than `labelled`.

    Raises
    ------
    ValueError, TypeError
        For arguments outside their range, labels that are not binary, labelled scores that are all
        equal, or with ``method="em"`` scores that are not probabilities.

    Warns
    -----
    IntervalWarning
        If label shift or calibration is refuted: the limits are NaN and `reason` says why. If
        label shift could not be tested. If the new rows are expected to hold fewer than five
        positives or five negatives.

    See Also
    --------
    estimate : A metric of the new rows at the estimated prior.

    Notes
    -----
    *Label shift* means that the scores of the positives have the same distribution as before, and
    those of the negatives too; only the prior changed.

    *Estimate.* The histogram of the new scores is a mixture of the histograms of the labelled
    classes. The likelihood of all three histograms is maximized over the prior and the bin
    probabilities of both classes (sampling scheme M2 of [2]_).

    *Fit test.* Pearson's χ² of the three histograms against this fit has ``bins - 2`` degrees of
    freedom, which includes the noise of the labelled histograms. Label shift is refuted if
    ``p <= 0.05``. Otherwise it is "not refuted", which is not "verified": a drift that looks like a
    mixture cannot be seen in scores. Examples are better or worse scores of the positives, and
    negatives that move to the top. ``docs/without-labels.md`` gives their size; label a sample of
    the alerts to detect them.

    *Interval.* The priors that the likelihood ratio test does not reject (profile likelihood). Near
    priors of 0 and 1 it keeps its coverage; an interval between quantiles of draws does not. With
    ``method="em"``: quantiles of the joint bootstrap. The standard error is always that of the
    joint bootstrap.

    Measured on normal scores with d' = 2 (distance of the class means in standard deviations), a
    prior that moved from 0.015 to 0.006 or 0.03, and 20,000 new rows, in 1,000 simulations each:
    90 % intervals covered 89 to 92 %, with 75 or 300 labelled positives; the bias was at most 2 %
    of the prior; label shift was refuted in 5 to 6 %. If the negatives move by 0.1 standard
    deviations, it was refuted in 97 to 100 %.

    References
    ----------
    .. [1] Saerens, Latinne & Decaestecker, Neural Computation 14 (2002),
       doi:10.1162/089976602753284446.
    .. [2] Hosmer, Biometrics 29 (1973), pp. 761-770, doi:10.2307/2529141.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import label_free
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(20_000) < 0.015
    >>> y_score = rng.normal(2.0 * y_true)
    >>> y_score_new = rng.normal(2.0 * (rng.random(20_000) < 0.03))
    >>> label_free.estimate_prior(y_score_new, (y_true, y_score), rng=0)
    LabelFreeEstimate(0.02751, 90 % interval 0.0219 to 0.0336, profile likelihood; label shift...)
    """
    _checks.one_of("method", method, ("bins", "em"))
    settings = Settings.of(confidence_level, "auto", n_resamples, rng)
    shift = LabelShift(y_score_new, labelled, pos_label=pos_label, n_bins=n_bins)
    found = estimate_of_prior(shift, method, settings)
    warn_of(remarks_on(shift, float(found.value), found))
    return found


def estimate(
    score: ScoreLike,
    y_score_new: ArrayLike | None = None,
    labelled: tuple[ArrayLike, ArrayLike] | None = None,
    *,
    y_prob: ArrayLike | None = None,
    prior: float | Estimate | None = None,
    pi0: float | None = None,
    target: str = "population",
    n_bins: int = 10,
    pos_label: Any = 1,
    n_resamples: int = 1000,
    confidence_level: float | None = None,
    rng: RandomState = None,
) -> Estimate:
    """Estimate a metric of rows without labels.

    With `labelled`, it is the metric of the labelled rows at the prior of the new rows. Without
    `labelled`, the scores must be calibrated probabilities.

    Parameters
    ----------
    score : str, Metric or callable
        Name of a registered score, a `calibrated_metrics.registry.Metric`, or a function of a
        `ConfusionCurve`. With `labelled`, a score of the matrix at a threshold must be a `Metric`
        with the option `threshold`. Without `labelled`, it may also be a function such as
        ``lambda curve: scores.precision(curve.confusion_matrix(0.5))``.
    y_score_new : array-like of shape (n_new,)
        Scores of the rows without labels. Without `labelled`: calibrated probabilities of the
        positive class, in [0, 1], neither all 0 nor all 1.
    labelled : tuple (y_true, y_score), default=None
        Binary labels and scores of the same model on other rows, as for `estimate_prior`. None:
        the scores are calibrated probabilities.
    y_prob : array-like of shape (n_new,)
        Calibrated probabilities. Another name of `y_score_new`: give one of the two.
    prior : None, float in (0, 1) or Estimate, default=None
        Prior of the new rows from elsewhere, such as an audit or another estimator; with `labelled`
        only. The error of an `Estimate` is added to the interval as independent of the labelled
        rows. None: `estimate_prior`.
    pi0 : None or float in (0, 1), default=None
        Reference prior. None: the metric at the prior of the new rows. With `labelled`, a metric at
        a reference prior is the same before and after label shift. The result is therefore the
        metric of the labelled rows, and the new rows are used only to test label shift.
    target : {"population", "sample"}, default="population"
        Target of the interval; the value is the same.

        - ``"population"``: the metric in the infinite-sample limit. The data are drawn again, with
          replacement (bootstrap).
        - ``"sample"``, without `labelled` only: the metric on these samples once their labels are
          known. The labels are uncertain; they are drawn from the probabilities (Bernoulli).
    n_bins, pos_label
        With `labelled`: as for `estimate_prior`.
    n_resamples : int >= 2, default=1000
        Number of draws. Each draw of probabilities sorts the samples.
    confidence_level : float in (0, 1), default=0.9 with `labelled`, 0.95 without
        Nominal probability that the interval contains its target.
    rng : None, int or numpy.random.Generator, default=None

    Returns
    -------
    uncertainty.Estimate
        With `labelled`: a `LabelFreeEstimate` with the test of label shift, `fit`, and the prior,
        `prior`. Its interval is that of `uncertainty.interval` at this prior, with its error.

        Without `labelled`, for ``"population"``: the standard error of the value, and the normal
        confidence interval around it, clipped to the bounds of a registered score. For
        ``"sample"``: the predictive standard deviation of the metric, and the prediction interval
        between its quantiles. The variance of the metric over labelled samples of this size is the
        sum of the squares of the two standard errors.

    Raises
    ------
    ValueError, TypeError
        For arguments outside their range, or if the metric is undefined on the data or on more
        than half of the draws.

    Warns
    -----
    IntervalWarning
        With `labelled`: as `estimate_prior` and `uncertainty.interval`.
        If the prior may be so low that one labelled negative weighs as much as more than 20
        positives, and there are fewer than 160 positives: the lower limit of a metric may then be
        too high.
    UndefinedMetricWarning
        If the metric is undefined on some draws, for example because a class is absent or no
        score reaches a threshold. These draws are left out.

    Notes
    -----
    *With labels of an earlier period.* The metric is that of ``curve.at_prior(prior)``. The errors
    of prior and curve are added as if they were independent. The target is the value of the
    population. The value of a period, once its labels are known, varies around it.

    Measured with 500 months each, positives of which 30 % score like negatives, 20,000 new rows:
    90 % intervals of average precision covered 88 and 92 % at new priors of 0.0005 and 0.005 with
    2,000 labelled rows of each class, and 91 and 95 % with 100 labelled positives of 5,000 rows.

    *Without labels.* The estimate is valid only if the probabilities are calibrated: see
    `probabilities.check_calibration`.

    The value has a bias of order 1 / n_samples, small compared with both intervals unless positives
    are few. Confidence intervals are then too narrow for areas that depend on the highest few
    scores: 95 % intervals of average precision covered 77–98 % with 12 expected positives, 91–95 %
    with 100 and 94–96 % with 1,000 (five or six score distributions, at least 1,000 simulations
    each). Prediction intervals keep their level, because their draws have the bias of the labelled
    metric. They may not be centred on the value.

    References
    ----------
    Efron & Tibshirani, *An Introduction to the Bootstrap* (1993), chapters 6 (standard errors)
    and 13 (intervals).

    Examples
    --------
    A month without labels, from a DataFrame to numbers:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from calibrated_metrics import label_free
    >>> rng = np.random.default_rng(0)
    >>> fraud = rng.random(60_000) < np.repeat([0.015, 0.006], [40_000, 20_000])
    >>> frame = pd.DataFrame({"month": np.repeat(["May", "June"], [40_000, 20_000])})
    >>> frame["fraud"], frame["score"] = fraud, rng.normal(2.0 * fraud)

    >>> may, june = frame[frame["month"] == "May"], frame[frame["month"] == "June"]
    >>> labelled = (may["fraud"], may["score"])
    >>> label_free.estimate_prior(june["score"], labelled, rng=0)
    LabelFreeEstimate(0.009217, 90 % interval 0.005462 to 0.01321, profile likelihood; label...)
    >>> found = label_free.estimate("average_precision", june["score"], labelled, rng=0)
    >>> found
    LabelFreeEstimate(0.235, 90 % interval 0.1642 to 0.2977, hull; label shift...)
    >>> found.fit.verdict
    'label shift is not refuted (χ² = 9.92, 8 df, p = 0.27)'

    Calibrated probabilities:

    >>> from calibrated_metrics import scores
    >>> y_prob = rng.beta(0.2, 0.3, size=2000)
    >>> found = label_free.estimate(
    ...     scores.average_precision, y_prob, pi0=0.5, n_resamples=200, rng=0
    ... )
    >>> round(found.value, 2), round(found.standard_error, 3)
    (0.96, 0.002)
    """
    score = Metric(score) if isinstance(score, str) else score
    if not callable(score):
        raise TypeError(
            f"score must be a registered name, a Metric or a function of a ConfusionCurve, "
            f"got {score!r}"
        )
    _checks.one_of("target", target, ("population", "sample"))
    given = y_prob if y_score_new is None else y_score_new
    if given is None or (y_score_new is not None and y_prob is not None):
        raise TypeError("exactly one of y_score_new and y_prob must be given")
    if confidence_level is None:
        confidence_level = 0.95 if labelled is None else 0.9
    settings = Settings.of(confidence_level, "auto", n_resamples, rng)
    if labelled is None:
        if prior is not None:
            raise ValueError(
                "prior needs labelled rows; to move probabilities to another prior, use "
                "probabilities.rebase"
            )
        return estimate_from_probabilities(score, given, pi0, target, settings)
    if y_score_new is None:
        raise TypeError("y_prob cannot be used with labelled; pass the scores as y_score_new")
    if target == "sample":
        raise ValueError("target must be 'population' with labelled, got 'sample'")
    if isinstance(score, Metric) and isinstance(score.pi0, Real):
        if pi0 is not None:
            raise ValueError(f"pi0 must be None for a Metric with a reference prior, got {pi0}")
        pi0, score = float(score.pi0), dataclasses.replace(score, pi0=None)
    if prior is not None and pi0 is not None:
        raise ValueError(
            f"prior and pi0 must not both be given, got prior={prior} and pi0={pi0}: a metric at "
            "a reference prior does not depend on the prior of the new rows"
        )
    if isinstance(prior, Estimate):
        _checks.probabilities("prior", [_checks.real_number("prior", prior.value)])
    elif prior is not None:
        prior = _checks.open_unit("prior", prior)
    if pi0 is not None:
        pi0 = _checks.open_unit("pi0", pi0)
    shift = LabelShift(
        y_score_new,
        labelled,
        pos_label=pos_label,
        n_bins=n_bins,
        thresholds=thresholds_of([score]) if isinstance(score, Metric) else [],
    )
    if pi0 is not None:
        at_pi0 = f"{TARGET}, at the reference prior {pi0}"
        found, remarks = at_given_prior(score, shift, settings, pi0, at_pi0)
    elif prior is not None:
        found, remarks = at_given_prior(score, shift, settings, prior, TARGET)
    else:
        estimated = estimate_of_prior(shift, "bins", settings)
        found, remarks = at_given_prior(score, shift, settings, estimated, TARGET)
    warn_of([*remarks, *remarks_on(shift, shift.prior, found)])
    return found
