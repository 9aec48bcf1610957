"""Audits: choose the few rows that are worth labelling, and measure metrics with their labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtri

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.confusion.curve import CurveLike, as_curve
from calibrated_metrics.sample import Sample
from calibrated_metrics.scores.metric import Facts, Metric
from calibrated_metrics.uncertainty.estimate import Estimate
from calibrated_metrics.uncertainty.linear import linearise
from calibrated_metrics.uncertainty.rates import rates
from calibrated_metrics.uncertainty.settings import Settings

__all__ = ["curve", "design", "prior"]

_FLOOR = 0.25  # share of the labels that is spread evenly over all rows
_LABELS_PER_STRATUM, _MOST_STRATA = 20, 20
_N_CELLS = 400
_GUESS = -math.log(99), 2.0
_PRIOR = Metric(Facts("prior", lambda matrix: matrix.prior, "matrix", range=(0.0, 1.0),
                      of_stack=lambda matrices: matrices.prior, interval="rates"))


def design(y_score, budget, goal="average_precision", *, threshold=None, pi0=None, pilot=None, rng=None, floor=None, most=None, per=None):
    score = _checks.finite_vector("y_score", y_score)
    budget = _checks.integer_at_least("budget", budget, 10)
    if budget > len(score):
        raise ValueError(f"budget must be at most the number of scores, {len(score)}, got {budget}")
    _checks.one_of("goal", goal, ("precision", "recall", "average_precision", "prior"))
    seed = int(_checks.generator("rng", rng).integers(2**63))
    cells = _Cells.of(score, threshold)
    labels = _labels_of_cells(cells, budget, _spread(cells, goal, pi0, pilot), floor or _FLOOR)
    stratum = _strata_of_cells(cells, labels, budget, most or _MOST_STRATA, per or _LABELS_PER_STRATUM)
    size = np.bincount(stratum, cells.size).astype(np.intp)
    n = _whole(np.bincount(stratum, labels), size, budget)
    generator = np.random.default_rng(seed)
    of_row = stratum[cells.of_row]
    chosen = np.sort(np.concatenate([
        generator.choice(np.flatnonzero(of_row == each), k, replace=False) for each, k in enumerate(n)
    ]))
    of_chosen = of_row[chosen]
    return {"row": chosen, "score": np.asarray(y_score)[chosen], "stratum": of_chosen,
            "n_rows": size[of_chosen], "n_labels": n[of_chosen], "seed": seed}


class _Cells(NamedTuple):
    of_row: NDArray[np.intp]
    size: FloatArray
    edges: FloatArray
    first_alert: int | None

    @classmethod
    def of(cls, score, threshold):
        n = len(score)
        ranks = np.union1d(np.geomspace(1, n, _N_CELLS).astype(int), np.linspace(1, n, _N_CELLS).astype(int))
        edges = np.unique(np.sort(score)[n - ranks])
        if threshold is not None:
            threshold = _checks.real_number("threshold", threshold)
            edges = np.union1d(edges, threshold)
        place = edges.searchsorted(score, side="right")
        used, of_row = np.unique(place, return_inverse=True)
        first = None
        if threshold is not None:
            first = int(used.searchsorted(edges.searchsorted(threshold, side="right")))
        return cls(of_row, np.bincount(of_row).astype(float), edges[used - 1], first)

    @property
    def normal(self):
        share = (np.cumsum(self.size) - self.size / 2) / self.size.sum()
        return ndtri(share)


def _spread(cells, goal, pi0, pilot):
    intercept, slope = _GUESS if pilot is None else _fitted(cells, as_curve("pilot", pilot))
    z = cells.normal
    if pilot is None:
        lo, hi = -60.0, 20.0
        for _ in range(100):
            intercept = (lo + hi) / 2
            if (cells.size * expit(intercept + slope * z)).sum() > 0.01 * cells.size.sum():
                hi = intercept
            else:
                lo = intercept
    p = np.clip(expit(intercept + slope * z), 1e-9, 1 - 1e-9)
    k = len(p)
    place = np.arange(k)
    sample = Sample(np.repeat([True, False], k), np.tile(place, 2).astype(float),
                    np.append(cells.size * p, cells.size * (1 - p)), strata=np.tile(place, 2))
    c = ConfusionCurve._from_sample(sample)
    if pi0 is not None:
        c = c.at_prior(pi0)
    if goal == "prior":
        error = sample.contributions_to_prior()
    elif goal == "average_precision":
        error = linearise(Metric(goal), c).error
    else:
        error = linearise(Metric(goal), c.confusion_matrix(float(cells.first_alert))).error
    pos, neg = (error / sample.row_weight).reshape(2, k)
    return np.sqrt(p * (1 - p)) * np.abs(pos - neg)


def _labels_of_cells(cells, budget, spread, floor):
    want = cells.size * spread
    want = (1 - floor) * want / want.sum() + floor * cells.size / cells.size.sum()
    full = np.zeros(len(want), bool)
    labels = budget * want
    for _ in range(50):
        full |= labels >= cells.size
        rest = budget - cells.size[full].sum()
        if full.all() or not (~full).any():
            break
        labels = np.where(full, cells.size, rest * want / want[~full].sum())
        if (labels <= cells.size).all():
            break
    return np.minimum(labels, cells.size)


def _strata_of_cells(cells, labels, budget, most, per):
    n_strata = min(max(budget // per, 1), most)
    middle = np.cumsum(labels) - labels / 2
    stratum = np.minimum(middle / labels.sum() * n_strata, n_strata - 1).astype(np.intp)
    if cells.first_alert is not None:
        stratum = 2 * stratum + (np.arange(len(stratum)) >= cells.first_alert)
    return np.unique(stratum, return_inverse=True)[1]


def _whole(wanted, size, budget):
    n = np.maximum(np.floor(wanted), np.minimum(size, 2)).astype(np.intp)
    n = np.minimum(n, size)
    while n.sum() != budget:
        step = 1 if n.sum() < budget else -1
        able = n < size if step > 0 else n > np.minimum(size, 2)
        n[np.argmax(np.where(able, step * (wanted - n), -np.inf))] += step
    return n


def _fitted(cells, pilot):
    raise NotImplementedError


def curve(design, y_true, *, pos_label=1):
    positive = _checks.is_positive(np.asarray(y_true), pos_label)
    return ConfusionCurve._from_sample(_sample(design, positive))


def prior(design, y_true, *, pos_label=1, confidence_level=0.95):
    positive = _checks.equal_to(np.asarray(y_true), pos_label)
    matrix = ConfusionMatrix._from_sample(_sample(design, positive), -math.inf)
    return rates(_PRIOR, [matrix], Settings(_checks.level("confidence_level", confidence_level)))[0]


def _sample(design, positive):
    n_rows, n = (np.asarray(design[k], float) for k in ("n_rows", "n_labels"))
    score = np.asarray(design["score"])
    return Sample(positive, score.astype(float), n_rows / n, strata=np.asarray(design["stratum"]), fraction=n / n_rows, dtype=_checks.float_dtype(score))
