"""The page "You already compute calibrated AP": its table, from formulas of others written anew."""

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import auc, precision_recall_curve
from sklearn.metrics import average_precision_score as of_scikit_learn

from calibrated_metrics import average_precision_score

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "calibrated-ap.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## Ties")[2]
HEADER, _, *LINES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in SECTION.splitlines()
    if line.startswith("|")
]


def ranked(y_true, y_score):
    """TP and FP after each row, in the given order of tied rows."""
    labels = y_true[np.argsort(-y_score, kind="stable")]
    return np.cumsum(labels), np.cumsum(1 - labels), labels == 1


def odds_ratio(y_true, pi0):
    pi = y_true.mean()
    return pi * (1 - pi0) / (pi0 * (1 - pi))


def straight_lines(y_true, y_score, pi0):
    """QSARtuna, SparseChem and MELLODDY: each point calibrated, then the trapezoidal rule."""
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    calibrated = precision / (precision + odds_ratio(y_true, pi0) * (1 - precision))
    return auc(recall, calibrated)


def cap(y_true, y_score, pi0):
    """Online action detection: row by row, at a prior of one half only."""
    assert pi0 == 0.5
    tp, fp, is_positive = ranked(y_true, y_score)
    return np.mean((tp / (tp + fp * odds_ratio(y_true, 0.5)))[is_positive])


def set_skew(y_true, y_score, pi0):
    """Jeni: row by row, FP scaled to the target skew, then the trapezoidal rule."""
    tp, fp, _ = ranked(y_true, y_score)
    fp = fp * ((1 - pi0) / pi0) / (fp[-1] / tp[-1])
    return np.trapezoid(tp / (tp + fp), tp / tp[-1])


def yogiroc(y_true, y_score, pi0):
    """Balanced precision at each threshold, its running maximum, then the trapezoidal rule."""
    assert pi0 == 0.5
    above = y_score >= np.sort(y_score)[:, None]
    tp, fp = (above * y_true).sum(1), (above * (1 - y_true)).sum(1)
    precision = tp / (tp + fp * odds_ratio(y_true, 0.5))
    precision, recall = np.maximum.accumulate(precision), tp / tp[0]
    return np.trapezoid(np.append(precision, precision[-1]), 1 - np.append(recall, 0))


def module_of_the_authors(y_true, y_score, pi0):
    """Siblini et al.: calibrated precision at each threshold, times the step of recall."""
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    calibrated = precision / (precision + odds_ratio(y_true, pi0) * (1 - precision))
    return -np.sum(np.diff(recall) * calibrated[:-1])


def ours(y_true, y_score, pi0):
    return average_precision_score(y_true, y_score, pi0=pi0)


FORMULAS = {
    "`average_precision_score`": ours,
    "QSARtuna, SparseChem, MELLODDY": straight_lines,
    "cAP": cap,
    "`SetSkew`": set_skew,
    "yogiroc": yogiroc,
}
DATA = {
    "constant": (np.repeat([1, 0], 50), np.zeros(100)),
    "five values": (
        np.repeat([1, 0] * 5, [8, 2, 5, 10, 4, 18, 2, 30, 1, 120]),
        np.repeat([5, 4, 3, 2, 1], [10, 15, 22, 32, 121]),
    ),
}
UNTIED = (np.array([1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0]), np.arange(12)[::-1])


def shown(formula, data, pi0):
    """The value, or the values if tied negatives, or tied positives, come first."""
    y_true, y_score = data
    orders = (np.argsort(each, kind="stable") for each in (y_true, -y_true))
    values = [f"{formula(y_true[order], y_score[order], pi0):.3f}" for order in orders]
    return " to ".join(dict.fromkeys(values))


def test_the_table_has_all_formulas_and_data():
    assert [line[0] for line in LINES] == list(FORMULAS)
    assert HEADER[1:] == [f"{name}, π₀ = {pi0}" for name in DATA for pi0 in (0.5, 0.1)]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_the_table_shows_the_values_of_the_formulas(line):
    for head, cell in zip(HEADER[1:], line[1:], strict=True):
        name, pi0 = re.fullmatch(r"(.+), π₀ = (.+)", head).groups()
        if cell != "–":
            assert cell == shown(FORMULAS[line[0]], DATA[name], float(pi0)), head


def test_which_formulas_equal_ours_without_ties():
    expected = ours(*UNTIED, 0.5)
    assert cap(*UNTIED, 0.5) == pytest.approx(expected, rel=1e-12)
    for formula in (straight_lines, set_skew):
        assert abs(formula(*UNTIED, 0.5) - expected) > 0.01


@pytest.mark.parametrize("data", [*DATA.values(), UNTIED])
@pytest.mark.parametrize("pi0", [0.5, 0.1])
def test_the_formula_of_the_authors_and_weights_equal_ours(data, pi0):
    expected = ours(*data, pi0)
    assert module_of_the_authors(*data, pi0) == pytest.approx(expected, rel=1e-12)
    y_true, y_score = data
    weight = np.where(y_true == 1, 1, odds_ratio(y_true, pi0))
    weighted = of_scikit_learn(y_true, y_score, sample_weight=weight)
    assert weighted == pytest.approx(expected, rel=1e-12)


def test_the_module_that_the_authors_import_does_not_exist():
    assert find_spec("sklearn.metrics.ranking") is None
