"""Audits: which rows to label, and the metrics of all rows from their labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, ndtri

from calibrated_metrics import _arguments, _columns, _labels, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics._messages import shown
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.codes import Codes
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.confusion.data import CurveLike
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.estimate import Estimate
from calibrated_metrics.uncertainty.interval import rows_of
from calibrated_metrics.uncertainty.strata import share_in_strata
from calibrated_metrics.uncertainty.units import (
    contributions_to_prior,
    linearise,
)

__all__ = ["curve", "design", "prior"]

# Share of the labels that is spread evenly: positives may have unexpected scores.
_EVENLY = {"precision": 0.1, "recall": 0.4, "average_precision": 0.4, "prior": 0.4}
_OF_ALERTS = 0.1  # share of these labels that goes to alerts, if there is a threshold
_LABELS_PER_STRATUM, _MOST_STRATA, _LEAST_LABELS, _N_CELLS = 20, 20, 2, 400
_FUTURE = "future rows"
_TARGETS = "these rows", _FUTURE
_GUESS = 0.01, 2.0  # prior, and distance between the classes in normal scores


@plain_calls()
def design(
    y_score: ArrayLike,
    budget: int,
    goal: str = "average_precision",
    *,
    threshold: float | None = None,
    pi0: float | None = None,
    pilot: CurveLike | None = None,
    pos_label: Any = None,
    rng: RandomState = None,
) -> dict[str, Any]:
    """Choose which rows to label, so that the interval of a metric becomes short.

    Rows are drawn at random within strata of the score, without replacement. The labels are
    allocated to the strata by their expected errors (Neyman 1934, doi:10.2307/2342192). A part of
    them, 10 % for precision and 40 % for other goals, is spread evenly within the alerts and within
    the other rows, to find positives with low scores.

    Parameters
    ----------
    y_score : array-like of shape (n_rows,)
        Finite scores of all rows of the population.
    budget : int >= 10
        Number of labels, at most `n_rows`.
    goal : {"average_precision", "precision", "recall", "prior"}, default="average_precision"
        The metric whose error is minimised. The labels can be used for other metrics, too.
    threshold : float, optional
        Required for precision and recall. Rows with ``score >= threshold`` are alerts, and are in
        other strata than the rest.
    pi0 : float in (0, 1), default=None
        Reference prior at which the metric will be computed; None is the prior of the population.
    pilot : ConfusionCurve or pair (y_true, y_score), default=None
        Earlier labels with scores of the same model, which show where to expect positives. None: a
        prior of 1 % is assumed, and positives two standard deviations above the negatives. If this
        is wrong, intervals are wider, but still valid.
    pos_label : scalar, default=None
        Label of the positives of `pilot`. None: 1 for a pair, and the own label of a curve.
    rng : None, int or numpy.random.Generator, default=None
        Random state of the draw.

    Returns
    -------
    dict of str to ndarray of shape (budget,), or int
        Columns for ``pandas.DataFrame``: number (`row`), `score` and `stratum` of each row to
        label, the numbers of rows (`n_rows`) and of labels (`n_labels`) of that stratum, its
        `lowest` and `highest` score, and `seed`, an `rng` that draws the same rows again.

    Raises
    ------
    ValueError
        If the budget exceeds the number of rows, or if all rows or no rows are alerts.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import audit
    >>> scores = np.random.default_rng(0).normal(size=100_000)
    >>> plan = audit.design(scores, 400, "recall", threshold=2.0, rng=0)
    >>> len(plan["row"]), int((plan["score"] >= 2).sum())
    (400, 58)
    """
    score, dtype = _numbers.finite_vector("y_score", y_score), _numbers.float_dtype(y_score)
    budget = _numbers.integer_at_least("budget", budget, 10)
    if budget > len(score):
        raise ValueError(f"budget must be at most the number of scores, {len(score)}, got {budget}")
    _arguments.one_of("goal", goal, _EVENLY)
    seed = int(_arguments.generator("rng", rng).integers(2**63))
    seed = int(rng) if isinstance(rng, Integral) else seed
    cells = _Cells.of(score, _limit(threshold, goal, score, dtype))
    seen = _GUESS if pilot is None else _seen(cells, pilot, pos_label)
    error = _expected_error(cells, goal, pi0, seen)
    labels = _at_most(cells.size, budget, _wanted(cells, error, _EVENLY[goal]))
    stratum, size, n = _strata(cells, labels, budget)
    of_row, generator = stratum[cells.of_row], np.random.default_rng(seed)
    members = [np.flatnonzero(of_row == each) for each in range(len(n))]
    lowest, highest = np.array([(score[rows].min(), score[rows].max()) for rows in members]).T
    drawn = [generator.choice(rows, k, replace=False) for rows, k in zip(members, n, strict=True)]
    row = np.sort(np.concatenate(drawn))
    return {
        "row": row,
        "score": score[row].astype(dtype),
        "stratum": of_row[row],
        "n_rows": size[of_row[row]],
        "n_labels": n[of_row[row]],
        "lowest": lowest[of_row[row]].astype(dtype),
        "highest": highest[of_row[row]].astype(dtype),
        "seed": seed,
    }


@plain_calls()
def curve(
    design: Mapping[str, Any], y_true: Any, *, target: str, pos_label: Any = 1
) -> ConfusionCurve:
    """Build the curve of all rows from the labels of an audit.

    Each label represents n_rows / n_labels rows.

    Parameters
    ----------
    design : mapping of str to array-like of shape (n_labels,)
        Result of `audit.design`, a DataFrame of it, or the columns `score`, `stratum` and `n_rows`
        of your own rows, drawn at random within any strata, which cover all rows: alerts alone say
        nothing of recall. If `lowest` and `highest` are given,
        the lowest and highest score of all rows of a stratum, the share of alerts is known exactly
        for a threshold between strata. If each stratum has one decision, both are the decision.
    y_true : array-like of shape (n_labels,)
        Binary labels in the order of the design. None may be missing: rows that could not be
        labelled may differ from the others.
    target : {"these rows", "future rows"}
        What intervals are about. "these rows": the values that these rows have, so that the error
        is 0 if all are labelled. "future rows": the values of the population from which these rows
        were drawn at random, such as the sensitivity of a test for future patients. The shares of
        the strata are then estimated, too (two-phase sampling; Neyman 1938,
        doi:10.1080/01621459.1938.10503378).
    pos_label : scalar, default=1
        The label of the positives.

    Returns
    -------
    ConfusionCurve
        With weights and strata, for intervals, displays and thresholds without a guarantee.

    Raises
    ------
    ValueError
        If labels are missing or all of one class, or if the design does not belong to these labels.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import Metric, audit, uncertainty
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(100_000) < 0.01
    >>> scores = rng.normal(size=100_000) + 2 * truth
    >>> plan = audit.design(scores, 1000, "recall", threshold=2.0, rng=0)
    >>> curve = audit.curve(plan, truth[plan["row"]], target="these rows")
    >>> uncertainty.interval(Metric("recall", threshold=2.0), curve)
    Estimate(0.4897, 95 % interval 0.2847 to 0.6815, rates)
    """
    _labels.is_positive(y_true, pos_label)
    return ConfusionCurve._from_rows(_sample(design, y_true, target, pos_label))


@plain_calls()
def prior(
    design: Mapping[str, Any],
    y_true: Any,
    *,
    target: str,
    pos_label: Any = 1,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the share of positives of a population, even if no label is positive.

    Parameters
    ----------
    design, y_true, target, pos_label, confidence_level
        As for `audit.curve` and `uncertainty.interval`; the labels may be of one class.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics import audit
    >>> plan = audit.design(np.linspace(0, 1, 50_000), 400, "prior", rng=0)
    >>> audit.prior(plan, np.arange(400) >= 390, target="these rows")
    Estimate(0.00554, 95 % interval 0.00323 to 0.01994, strata)
    """
    level = _numbers.level("confidence_level", confidence_level)
    sample = _sample(design, y_true, target, pos_label)
    all_rows = np.ones_like(sample.positive)
    return share_in_strata(sample, sample.positive, all_rows).at(level)


