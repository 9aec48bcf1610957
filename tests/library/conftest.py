"""The scores under test, each with its exact counterpart; common checks run over all of them.

A test that takes `case` runs once for each score of a ranking, one that takes `hard_case` once for
each metric of predicted labels, one that takes `any_case` once for each of both. `every_case` is
the list of all scores of a curve: those of a ranking, and those of the confusion matrix at a
threshold.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

import numpy as np
import oracle
import pytest

import calibrated_metrics
from calibrated_metrics import scores
from calibrated_metrics.functions.value import defined_value, value_of
from calibrated_metrics.uncertainty import draws

draws.ENOUGH_DRAWS = 2  # few draws make tests fast; test_bootstrap.py tests their warning


def _perfectly_one(prior) -> int:
    return 1


@dataclass(frozen=True)
class Case:
    """A score of a ranking: of a curve, of labels and scores, and exactly.

    `perfect_at` gives the value of a perfect ranking at a prior.
    """

    name: str
    of_curve: Callable
    of_labels: Callable
    exact: Callable
    options: dict = field(default_factory=dict)
    perfect_at: Callable = _perfectly_one

    @property
    def score(self) -> Callable:
        """The function in `calibrated_metrics.scores`."""
        return self.of_curve

    def curve(self, curve) -> float:
        return self.of_curve(curve, **self.options)

    def __call__(self, y_true, y_score, **arguments):
        return self.of_labels(y_true, y_score, **self.options, **arguments)

    def oracle(self, ranking: oracle.Ranking):
        return self.exact(ranking, **self.options)

    def mapped(self, increasing) -> Case:
        """The case for scores mapped by an increasing function."""
        return self

    def is_perfect(self, value, prior) -> bool:
        return _equals(value, self.perfect_at(prior))


@dataclass(frozen=True)
class HardCase:
    """A metric of predicted labels: of labels, of a confusion matrix, and exactly.

    `exact` takes the outcomes tp, fp, fn, tn as fractions; it is None where the metric is 0/0.
    `perfect_at` gives the value of perfect predictions at a prior.
    """

    name: str
    of_labels: Callable
    of_matrix: Callable
    exact: Callable
    options: dict = field(default_factory=dict)
    perfect_at: Callable = _perfectly_one

    @property
    def takes_zero_division(self) -> bool:
        return "zero_division" in inspect.signature(self.of_labels).parameters

    def __call__(self, y_true, y_pred, *, zero_division=None, **arguments):
        """The metric; `zero_division` is passed on if the function takes it."""
        if zero_division is not None and self.takes_zero_division:
            arguments["zero_division"] = zero_division
        return self.of_labels(y_true, y_pred, **self.options, **arguments)

    def matrix(self, matrix):
        return self.of_matrix(matrix, **self.options)

    def oracle(self, ranking: oracle.Ranking, threshold) -> Fraction | None:
        """The exact metric if scores ``>= threshold`` are predicted positive."""
        tp, fp = exact_counts(ranking, threshold)
        tn = ranking.n_neg - fp
        return self.exact(tp, ranking.ratio * fp, ranking.n_pos - tp, ranking.ratio * tn)


def _equals(value, perfect) -> bool:
    """A constant is reached exactly, a function of the prior up to roundings."""
    return value == perfect if perfect in (0, 1) else value == pytest.approx(perfect, rel=1e-12)


def exact_counts(ranking: oracle.Ranking, threshold) -> tuple[Fraction, Fraction]:
    """TP and FP of the scores ``>= threshold``, before calibration."""
    counted = [sample for sample in ranking.samples if sample[1] >= Fraction(threshold)]
    tp = sum((weight for label, _, weight in counted if label), Fraction(0))
    fp = sum((weight for label, _, weight in counted if not label), Fraction(0))
    return tp, fp


@dataclass(frozen=True)
class ThresholdCase:
    """A score of the confusion matrix at a threshold, NaN where it is 0/0."""

    hard: HardCase
    threshold: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.hard.name} at {self.threshold:g}"

    @property
    def score(self) -> Callable:
        return self.hard.of_matrix

    def curve(self, curve) -> float:
        try:
            return self.hard.matrix(curve.confusion_matrix(self.threshold))
        except ValueError as error:
            if "is undefined" not in str(error):
                raise
            return math.nan

    def __call__(self, y_true, y_score, *, pos_label=1, **arguments):
        negative = next(label for label in y_true if label != pos_label)
        y_pred = [pos_label if score >= self.threshold else negative for score in y_score]
        arguments = {"pos_label": pos_label, "zero_division": math.nan, **arguments}
        return self.hard(y_true, y_pred, **arguments)

    def oracle(self, ranking: oracle.Ranking):
        exact = self.hard.oracle(ranking, self.threshold)
        return math.nan if exact is None else exact

    def mapped(self, increasing) -> ThresholdCase:
        return replace(self, threshold=float(increasing(np.array([self.threshold])).item()))

    def is_perfect(self, value, prior) -> bool:
        return _equals(value, self.hard.perfect_at(prior))


def _case(name: str, perfect_at: Callable = _perfectly_one, **options) -> Case:
    suffix = "".join(f"({option}={value})" for option, value in options.items())
    return Case(
        name + suffix,
        getattr(scores, name),
        getattr(calibrated_metrics, f"{name}_score", partial(value_of, name)),
        getattr(oracle, name),
        options,
        perfect_at,
    )


def _of_labels(score, y_true, y_pred, *, pi0=None, pos_label=1, sample_weight=None, **options):
    """A metric without a public function of labels, with a value where it is undefined."""
    drawn = {"pi0": pi0, "pos_label": pos_label, "sample_weight": sample_weight}
    options = {"zero_division": math.nan, **options}
    return defined_value(score, y_true, y_pred, **drawn, **options)


def _hard_case(
    name: str,
    exact: Callable,
    score: str | None = None,
    perfect_at: Callable = _perfectly_one,
    **options,
) -> HardCase:
    suffix = "".join(f"({option}={value})" for option, value in options.items())
    of_matrix = getattr(scores, score or name)
    of_labels = getattr(calibrated_metrics, f"{name}_score", partial(_of_labels, of_matrix))
    return HardCase(name + suffix, of_labels, of_matrix, exact, options, perfect_at)


def _ratio(part, whole) -> Fraction | None:
    return None if whole == 0 else Fraction(part) / Fraction(whole)


def _exact_fbeta(beta) -> Callable:
    weight = Fraction(beta) ** 2

    def fbeta(tp, fp, fn, tn):
        return _ratio((1 + weight) * tp, (1 + weight) * tp + weight * fn + fp)

    return fbeta


def _exact_balanced_accuracy(tp, fp, fn, tn) -> Fraction | None:
    rates = _ratio(tp, tp + fn), _ratio(tn, tn + fp)
    return None if None in rates else sum(rates) / 2


def _likelihood_ratio(part, whole) -> Fraction | float | None:
    if part is None or whole is None or part == whole == 0:
        return None
    return math.inf if whole == 0 else part / whole


def _exact_positive_likelihood_ratio(tp, fp, fn, tn):
    return _likelihood_ratio(_ratio(tp, tp + fn), _ratio(fp, fp + tn))


def _exact_negative_likelihood_ratio(tp, fp, fn, tn):
    return _likelihood_ratio(_ratio(fn, tp + fn), _ratio(tn, fp + tn))


def _exact_odds_ratio(tp, fp, fn, tn):
    if 0 in (tp + fn, fp + tn, tp + fp, fn + tn):
        return None
    return math.inf if fp == 0 or fn == 0 else tp * tn / (fp * fn)


def _exact_youden_index(tp, fp, fn, tn):
    half = _exact_balanced_accuracy(tp, fp, fn, tn)
    return None if half is None else 2 * half - 1


def _exact_net_benefit(probability) -> Callable:
    odds = Fraction(probability) / (1 - Fraction(probability))
    return lambda tp, fp, fn, tn: (tp - odds * fp) / Fraction(tp + fp + fn + tn)


# No share of a few samples equals this one, so that roundings do not move a vertex across it.
ALERT_RATE = 0.137

CASES = [
    _case("average_precision"),
    _case("pr_auc"),
    _case("achievable_pr_auc"),
    _case("prg_auc"),
    _case("roc_auc"),
    *(_case("best_fbeta", beta=beta) for beta in (0.5, 2.0)),
    Case("best_f1", scores.best_fbeta, calibrated_metrics.best_f1_score, oracle.best_fbeta),
    _case("partial_average_precision", min_recall=0.3, max_recall=0.8),
    _case("partial_roc_auc", max_fpr=0.3),
    _case("precision_at_recall", recall=0.6),
    _case("recall_at_precision", precision=0.3),
    _case("recall_at_specificity", specificity=0.83),
    _case("specificity_at_recall", recall=0.6),
    _case(
        "precision_at_specificity",
        lambda prior: prior / (prior + (1 - 0.83) * (1 - prior)),
        specificity=0.83,
    ),
    _case("precision_at_top", lambda prior: min(1, prior / ALERT_RATE), alert_rate=ALERT_RATE),
    _case("recall_at_top", lambda prior: min(1, ALERT_RATE / prior), alert_rate=ALERT_RATE),
]

HARD_CASES = [
    _hard_case("precision", lambda tp, fp, fn, tn: _ratio(tp, tp + fp)),
    _hard_case("recall", lambda tp, fp, fn, tn: _ratio(tp, tp + fn)),
    _hard_case("f1", _exact_fbeta(1), score="fbeta"),
    *(_hard_case("fbeta", _exact_fbeta(beta), beta=beta) for beta in (0.5, 2.0)),
    _hard_case("specificity", lambda tp, fp, fn, tn: _ratio(tn, tn + fp)),
    _hard_case("npv", lambda tp, fp, fn, tn: _ratio(tn, tn + fn)),
    _hard_case("accuracy", lambda tp, fp, fn, tn: _ratio(tp + tn, tp + fp + fn + tn)),
    _hard_case(
        "alert_rate",
        lambda tp, fp, fn, tn: _ratio(tp + fp, tp + fp + fn + tn),
        perfect_at=lambda prior: prior,
    ),
    _hard_case("balanced_accuracy", _exact_balanced_accuracy),
    _hard_case("matthews_corrcoef", oracle.matthews_corrcoef),
    _hard_case("cohen_kappa", oracle.cohen_kappa),
    _hard_case(
        "net_benefit",
        _exact_net_benefit(0.2),
        perfect_at=lambda prior: prior,
        threshold_probability=0.2,
    ),
    _hard_case(
        "positive_likelihood_ratio",
        _exact_positive_likelihood_ratio,
        perfect_at=lambda prior: math.inf,
    ),
    _hard_case(
        "negative_likelihood_ratio", _exact_negative_likelihood_ratio, perfect_at=lambda prior: 0
    ),
    _hard_case("youden_index", _exact_youden_index),
    _hard_case("diagnostic_odds_ratio", _exact_odds_ratio, perfect_at=lambda prior: math.inf),
]

EVERY_CASE = [*CASES, *(ThresholdCase(hard) for hard in HARD_CASES)]


def pytest_generate_tests(metafunc):
    for argument, cases in (
        ("case", CASES),
        ("hard_case", HARD_CASES),
        ("any_case", [*CASES, *HARD_CASES]),
    ):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, cases, ids=lambda case: case.name)


@pytest.fixture
def own_figures():
    """The test starts in the default style of matplotlib and leaves no figure open."""
    import matplotlib.pyplot as plt

    with plt.rc_context():
        yield
    plt.close("all")


@pytest.fixture(scope="session")
def every_case():
    return EVERY_CASE
