"""Groups and periods of a data set: metrics of each, and why a metric changed.

`by_group` measures the groups of a DataFrame or of a table at a common prior. `explain_change`
splits the change of a metric between two samples into the part of the prior and the part of the
model, and `explain_changes` does this for each of several periods.

Examples
--------
Monitoring, from a pandas DataFrame to numbers with intervals. In this example the share of frauds
falls from month to month and the model does not change:

>>> import numpy as np
>>> import pandas as pd
>>> from calibrated_metrics import comparison
>>> rng = np.random.default_rng(0)
>>> frame = pd.DataFrame({"month": np.repeat([1, 2, 3], 5000)})
>>> frame["fraud"] = rng.random(15000) < 0.09 / 3 ** frame["month"]
>>> frame["score"] = rng.normal(size=15000) + 2 * frame["fraud"]
>>> months = {month: (rows["fraud"], rows["score"]) for month, rows in frame.groupby("month")}
>>> changes = comparison.explain_changes(months, "average_precision", reference=1)
>>> table = pd.DataFrame(changes)
>>> table[["period", "total", "prior_part", "prior_part_low", "prior_part_high"]].round(2)
   period  total  prior_part  prior_part_low  prior_part_high
0       2  -0.19       -0.22           -0.28            -0.16
1       3  -0.34       -0.29           -0.36            -0.22
>>> table[["period", "model_part", "model_part_low", "model_part_high"]].round(2)
   period  model_part  model_part_low  model_part_high
0       2        0.03           -0.13             0.20
1       3       -0.05           -0.19             0.13

The interval of the model part contains 0 in both months: the falling prior explains the change.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar, cast

from calibrated_metrics import _checks
from calibrated_metrics._checks import RandomState
from calibrated_metrics._comparison.changes import (
    Change,
    Counts,
    Labelled,
    Period,
    PriorOfPeriod,
    change_between,
    named_periods,
    pair_of_priors,
    reference_and_others,
    row_of_change,
    without_reference_prior,
)
from calibrated_metrics._comparison.groups import (
    check_columns,
    check_prior,
    groups_of_frame,
    mean_prior,
    named_scores,
    table_of_groups,
)
from calibrated_metrics._intervals.asked import Asked, ScoreLike, Settings
from calibrated_metrics._intervals.results import warn_of
from calibrated_metrics._tables.counting import Columns
from calibrated_metrics._tables.groups import groups_of_table
from calibrated_metrics._tables.reading import is_table

__all__ = [
    "Change",
    "by_group",
    "explain_change",
    "explain_changes",
]

Frame = TypeVar("Frame")


def by_group(
    frame: Frame,
    by: Hashable | Sequence[Hashable],
    *,
    y_true: Hashable,
    y_score: Hashable,
    metrics: ScoreLike | Sequence[ScoreLike],
    pi0: float | str | None = "mean",
    pos_label: Any = 1,
    sample_weight: Hashable | None = None,
    groups: Hashable | None = None,
    confidence_level: float | None = 0.95,
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> Frame:
    """Measure each group of a DataFrame or table at a common prior, with confidence intervals.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame, ibis Table, or path of parquet files
        For a table or a path, the rows are counted by the engine of the table, or by an embedded
        DuckDB, as in `tables.curves`. Each distinct score of each group is fetched.
    by : column name or list of column names
        Rows with the same values in these columns form a group. Missing values form a group of
        their own.
    y_true, y_score : column name
        Binary labels of any type; finite scores, higher for more likely positives.
    metrics : str, Metric or callable, or a list of these
        As `score` of `uncertainty.interval_from_predictions`: the name of a registered score, a
        `registry.Metric`, or a function of a `ConfusionCurve`. A `registry.Metric` may hold
        options, such as a threshold, and its own reference prior.
    pi0 : "mean", float in (0, 1), or None, default="mean"
        Reference prior. "mean": the unweighted mean of the priors of the groups whose data can be
        used. None: the prior of each group.
    pos_label : scalar, default=1
        The label of the positives.
    sample_weight : column name, default=None
        Non-negative weights of the rows.
    groups : column name, default=None
        Clusters of dependent rows within a group, such as customers. Not for tables and paths.
    confidence_level : float in (0, 1) or None, default=0.95
        Nominal probability that an interval contains its true value. None: no intervals, and no
        columns `low` and `high`.
    n_resamples : int >= 2, default=1000
        Number of draws, for metrics whose intervals are bootstraps.
    rng : None, int or numpy.random.Generator, default=None
        Used by bootstraps only.

    Returns
    -------
    DataFrame of the same kind as `frame`; of pandas for a table or a path
        One row per group and metric. Groups are sorted by the columns `by`, missing values last;
        metrics are in the given order. Columns:

        - those of `by`, with their types;
        - `n_pos`, `n_neg`: numbers of rows of each class, also of those of weight 0; rows without a
          label are not counted;
        - `prior`: share of the positives, with weights; NaN if the data cannot be used;
        - `metric`: name of the metric with its options, without the reference prior;
        - `pi0`: the prior at which the metric was computed;
        - `value`, `low`, `high`: the metric with the limits of its interval;
        - `status`: "ok", or why `value` is NaN, or "no interval: " and why the limits are NaN.

    Raises
    ------
    ValueError, TypeError
        If `frame` is no DataFrame, table or path, or empty, if a column does not exist or has the
        name of a column of the result, or for other arguments outside their range. Data that cannot
        be used, such as a group of one class, missing scores or negative weights, raise no error:
        the group has a `status`.

    Warns
    -----
    IntervalWarning
        As `uncertainty.interval`, with the name of the group. After three warnings, a last one
        gives the number of the others.

    See Also
    --------
    uncertainty.interval_from_predictions : The methods of the intervals, and their coverage.
    uncertainty.difference : Two groups compared at a common prior, with an interval.
    tables.curves : The curves of the groups of a table, also of rounded scores.

    Notes
    -----
    Each interval holds for its group alone. The reference prior is taken as known.

    The counts of a table hold sums of weights, not the weights of its rows. With `sample_weight`,
    the groups of a table therefore have values without intervals.

    References
    ----------
    Siblini et al., IDA 2020, doi:10.1007/978-3-030-44584-3_36, section 5: two populations are
    compared at a common prior, such as the mean of their priors.

    Examples
    --------
    Two populations with different priors. Only the calibrated values can be compared:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from calibrated_metrics import comparison
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"country": np.repeat(["FR", "US"], [4000, 8000])})
    >>> frame["fraud"] = rng.random(12000) < np.where(frame["country"] == "FR", 0.1, 0.02)
    >>> frame["score"] = rng.normal(size=12000) + 2 * frame["fraud"]
    >>> table = comparison.by_group(
    ...     frame, "country", y_true="fraud", y_score="score", metrics="average_precision"
    ... )
    >>> table[["country", "n_pos", "pi0", "value", "low", "high", "status"]].round(3)
      country  n_pos    pi0  value    low   high status
    0      FR    415  0.061  0.619  0.562  0.664     ok
    1      US    147  0.061  0.580  0.507  0.646     ok
    """
    keys = list(by) if isinstance(by, list | tuple) else [by]
    check_columns(keys)
    asked = named_scores(metrics)
    for _, score in asked:
        score.check_threshold()
    check_prior(pi0)
    _checks.single_label("pos_label", pos_label)
    settings = None
    if confidence_level is not None:
        settings = Settings.of(confidence_level, "auto", n_resamples, rng)
    if not is_table(frame):
        found, measured = groups_of_frame(
            frame, keys, y_true, y_score, pos_label, sample_weight, groups
        )
    elif groups is None:
        columns = Columns(y_true, y_score, keys, sample_weight)
        found, measured = groups_of_table(frame, "frame", columns, pos_label)
    else:
        raise ValueError(f"groups must be None for a table or a path, got {groups!r}")
    common = mean_prior(measured) if isinstance(pi0, str) else pi0
    table, remarks = table_of_groups(found, measured, asked, common, settings)
    warn_of(remarks)
    return cast(Frame, table)


# ----------------------------------------------------------------------- why a metric changed


def explain_change(
    before: Counts | Labelled,
    after: Counts | Labelled,
    score: ScoreLike,
    *,
    pi0: tuple[PriorOfPeriod, PriorOfPeriod] | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> Change:
    """Split the change of a metric into the part of the prior and the part of the model.

    Parameters
    ----------
    before, after : ConfusionCurve, ConfusionMatrix or tuple (y_true, y_score)
        Two samples without common rows, such as two periods: their counts, or their rows with
        positives labelled 1.
    score : str, Metric or callable
        As for `uncertainty.interval`, without a reference prior of its own.
    pi0 : None or tuple (before, after), default=None
        The prior of each period: a number, which is taken as known; an `Estimate`, whose error must
        be independent of these samples; or None for the prior of the sample. The default None
        is the same as (None, None).
    confidence_level : float in (0, 1), default=0.95
        Nominal probability that an interval contains its true value.
    method : {"auto", "bootstrap"}, default="auto"
        As for `uncertainty.interval`. "auto" takes the bootstrap for the parts of best
        F-beta.
    n_resamples : int >= 2, default=1000
        Number of draws of a bootstrap.
    rng : None, int or numpy.random.Generator, default=None
        Used by bootstraps only.

    Returns
    -------
    Change
        The total change, its prior part and its model part, each with its interval. For AUC-PR
        Gain, the intervals of the parts are withheld if the priors differ.

    Raises
    ------
    ValueError, TypeError
        As `uncertainty.interval`, and for a score with a reference prior of its own.

    Warns
    -----
    IntervalWarning
        As `uncertainty.interval`, for each sample at each of the two priors.

    See Also
    --------
    uncertainty.difference : The change at one reference prior.

    Notes
    -----
    Let V(F, π) be the metric at the prior π if F is the distribution of the scores in each class.
    The change from V(F₀, π₀) to V(F₁, π₁) can be split in two orders: first the prior, then the
    model, or the reverse. Each part is the mean of its two values, so that no order is preferred;
    these are the Shapley values of a game with two players::

        prior part = (V(F₀, π₁) - V(F₀, π₀) + V(F₁, π₁) - V(F₁, π₀)) / 2
        model part = (V(F₁, π₀) - V(F₀, π₀) + V(F₁, π₁) - V(F₀, π₁)) / 2

    The parts add up to the total exactly: the total is computed as their sum, so it may differ from
    ``value_after - value_before`` in the last digit. The model part includes every change of F. If
    the population of a class has changed, this part cannot be attributed to the model.

    The intervals are about the two populations, not about the two samples. Class counts are taken
    as random: the prior of a sample has a binomial error, with Wilson limits. The prior of a curve
    that was calibrated by ``at_prior`` and a number in `pi0` are taken as known, which is right for
    a sample with class counts fixed by design.

    Each part depends on four independent quantities: the scores of both samples and both priors.
    The limits of each quantity move the part by a distance, and the four distances are added in
    quadrature (MOVER, Zou & Donner). Limits for the scores of a sample are those of
    `uncertainty.interval`, for the mean or the difference of the metric at the two priors.

    Measured coverage of 95 % intervals, in percent: least to greatest over the cases of a
    simulation, each with 2,000 samples (simulation error 0.5), with random class counts. There are
    cases in which nothing, the prior, the model or both change; the priors are 0.05 and 0.02, or
    0.5 and 0.2.

    ====================================  ============  ============  ============
    score                                 total         prior part    model part
    ====================================  ============  ============  ============
    average precision, 160 positives      95.0 to 96.4  94.5 to 96.2  96.0 to 97.1
    average precision, 40 positives       95.6 to 98.3  94.0 to 98.2  96.0 to 99.0
    average precision, 20 positives       97.2          92.8          96.7
    precision, F1, 40 positives           94.6 to 94.8  95.0 to 95.5  95.3 to 95.4
    AUC-ROC, 40 positives                 95.6          always 0      95.6
    best F1, 40 positives (500 samples)   98.0          93.8          98.0
    ====================================  ============  ============  ============

    The scores are binormal; at 40 positives, two more distributions are included. If the prior
    rises from 0.05 to 0.5, one negative of the second sample weighs as much as 19 positives at the
    first prior. The average precision of this sample at that prior is biased upwards: with a weak
    model (AUC-ROC 0.76), the interval of the prior part covered only 84.0 %
    (20 positives) and 87.1 % (40 positives), those of the total and of the model part 96.2 to
    97.9 %.

    References
    ----------
    Shapley, *A value for n-person games* (1953), doi:10.1515/9781400881970-018. Zou & Donner,
    Statistics in Medicine 2008, doi:10.1002/sim.3095.

    Examples
    --------
    Here the prior falls to a fifth, and the model does not change:

    >>> import numpy as np
    >>> from calibrated_metrics import ConfusionCurve, comparison
    >>> rng = np.random.default_rng(0)
    >>> curves = []
    >>> for n_pos in (500, 100):
    ...     y_true = np.arange(10_000) < n_pos
    ...     y_score = rng.normal(size=10_000) + 2 * y_true
    ...     curves.append(ConfusionCurve.from_predictions(y_true, y_score))
    >>> change = comparison.explain_change(*curves, "average_precision")
    >>> change.total
    Estimate(-0.3194, 95 % interval -0.4116 to -0.2119, mover of hull)
    >>> change.prior_part
    Estimate(-0.2545, 95 % interval -0.2918 to -0.2188, mover of hull)
    >>> change.model_part
    Estimate(-0.06493, 95 % interval -0.1586 to 0.03633, mover of hull)
    """
    settings = Settings.of(confidence_level, method, n_resamples, rng)
    asked = without_reference_prior(Asked.of(score))
    known = pair_of_priors(pi0)
    change, remarks = change_between(
        Period.of(asked, before, known[0], "before"),
        Period.of(asked, after, known[1], "after"),
        settings,
    )
    remarks += [f"no interval: {reason}" for reason in change.withheld]
    warn_of(remarks)
    return change


def explain_changes(
    periods: Mapping[Any, Counts | Labelled] | Sequence[Counts | Labelled],
    score: ScoreLike,
    *,
    reference: Any = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> list[dict[str, Any]]:
    """Split the change of a metric from a reference to each of several periods.

    Parameters
    ----------
    periods : mapping or sequence
        The sample of each period: a `ConfusionCurve`, a `ConfusionMatrix`, or a pair
        (y_true, y_score) of arrays, with positives labelled 1. The names of the periods are the
        keys of the mapping, or 0, 1, 2, … in a sequence.
    score : str, Metric or callable
        As for `explain_change`.
    reference : name of a period, ConfusionCurve or ConfusionMatrix, default=None
        What the periods are compared with. None: the first period.
    confidence_level, method, n_resamples, rng
        As for `explain_change`.

    Returns
    -------
    list of dict
        One row per period in the given order, without the reference. ``pandas.DataFrame(rows)`` and
        ``polars.DataFrame(rows)`` make a table of them. Keys: `period`; `n_pos`, `n_neg`, `prior`;
        `metric`; `value`, the metric at the prior of the period; `reference_prior`,
        `reference_value`; `total`, `prior_part` and `model_part`, each with its limits, such as
        `total_low`; `status`: "ok", or why values are NaN, such as a period with one class, or "no
        interval: " and why the limits are NaN.

    Raises
    ------
    ValueError, TypeError
        For arguments outside their range, or a reference that cannot be used.

    Warns
    -----
    IntervalWarning
        As `explain_change`, with the name of the period. After three warnings, a last one gives the
        number of the others.

    Notes
    -----
    Each interval holds for its period alone; over many periods, some intervals miss the true value.
    All rows use the same reference sample. If it has few positives, its error is large and appears
    in every row.

    Examples
    --------
    >>> from calibrated_metrics import comparison
    >>> months = {
    ...     "May": ([1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.4, 0.5, 0.2, 0.1]),
    ...     "June": ([0, 0, 0, 0, 0, 0], [0.9, 0.8, 0.4, 0.5, 0.2, 0.1]),
    ... }
    >>> comparison.explain_changes(months, "roc_auc")[0]["status"]
    'y_true holds no positives: pos_label=1 is not among its labels [0]'
    """
    settings = Settings.of(confidence_level, method, n_resamples, rng)
    ((name, asked),) = named_scores([score])
    without_reference_prior(asked)
    named = named_periods(periods)
    base, others = reference_and_others(asked, named, reference)
    rows, remarks = [], []
    for period, data in others.items():
        cells, of_row = row_of_change(asked, base, data, settings)
        rows.append({"period": period, "metric": name, **cells})
        remarks += [f"period {period}, {remark}" for remark in of_row]
    warn_of(remarks)
    return rows