class _Cells(NamedTuple):
    """Ranges of the score, narrower at the top. Strata consist of whole ranges."""

    of_row: NDArray[np.intp]
    size: FloatArray
    low: FloatArray  # lower edge
    normal: FloatArray  # normal scores of the ranks of the rows
    has_alert: NDArray[np.bool_]

    @classmethod
    def of(cls, score: FloatArray, limit: float) -> _Cells:
        """Ranges of scores of at least `limit`, which are alerts, and of lower scores."""
        n = len(score)
        ranks = np.append(np.geomspace(1, n, _N_CELLS), np.linspace(1, n, _N_CELLS)).astype(int)
        edges = np.unique(np.append(np.sort(score)[n - ranks], np.clip(limit, score.min(), None)))
        used, of_row = np.unique(edges.searchsorted(score, side="right") - 1, return_inverse=True)
        size, low = np.bincount(of_row).astype(float), edges[used]
        return cls(of_row, size, low, ndtri((np.cumsum(size) - size / 2) / n), low >= limit)


def _limit(threshold: Any, goal: str, score: FloatArray, dtype: Any) -> float:
    """The threshold in the precision of the scores; without one, every row is an alert."""
    if threshold is None and goal not in ("precision", "recall"):
        return -math.inf
    number = _numbers.real_number("threshold", threshold)
    limit = float(_numbers.in_dtype(number, dtype))
    if not score.min() < limit <= score.max():
        allowed = f"above the least score {score.min():g}, and at most {score.max():g}"
        raise ValueError(f"threshold must be {allowed}, got {number:g}")
    return limit


