"""The scores under test, each with its exact counterpart; common checks run over all of them.

A test that takes `case` runs once for every score of a ranking, one that takes `hard_case` once
for every metric of predicted labels.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import hypothesis
import oracle
import pytest

import calibrated_metrics
from calibrated_metrics import registry, scores

# The default repeats the same examples; ``pytest --hypothesis-profile=thorough`` draws new ones.
hypothesis.settings.register_profile(
    "deterministic", derandomize=True, database=None, deadline=None, max_examples=50
)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("deterministic")


@dataclass(frozen=True)
class Case:
    """A score of a ranking: of a curve, of labels and scores, and exactly."""

    name: str
    of_curve: Callable
    of_labels: Callable
    exact: Callable
    options: dict = field(default_factory=dict)

    def curve(self, curve) -> float:
        return self.of_curve(curve, **self.options)

    def __call__(self, y_true, y_score, **arguments):
        return self.of_labels(y_true, y_score, **self.options, **arguments)

    def oracle(self, ranking: oracle.Ranking):
        return self.exact(ranking, **self.options)


@dataclass(frozen=True)
class HardCase:
    """A metric of predicted labels, and exactly from a ranking and one of its TP and FP."""

    name: str
    of_labels: Callable
    exact: Callable
    options: dict = field(default_factory=dict)

    def __call__(self, y_true, y_pred, **arguments):
        return self.of_labels(y_true, y_pred, **self.options, **arguments)


def _case(name: str, **options) -> Case:
    suffix = "".join(f"({option}={value})" for option, value in options.items())
    return Case(
        name + suffix,
        getattr(scores, name),
        getattr(calibrated_metrics, f"{name}_score"),
        getattr(oracle, name),
        options,
    )


CASES = [
    _case("average_precision"),
    _case("pr_auc"),
    _case("achievable_pr_auc"),
    _case("prg_auc"),
    _case("roc_auc"),
    *(_case("best_fbeta", beta=beta) for beta in (0.5, 2.0)),
    Case("best_f1", scores.best_fbeta, calibrated_metrics.best_f1_score, oracle.best_fbeta),
]

HARD_CASES = [
    HardCase(
        "precision",
        calibrated_metrics.precision_score,
        lambda ranking, tp, fp: ranking.precision_of(tp, fp) if tp + fp else Fraction(0),
    ),
    HardCase(
        "recall", calibrated_metrics.recall_score, lambda ranking, tp, _: ranking.recall_of(tp)
    ),
    HardCase(
        "f1",
        calibrated_metrics.f1_score,
        functools.partial(oracle.Ranking.fbeta_of, beta=1),
    ),
    *(
        HardCase(
            f"fbeta(beta={beta})",
            calibrated_metrics.fbeta_score,
            functools.partial(oracle.Ranking.fbeta_of, beta=beta),
            {"beta": beta},
        )
        for beta in (0.5, 2.0)
    ),
]


def pytest_generate_tests(metafunc):
    for argument, cases in (("case", CASES), ("hard_case", HARD_CASES)):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, cases, ids=lambda case: case.name)


@pytest.fixture
def own_registry(monkeypatch):
    """Scores registered by a test are forgotten after it."""
    monkeypatch.setattr(registry, "_SCORES", dict(registry._SCORES))
