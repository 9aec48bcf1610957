"""Hostile values for the arguments of the library, by the name of the argument.

`Values` draws a value for any parameter of a public function: a valid one, or one that nobody
should pass. Objects that run code of their own, such as a failing ``__array__``, are left out:
their code is the caller's.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import functools
import math
import random

import numpy as np
import pandas as pd
import polars as pl

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.uncertainty import Estimate

_REUSED = 400
TINY = np.finfo(np.float64).tiny
EXTREME = (
    *(0.0, -0.0, 5e-324, -5e-324, 1e-310, TINY, 1e-300, 1e-200, 1e-154, 1e-100, 1e-16, 2**-53),
    *(0.01, 0.5, 1 - 1e-16, 1 - 2**-53, 1.0, 1 + 2**-52, 2.0, 1e16, 2.0**53, 1e100, 1e154, 1e200),
    *(1e300, 1e308, 1.7976931348623157e308, -1.0, -1e-300, -1e308, math.inf, -math.inf, math.nan),
)
ODD = (
    *(True, False, np.bool_(True), np.float32(0.1), np.float16(6e4), np.longdouble("1e4000")),
    *(np.longdouble(1) + np.finfo(np.longdouble).eps, np.int8(-1), np.uint64(2**64 - 1)),
    *(2**53 + 1, 2**63, 2**64, -(10**400), 10**400, 10**5000),
    *(fractions.Fraction(1, 3), fractions.Fraction(1, 10**400), decimal.Decimal("0.1"), 1j, 0.5j),
    *(None, "", "0.5", "nan", "warn", "auto", "mean", "\0", "\ud800", "é" * 1000, b"1", b"\xff"),
    *(np.datetime64("NaT"), np.datetime64("2020-01-01"), np.timedelta64(1, "s"), pd.NA, pd.NaT),
    *(datetime.date(2020, 1, 1), datetime.timedelta(1), np.ma.masked, ..., NotImplemented),
    *([], [0.5], (0.1, 0.9), (0.9, 0.1), (0.5,), (0.1, 0.2, 0.3), [[0.5]], {}, {"a": 1}, {0.5}),
    *(np.array(0.5), np.array([0.5]), np.array([]), np.array([[0.5]]), np.array("a"), slice(1)),
    *(range(3), memoryview(b"01"), bytearray(b"01"), np.zeros(3, "i4,f8"), np.void(b"a")),
)
OF_ARRAYS = (
    np.array,
    list,
    tuple,
    lambda v: np.array(v, dtype=object),
    lambda v: np.asfortranarray(np.stack([v, v], axis=1))[:, 0],
    lambda v: np.repeat(v, 3)[::3],
    lambda v: np.array(v)[::-1][::-1],
    lambda v: _read_only(v),
    lambda v: np.ma.array(v),
    lambda v: np.ma.array(v, mask=[True] + [False] * (len(v) - 1)),
    lambda v: np.ma.array(v, mask=True),
    lambda v: pd.Series(v, index=[7] * len(v)),
    lambda v: pd.Series(v, dtype=object),
    lambda v: pd.Series(list(v)).convert_dtypes(),
    lambda v: pd.Series([*v[:-1], None]).convert_dtypes(),
    lambda v: pd.Series(v, dtype="category"),
    lambda v: pd.Index(v),
    lambda v: pd.DataFrame({"a": v}),
    lambda v: _polars(v),
    lambda v: _polars([*v[:-1], None]),
    lambda v: np.array(v).reshape(-1, 1),
    lambda v: np.array(v).reshape(1, -1),
    lambda v: np.stack([v, v]),
    lambda v: np.array(v).astype(">f8"),
    lambda v: np.array(v).astype(np.float16),
    lambda v: np.array(v).astype(np.float32),
    lambda v: np.array(v).astype(np.longdouble),
    lambda v: np.array(v).astype(complex),
    lambda v: np.array(v).astype(bool),
    lambda v: np.array(v).astype(str),
    lambda v: np.array(v).astype("S"),
    lambda v: np.array(v).astype(np.int8),
    lambda v: np.array(v).astype(np.uint64),
    lambda v: np.array(v).astype("i8").astype("M8[D]"),
    lambda v: np.array(v).astype("i8").astype("m8[s]"),
    lambda v: np.array(v)[0],
    lambda v: np.array(v)[:0],
    lambda v: np.array(v)[:-1],
    lambda v: np.array([*v, *v]),
    lambda v: [[each] for each in v],
    lambda v: [[each] * place for place, each in enumerate(v)],
    lambda v: (each for each in v),
    lambda v: dict(enumerate(v)),
    lambda v: set(v),
    lambda v: np.rec.fromarrays([v, v]),
    lambda v: memoryview(np.array(v)),
    lambda v: "".join(str(int(each > 0)) for each in v),
)


def _polars(values):
    """A series of polars, which panics for some other values."""
    for each in values:
        if not (each is None or type(each) is float or (type(each) is int and abs(each) < 2**63)):
            raise TypeError("only numbers")
    return pl.Series(values)


def _read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


class Values:
    """Draws arguments of calls whose vectors have `n` rows.

    `share` is the probability that an argument is hostile. Drawing takes longer than a call, so
    after `_REUSED` values of a kind it draws from those.
    """

    def __init__(self, rng: random.Random, n: int, share: float = 0.0):
        self.rng, self.n, self.share = rng, n, share
        self._drawn: dict[tuple[str, bool], list] = {}

    def of(self, name: str):
        """A value for a parameter."""
        if name not in _VALID:
            raise LookupError(f"say in `_VALID` which values the parameter {name!r} takes")
        hostile = name not in _OBJECTS and self.rng.random() < self.share
        drawn = self._drawn.setdefault((name, hostile), [])
        if len(drawn) < _REUSED:
            drawn.append(self._new(name, hostile))
            return drawn[-1]
        return self.rng.choice(drawn)

    def _new(self, name: str, hostile: bool):
        if not hostile:
            return _VALID[name](self)
        if self.rng.random() < 0.3:
            return self.anything()
        return _HOSTILE.get(name, Values.anything)(self)

    # ------------------------------------------------------------------------------- any value

    def anything(self):
        if self.rng.random() < 0.2:
            return self.rng.choice(_objects())
        return self.rng.choice(self.rng.choice((EXTREME, ODD)))

    def number(self):
        return self.rng.choice(EXTREME)

    def vector(self, valid):
        """A vector in an odd container, or with odd elements, or both."""
        values = valid(self)
        kind = self.rng.random()
        if kind < 0.6:
            values = list(values)
            for _ in range(self.rng.randint(1, 3)):
                odd = self.rng.choice(EXTREME if self.rng.random() < 0.8 else ODD)
                values[self.rng.randrange(len(values))] = odd
        elif kind < 0.7:
            values = [self.rng.choice(EXTREME) for _ in values]
        if kind < 0.4:
            return values
        try:
            with np.errstate(all="ignore"):
                return self.rng.choice(OF_ARRAYS)(values)
        except (ValueError, TypeError, ArithmeticError, np.ma.MaskError):
            return values  # this container cannot hold them

    # ------------------------------------------------------------------------------ valid values

    def labels(self):
        labels = [self.rng.randint(0, 1) for _ in range(self.n - 2)] + [0, 1]
        self.rng.shuffle(labels)
        return labels

    def scores(self):
        kind = self.rng.random()
        if kind < 0.5:
            return [self.rng.randint(0, 3) for _ in range(self.n)]
        if kind < 0.9:
            return [self.rng.random() for _ in range(self.n)]
        finite = [each for each in EXTREME if math.isfinite(each)]
        return [self.rng.choice(finite) for _ in range(self.n)]

    def probabilities(self):
        return [self.rng.choice((0.0, 0.25, 0.5, self.rng.random(), 1.0)) for _ in range(self.n)]

    def weights(self):
        kind = self.rng.random()
        if kind < 0.4:
            return None
        if kind < 0.8:
            return [self.rng.choice((0, 0.5, 1, 2, 1e-3, 1e3)) for _ in range(self.n)]
        positive = [each for each in EXTREME if each >= TINY and math.isfinite(each)]
        return [self.rng.choice(positive) for _ in range(self.n)]

    def counts(self):
        return [self.rng.randint(0, 5) for _ in range(self.n)]

    def rising(self):
        return [0, *np.cumsum([self.rng.randint(0, 3) for _ in range(self.n)]).tolist(), 30]

    def rates(self):
        return sorted([0, *(self.rng.random() for _ in range(self.n)), 1])

    def prior(self):
        return self.rng.choice((0.01, 0.5, 0.99, self.rng.random() or 0.5, 1e-9, 1 - 1e-9))

    def maybe_prior(self):
        return self.rng.choice((None, None, self.prior(), [self.prior(), self.prior()]))

    def one_prior(self):
        return self.rng.choice((None, self.prior()))

    def extreme_prior(self):
        inside = [each for each in EXTREME if 0 < each < 1]
        return self.rng.choice((self.rng.choice(inside), self.vector(Values._priors)))

    def _priors(self):
        return [self.prior() for _ in range(3)]

    def curve(self):
        """A curve, sometimes with extreme weights or at an extreme prior."""
        while True:
            try:
                made = ConfusionCurve.from_predictions(
                    self.labels(), self.scores(), sample_weight=self.weights()
                )
                if self.rng.random() < 0.2:
                    made = made.at_prior(self.prior())
                return made
            except ValueError:
                continue

    def whole_curve(self):
        """A curve of samples without weights."""
        return ConfusionCurve.from_predictions(self.labels(), self.scores())

    def sampled(self):
        """A curve of rows that may have weights, clusters or strata, a pair, or counts."""
        while True:
            labels, scores = self.labels(), self.scores()
            kind = self.rng.random()
            if kind < 0.2:
                return labels, scores
            try:
                if kind < 0.3:
                    return self.curve()
                return ConfusionCurve.from_predictions(labels, scores, **self._drawn_as())
            except ValueError:
                continue

    def _drawn_as(self):
        """Weights, clusters and strata; the weights of strata are constant in each."""
        strata = self.rng.choice((None, None, [self.rng.randint(0, 1) for _ in range(self.n)]))
        weights = self.weights() if strata is None else [1 + 9 * each for each in strata]
        clusters = [self.rng.randint(0, self.n // 2) for _ in range(self.n)]
        return {
            "sample_weight": weights,
            "clusters": self.rng.choice((None, clusters)),
            "strata": strata,
        }

    def matrix(self):
        return ConfusionMatrix(
            **{name: self.rng.randint(0, 4) + (name == "tp") for name in ("tp", "fp", "fn", "tn")}
        )

    def share_of_all(self):
        return self.rng.choice((0.1, 0.5, 1.0, self.rng.random() or 0.5))


@functools.cache
def _objects():
    curve = ConfusionCurve.from_predictions([1, 0, 1], [3, 2, 1])
    return (
        curve,
        ConfusionMatrix(tp=1, fp=2, fn=3, tn=4),
        ConfusionMatrix(tp=[1, 2], fp=[1, 0], fn=[0, 0], tn=[1, 1]),
        Metric("average_precision"),
        Estimate.normal(0.3, 0.1),
        Estimate(0.3, math.nan, math.nan, math.nan, 0.95, "none", "withheld"),
        np.random.default_rng(0),
        pd.DataFrame({"a": [1]}),
    )


SCORES_OF_CURVES = ("average_precision", "roc_auc", "best_fbeta", "prg_auc", "pr_auc")


def _metric(values: Values):
    return values.rng.choice(
        (
            values.rng.choice(SCORES_OF_CURVES),
            Metric("precision", threshold=0.5),
            Metric("recall", 0.1, threshold=0.5),
        )
    )


def _few(values: Values):
    return values.rng.choice((2, 3, 5))


def _bad_count(values: Values):
    """Numbers that are not counts. A huge count is not an attack, because it needs much memory."""
    return values.rng.choice((0, -1, 1.5, 2.0, math.nan, math.inf, True, None, "3", [3], 10**400))


def _frame(values: Values):
    n = values.n
    return values.rng.choice((pd.DataFrame, pl.DataFrame))(
        {
            "y": values.labels() * 2,
            "s": values.scores() * 2,
            "w": [1.0] * 2 * n,
            "c": [values.rng.randint(0, n // 2) for _ in range(2 * n)],
            "h": [values.rng.randint(0, 1) for _ in range(2 * n)],
            "g": ["a"] * n + ["b"] * n,
        }
    )


# Objects of the library, and frames, for which a text is the path of a table. Another object in
# their place is an error of the program, not of the data.
_OBJECTS = {"curve", "other", "whole_curve", "tuning", "test", "matrix", "frame"}

_VALID = {
    "y_true": Values.labels,
    "y_pred": Values.labels,
    "y_score": Values.scores,
    "score_a": Values.scores,
    "score_b": Values.scores,
    "y_prob": Values.probabilities,
    "sample_weight": Values.weights,
    "pos_label": lambda values: 1,
    "missing": lambda values: "drop",
    "pi0": Values.maybe_prior,
    "prior": Values.prior,
    "label_sensitivity": lambda values: values.rng.choice((None, 1, 0.8)),
    "label_specificity": lambda values: values.rng.choice((None, 1, 0.95)),
    "zero_division": lambda values: values.rng.choice(("warn", 0, 1, math.nan)),
    "beta": lambda values: values.rng.choice((0.5, 1, 2.0)),
    "min_recall": lambda values: values.rng.choice((0, 0.25)),
    "max_recall": lambda values: values.rng.choice((0.5, 1)),
    "max_fpr": Values.share_of_all,
    "max_alert_rate": Values.share_of_all,
    "recall": Values.share_of_all,
    "specificity": Values.share_of_all,
    "precision": Values.share_of_all,
    "alert_rate": Values.share_of_all,
    "threshold_probability": lambda values: values.rng.choice((0.2, [0.3], [0.1, 0.4])),
    "threshold": lambda values: values.rng.choice((0.5, 0, [0.1, 0.9])),
    "thresholds": Values.scores,
    "tp": lambda values: values.rng.randint(0, 3),
    "fp": lambda values: values.rng.randint(0, 3),
    "fn": lambda values: values.rng.randint(0, 3),
    "tn": lambda values: values.rng.randint(1, 3),
    "cumulative_tp": Values.rising,
    "cumulative_fp": Values.rising,
    "descending": lambda values: sorted(
        {values.rng.random() for _ in range(values.n + 1)} | {math.inf}, reverse=True
    ),
    "pos": Values.counts,
    "neg": Values.counts,
    "fpr": Values.rates,
    "tpr": Values.rates,
    "rate": lambda values: values.rng.choice((0, 1, values.rng.random())),
    "n_pos": lambda values: 10,
    "n_neg": lambda values: 20.5,
    "mu1": lambda values: 2.0,
    "mu0": lambda values: 1.0,
    "n_thresholds": _few,
    "n_points": _few,
    "n_bins": _few,
    "n_resamples": _few,
    "n_runs": _few,
    "k": _few,
    "period_of_row": lambda values: [i % 3 for i in range(values.n)],
    "rng": lambda values: 0,
    "significance_level": lambda values: 0.5,
    "confidence_level": lambda values: 0.9,
    "method": lambda values: "auto",
    "space": lambda values: values.rng.choice(("roc", "pr")),
    "curve": Values.curve,
    "other": Values.curve,
    "tuning": Values.curve,
    "test": Values.whole_curve,
    "whole_curve": Values.whole_curve,
    "sampled": Values.sampled,
    "matrix": Values.matrix,
    "score": _metric,
    "metric": _metric,
    "metrics": _metric,
    "name": lambda values: values.rng.choice(SCORES_OF_CURVES),
    "counts": lambda values: values.rng.choice((None, [2] * values.n)),
    "clusters": lambda values: values.rng.choice((None, list(range(values.n)))),
    "strata": lambda values: None,
    "population": lambda values: None,
    "synonyms": lambda values: (),
    "is_prior_free": lambda values: False,
    "share": lambda values: None,
    "goal": lambda values: values.rng.choice((None, None, None, 0.3)),
    "frame": _frame,
    "by": lambda values: "g",
    "column_y": lambda values: "y",
    "column_s": lambda values: "s",
    "column_w": lambda values: values.rng.choice((None, "w")),
    "column_c": lambda values: values.rng.choice((None, "c")),
    "column_h": lambda values: values.rng.choice((None, None, "h")),
    "periods": lambda values: {each: values.sampled() for each in ("May", "June")},
    "paired": lambda values: values.rng.choice((True, False)),
    "alternative": lambda values: values.rng.choice(("two-sided", "greater", "less")),
    "margin": lambda values: values.rng.choice((0.0, 0.0, 0.1)),
    "rebase": lambda values: values.rng.choice((True, False)),
    "known": lambda values: values.rng.choice((None, 0.3, Estimate.normal(0.3, 0.1))),
    "reference": lambda values: None,
    "pi0_range": lambda values: values.rng.choice((None, (0.1, 0.2))),
    "new": Values.scores,
    "labelled": lambda values: (values.labels(), values.scores()),
    "target": lambda values: values.rng.choice(("population", "sample")),
    "response_method": lambda values: None,
    "label": lambda values: "a score",
    "of": lambda values: values.rng.choice(("curve", "matrix")),
    "bounds": lambda values: (0.0, 1.0),
    "value": lambda values: 0.4,
    "standard_error": lambda values: 0.1,
}
_HOSTILE = {
    **{
        name: functools.partial(Values.vector, valid=_VALID[name])
        for name in (
            *("y_true", "y_pred", "y_score", "score_a", "score_b", "y_prob", "thresholds", "pos"),
            *("neg", "fpr", "tpr", "cumulative_tp", "cumulative_fp", "descending", "new"),
        )
    },
    "sample_weight": functools.partial(Values.vector, valid=lambda values: [1.0] * values.n),
    "counts": functools.partial(Values.vector, valid=lambda values: [2] * values.n),
    "clusters": functools.partial(Values.vector, valid=lambda values: list(range(values.n))),
    "strata": functools.partial(Values.vector, valid=lambda values: ["a"] * values.n),
    "population": lambda values: {"a": values.number()},
    "synonyms": lambda values: values.rng.choice(("one", (1,), None, 3)),
    "share": lambda values: values.rng.choice(("tp", (1,), (("tp",),), 3)),
    "pi0": Values.extreme_prior,
    **{
        name: Values.number
        for name in (
            *("prior", "beta", "min_recall", "max_recall", "max_fpr", "recall"),
            *("max_alert_rate", "precision", "alert_rate", "threshold_probability", "threshold"),
            *("tp", "fp", "fn", "tn", "rate", "n_pos", "n_neg", "mu1", "mu0", "significance_level"),
            *("label_sensitivity", "label_specificity"),
            *("confidence_level", "zero_division", "goal", "value", "standard_error", "margin"),
            "specificity",
        )
    },
    "period_of_row": functools.partial(Values.vector, valid=lambda values: list(range(values.n))),
    **dict.fromkeys(
        ("n_thresholds", "n_points", "n_bins", "n_resamples", "n_runs", "k"), _bad_count
    ),
    "rng": lambda values: values.rng.choice((-1, 1.5, True, "0", [0], None, 10**400)),
    "labelled": lambda values: (
        values.vector(Values.labels),
        values.vector(Values.scores),
    ),
    "sampled": lambda values: (values.vector(Values.labels), values.vector(Values.scores)),
    "pi0_range": lambda values: (values.anything(), values.anything()),
    "periods": lambda values: [values.anything(), values.whole_curve()],
}