def _seen(cells: _Cells, pilot: Any, pos_label: Any) -> tuple[float, float]:
    """Prior of the pilot, and the distance of its classes in normal scores of the population."""
    data = rows_of(Metric("average_precision"), pilot, "pilot", pos_label=pos_label)
    sample = data.rows
    place = np.maximum(cells.low.searchsorted(sample.score, side="right") - 1, 0)
    weight = sample.row_weight * sample.counts
    of_neg, of_pos = (
        np.average(cells.normal[place[rows]], weights=weight[rows])
        for rows in (~sample.positive, sample.positive)
    )
    return float(data.prior), max(float(of_pos - of_neg), 0.0)


def _expected_error(
    cells: _Cells, goal: str, pi0: float | None, guess: tuple[float, float]
) -> FloatArray:
    """Expected error that a row of each cell adds to the goal, if the classes are normal."""
    prior, distance = guess
    share = expit(logit(prior) + distance * cells.normal - distance**2 / 2).clip(1e-9, 1 - 1e-9)
    place, positive = np.tile(np.arange(len(share)), 2), np.repeat([True, False], len(share))
    weight = cells.size[place] * np.append(share, 1 - share)
    sample = Rows(positive, cells.low[place], weight=weight, strata=Codes.of("stratum", place))
    expected: Any = ConfusionCurve._from_rows(sample)
    if goal in ("precision", "recall"):
        expected = expected.confusion_matrix(cells.low[cells.has_alert].min())
    if pi0 is not None:
        expected = expected.at_prior(_numbers.open_unit("pi0", pi0))
    errors = contributions_to_prior(sample)
    if goal != "prior":
        errors = linearise(Metric(goal), expected).error
    of_pos, of_neg = (errors / weight).reshape(2, -1)
    return np.asarray(np.sqrt(share * (1 - share)) * np.abs(of_pos - of_neg))


def _wanted(cells: _Cells, error: FloatArray, evenly: float) -> FloatArray:
    """Relative number of labels of each cell: partly even, partly by the expected error."""
    n_rows, n_others = float(cells.size.sum()), float(cells.size @ ~cells.has_alert)
    of_alerts = _OF_ALERTS if n_others else 1.0
    per_row = of_alerts / (n_rows - n_others), (1 - of_alerts) / max(n_others, 1.0)
    even = n_rows * np.where(cells.has_alert, *per_row)
    mean = max(float(cells.size @ error) / n_rows, np.finfo(float).tiny)
    return np.asarray(cells.size * (evenly * even + (1 - evenly) * error / mean))


