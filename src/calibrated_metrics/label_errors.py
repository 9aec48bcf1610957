"""How often labels are late or wrong: sensitivity and specificity for `label_sensitivity`.

The results are arguments of `ConfusionCurve.from_predictions` and of `comparison.by_group`.
"""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.uncertainty import Estimate, interval

__all__ = ["LabelRates", "known_by_age", "prior", "rates"]


def known_by_age(
    age: ArrayLike,
    event: ArrayLike,
    report: ArrayLike,
    *,
    as_of: Any,
    longest_delay: Any = None,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the share of positives that are known at an age: the sensitivity of late labels.

    Positives are the rows that are reported within `longest_delay`. All times and ages are numbers,
    such as days, or all are dates and time differences.

    Parameters
    ----------
    age : array-like of shape (n_rows,)
        Time from the event to the look at the labels, for each row of a recent period.
    event, report : array-like of shape (n_reported,)
        Times of events that are known to be positive by `as_of`, and of their reports.
    as_of : number or date
        Time at which the reports were read.
    longest_delay : number or time difference, default=None
        Only events that are at least as old are used, so all their reports have arrived. None: all
        events are used, in reversed time, since a recent event is seen only if its delay was short
        (Lagakos, Barraj & De Gruttola 1988, doi:10.1093/biomet/75.3.515). The shares are then
        relative to the reports within the longest delay that was seen.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    Estimate
        With one value and two limits for each row.

    Examples
    --------
    Half of the frauds are reported within 20 days:

    >>> import numpy as np
    >>> from calibrated_metrics import label_errors
    >>> rng = np.random.default_rng(0)
    >>> event = rng.uniform(0, 300, 1000)
    >>> report = event + rng.exponential(30, 1000)
    >>> seen = report <= 300
    >>> label_errors.known_by_age(
    ...     [10, 20, 40], event[seen], report[seen], as_of=300, longest_delay=150
    ... )
    Estimate([0.2921 0.5075 0.7548], 95 % interval [0.2513 ...
    """
    level = _checks.level("confidence_level", confidence_level)
    ages, delay, window = _days(age), _days(report, event), _days(as_of, event)
    times = {"age": ages, "report - event": delay, "as_of - report": window - delay}
    for name, each in times.items():
        _checks.not_negative(name, _checks.finite_vector(name, each))
    if longest_delay is None:
        longest = float(delay.max())
        method = f"reports in reversed time, relative to the longest delay seen, {longest:g}"
        value, n = _in_reversed_time(ages, np.sort(delay), np.sort(window))
    else:
        longest = float(_days(longest_delay))
        delay = np.sort(delay[(window >= longest) & (delay <= longest)])
        if not delay.size:
            raise ValueError(f"event must hold events {longest:g} or more before as_of, got none")
        method = f"reports within {longest:g} of {delay.size} events of at least this age"
        value, n = delay.searchsorted(ages, side="right") / delay.size, np.array(delay.size)
    low, high = clopper_pearson(value * n, n, (1 - level) / 2)
    low = np.where(ages >= longest, 1.0, low)  # by definition
    return Estimate(value, low, high, np.sqrt(value * (1 - value) / n), level, method)


def _days(times: Any, since: Any = None) -> FloatArray:
    """Times, or differences of times, as numbers; of dates, in days."""
    found = _of_numpy(times) if since is None else _of_numpy(times) - _of_numpy(since)
    days = found / np.timedelta64(1, "D") if found.dtype.kind == "m" else found
    return np.asarray(days, dtype=np.float64)


def _of_numpy(times: Any) -> Any:
    """Times as an array; a date or time difference of Python or pandas as that of NumPy."""
    if isinstance(times, date):  # also datetime, and Timestamp of pandas
        return np.datetime64(times)
    return np.timedelta64(times) if isinstance(times, timedelta) else np.asarray(times)


def _in_reversed_time(
    ages: FloatArray, delay: FloatArray, window: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Shares of delays up to each age, and the number of independent events with their error.

    An event is at risk of a delay if it was old enough for it, and its own delay is not longer.
    Delays and windows (the greatest delays that could be seen) are ascending.
    """
    at_risk = np.arange(1.0, len(delay) + 1) - window.searchsorted(delay)
    if (at_risk[1:] < 2).any():
        raise ValueError(
            "event must hold at least two events that are old enough for each delay; give "
            "longest_delay to use old events only"
        )
    leaves = 1 / np.append(at_risk, np.inf)
    later = delay.searchsorted(ages, side="right")
    value = (1 - leaves)[::-1].cumprod()[::-1][later]
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (leaves**2 / (1 - leaves))[::-1].cumsum()[::-1][later]  # of log(value)
        n = (1 - value) / (value * variance)
    return value, np.where((value > 0) & (value < 1), n, len(delay))


class LabelRates(NamedTuple):
    """Sensitivity and specificity of labels, and a test of their main assumption.

    `p_value` is that of the null hypothesis that errors do not depend on the score given the class;
    NaN if this was not tested.
    """

    sensitivity: Estimate
    specificity: Estimate
    p_value: float

    @property
    def verdict(self) -> str:
        """Human-readable result of the test; not refuted does not mean verified."""
        if math.isnan(self.p_value):
            return "independence of errors and scores was not tested"
        found = "refuted" if self.p_value <= 0.05 else "not refuted"
        return f"independence of errors and scores is {found} (p = {self.p_value:.2g})"


def rates(
    reference: ArrayLike,
    label: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    chosen_by: str = "score",
    all_labels: ArrayLike | None = None,
    pos_label: Any = 1,
    confidence_level: float = 0.95,
) -> LabelRates:
    """Estimate the sensitivity and specificity of labels from rows that also have the truth.

    Parameters
    ----------
    reference, label : array-like of shape (n_rows,)
        True classes, and labels by a judge or an imperfect test.
    y_score : array-like of shape (n_rows,), default=None
        Scores of the model. With scores, the assumption that errors do not depend on the score is
        tested in each class (Mann-Whitney test, Bonferroni correction).
    chosen_by : {"score", "label"}, default="score"
        How the rows were chosen for the reference: "score" is at random, or by the score; then the
        shares are valid if the assumption is true. "label" is at random within each label; then the
        numbers of all labels are needed (Begg & Greenes 1983, doi:10.2307/2530820). Rows that were
        chosen in any other way, such as by doubt of the judge, are not valid.
    all_labels : array-like, optional
        Labels of all rows from which the rows were chosen, for ``chosen_by="label"``.
    pos_label : scalar, default=1
        The positive class in `reference`, `label` and `all_labels`.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    LabelRates
        An error is raised if a class has no rows in `reference`.

    Examples
    --------
    A judge labelled all answers, and people labelled 300 of them:

    >>> import numpy as np
    >>> from calibrated_metrics import label_errors
    >>> rng = np.random.default_rng(0)
    >>> person = rng.random(300) < 0.3
    >>> judge = rng.random(300) < np.where(person, 0.8, 0.1)
    >>> label_errors.rates(person, judge).sensitivity
    Estimate(0.8947, 95 % interval 0.8031 to 0.9534, rates)
    """
    _checks.one_of("chosen_by", chosen_by, ("score", "label"))
    if (all_labels is None) == (chosen_by == "label"):
        raise ValueError('all_labels must be given for chosen_by="label", and only then')
    drawn: dict[str, Any] = {}
    if all_labels is not None:
        of_all, chosen = (np.asarray(each) == pos_label for each in (all_labels, label))
        weight = [np.mean(of_all == each) / max(np.mean(chosen == each), 1e-300) for each in (0, 1)]
        drawn = {"sample_weight": np.where(chosen, weight[1], weight[0]), "strata": chosen}
    matrix = ConfusionMatrix.from_predictions(reference, label, pos_label=pos_label, **drawn)
    p_value = math.nan if y_score is None else _p_value(matrix, y_score)
    sensitivity, specificity = (
        interval(name, matrix, confidence_level=confidence_level)
        for name in ("sensitivity", "specificity")
    )
    return LabelRates(sensitivity, specificity, p_value)


def _p_value(matrix: ConfusionMatrix, y_score: ArrayLike) -> float:
    """Smallest p-value of two tests of the scores of correct and of wrong labels, twice."""
    from scipy.stats import mannwhitneyu  # slow to import

    score, truth = _checks.finite_vector("y_score", y_score), matrix.rows.positive
    _checks.same_length(y_score=score, reference=truth)
    groups = [
        (score[of_class & matrix.has_alert], score[of_class & ~matrix.has_alert])
        for of_class in (truth, ~truth)
    ]
    found = [float(mannwhitneyu(*pair).pvalue) for pair in groups if min(map(len, pair)) > 0]
    return min([len(found) * each for each in found] + [1.0]) if found else math.nan


def prior(
    y_true: ArrayLike,
    *,
    label_sensitivity: Any = None,
    label_specificity: Any = None,
    pos_label: Any = 1,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the class prior (prevalence) from labels with errors.

    The value is that of Rogan & Gladen (1978, doi:10.1093/oxfordjournals.aje.a112510), restricted
    to [0, 1].

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Labels as they are.
    label_sensitivity, label_specificity, pos_label
        As for `ConfusionCurve.from_predictions`.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import label_errors
    >>> labels = np.arange(1000) < 140
    >>> label_errors.prior(labels, label_sensitivity=0.9, label_specificity=0.95)
    Estimate(0.1059, 95 % interval 0.08226 to 0.133, labels with errors)
    """
    all_alerts = np.full(len(_checks.vector("y_true", y_true)), pos_label)
    given = {"label_sensitivity": label_sensitivity, "label_specificity": label_specificity}
    matrix = ConfusionMatrix.from_predictions(y_true, all_alerts, pos_label=pos_label, **given)
    return interval("precision", matrix, confidence_level=confidence_level)