def _at_most(size: FloatArray, budget: int, wanted: FloatArray) -> FloatArray:
    """`budget` labels in proportion to `wanted`, but at most one for each row of a cell."""
    full = np.zeros(len(size), dtype=bool)
    labels: FloatArray = budget * wanted / wanted.sum()
    while (labels > size).any():
        full |= labels >= size
        rest = 0.0 if full.all() else (budget - size[full].sum()) / wanted[~full].sum()
        labels = np.where(full, size, rest * wanted)
    return labels


def _strata(
    cells: _Cells, labels: FloatArray, budget: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Stratum of each cell, and the number of rows and of labels of each stratum."""
    n_strata = min(max(budget // _LABELS_PER_STRATUM, 1), _MOST_STRATA)
    middle = (np.cumsum(labels) - labels / 2) / labels.sum()
    stratum = Codes.of("stratum", 2 * np.floor(middle * n_strata) + cells.has_alert).code
    size = np.bincount(stratum, cells.size).round().astype(np.intp)
    wanted, least = np.bincount(stratum, labels), np.minimum(size, _LEAST_LABELS)
    n = np.clip(np.floor(wanted).astype(np.intp), least, size)
    while (rest := budget - n.sum()) != 0:
        step = np.sign(rest)
        able = n < size if step > 0 else n > least
        n[np.argmax(np.where(able, step * (wanted - n), -np.inf))] += step
    return stratum, size, n


def _sample(design: Mapping[str, Any], y_true: Any, target: str, pos_label: Any) -> Rows:
    _arguments.one_of("target", target, _TARGETS)
    try:
        y_score, strata, sizes = (design[name] for name in ("score", "stratum", "n_rows"))
        more = {name: design[name] for name in ("n_labels", "lowest", "highest") if name in design}
    except Exception as error:  # frames have errors of their own package
        found = shown(list(design) if isinstance(design, Iterable) else design)
        wanted = "design must have the columns score, stratum and n_rows"
        raise ValueError(f"{wanted}, got {found}") from error
    _columns.same_index(y_true=y_true, score=y_score, stratum=strata, n_rows=sizes, **more)
    labels = _columns.vector("y_true", y_true)
    stratum = Codes.of("stratum", _columns.unit_labels("stratum", strata))
    positive, _ = _labels.decisions(labels, labels, pos_label)
    score = _numbers.finite_vector("score", y_score)
    n_rows = _numbers.finite_vector("n_rows", sizes)
    _columns.same_length(y_true=labels, score=score, stratum=stratum, n_rows=n_rows)
    code = stratum.code
    n = np.bincount(code)[code].astype(float)
    if not ((n <= n_rows) & (np.bincount(code, n_rows)[code] == n * n_rows)).all():
        raise ValueError(
            "n_rows of design must be equal in each stratum, and at least its number of labels"
        )
    if "n_labels" in more and not np.array_equal(n, np.asarray(more["n_labels"])):
        raise ValueError(
            "design must hold all n_labels rows of each stratum; if strata were joined or added, "
            "leave out the column n_labels"
        )
    known: dict[str, Any] = {"strata": stratum, "fraction": n / n_rows}
    if target == _FUTURE:
        known |= {"fraction": np.zeros(len(n)), "scored": n_rows}
    if "lowest" in more and "highest" in more:
        ends = [_numbers.finite_vector(name, more[name]) for name in ("lowest", "highest")]
        if not ((ends[0] <= score) & (score <= ends[1])).all():
            raise ValueError("lowest and highest of design must be the range of each stratum")
        known["score_range"] = np.column_stack(ends)
    dtype = _numbers.float_dtype(y_score)
    return Rows(positive, score.copy(), dtype, weight=n_rows / n, pos_label=pos_label, **known)
