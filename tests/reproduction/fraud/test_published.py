"""The published numbers of the fraud data: a dependency has moved ours before."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, scores
from reproduction.fraud import claims, published
from reproduction.fraud.data import creditcard
from reproduction.fraud.model import logistic_scores

N_POS, N_NEG = 147, 85_296  # of the paper's test set
DOTS = published.values_of("figure_6")["closed_form"]
KAGGLE = Path(__file__).parents[3] / "resources" / "creditcard.csv"


@pytest.fixture(scope="module")
def counts():
    """Number of genuine transactions that score at least as high as the k-th fraud."""
    return pd.read_csv(Path(__file__).with_name("false_positives.csv"))


def test_the_formula_gives_the_dots_of_figure_6(counts):
    pi, pi0 = N_POS / (N_POS + N_NEG), DOTS.index.to_numpy()[:, np.newaxis]
    r = pi * (1 - pi0) / (pi0 * (1 - pi))
    k, fp = counts["frauds_found"].to_numpy(), counts["false_positives"].to_numpy()
    area = (k / (k + r * fp)).sum(axis=1) / N_POS
    assert len(DOTS) == 20
    np.testing.assert_allclose(area, DOTS, rtol=0, atol=2e-4)

    thresholds = [np.inf, *range(N_POS, 0, -1), 0]
    tp, fp = [0, *k, N_POS], [0, *fp, N_NEG]
    curve = ConfusionCurve(thresholds, tp, fp)
    np.testing.assert_allclose(closed_form(curve), area, rtol=1e-12)


def closed_form(curve):
    return [scores.average_precision(curve.at_prior(pi0)) for pi0 in DOTS.index]


@pytest.mark.skipif(not KAGGLE.is_file(), reason="there is no resources/creditcard.csv")
def test_kaggles_file_gives_the_published_numbers(counts):
    predictions, data = creditcard(str(KAGGLE), "file")
    assert published.are_of(data)
    curve = ConfusionCurve.from_predictions(predictions["y_true"], predictions["y_score"])
    matrix = curve.confusion_matrix(0.5)
    assert (matrix.tp, matrix.fp) == (91, 12)
    assert scores.fbeta(matrix) == pytest.approx(0.7280, abs=5e-4)
    assert scores.fbeta(matrix.at_prior(0.5)) == pytest.approx(0.76464, abs=5e-4)
    np.testing.assert_allclose(closed_form(curve), DOTS, rtol=0, atol=2e-4)
    steps = curve.positive_steps
    found = counts.set_index("frauds_found").loc[steps.tp_end, "false_positives"]
    np.testing.assert_array_equal(steps.fp_end, found)


def test_the_fit_has_converged():
    """At the optimum, the scores of the training rows have the mean of the labels."""
    rng = np.random.default_rng(0)
    labels = (np.arange(20_000) < 40) * 1
    features = rng.normal(size=(20_000, 29)) * np.geomspace(0.2, 5, 29) + 0.7 * labels[:, None]
    rows = np.arange(len(labels))
    y_score = logistic_scores(features, labels, rows, rows, standardise=False)
    assert y_score.mean() == pytest.approx(labels.mean(), rel=1e-9)


def test_distances_are_at_the_same_priors():
    line = pd.DataFrame({"pi0": DOTS.index + 4e-8, "closed_form": DOTS.to_numpy(), "mean": 0.5})
    assert claims.gaps_of_closed_form(line).tolist() == [0] * 20
    assert claims.gaps_of_undersampling(line).max() == pytest.approx(0.97720 - 0.5)
    line.loc[3, "closed_form"] += 0.01
    assert claims.gaps_of_closed_form(line).max() == pytest.approx(0.01)
    assert np.isnan(claims.gaps_of_closed_form(line.iloc[1:])).sum() == 1


def test_readings_of_appendix_a_may_lack_values():
    values = published.values_of("figure_A7")
    read = values.melt(ignore_index=False, var_name="metric").rename_axis("prior").reset_index()
    assert read["value"].notna().sum() == 85
    assert claims.gaps_to_appendix_a(read.fillna(0.3)).tolist() == [0] * 85
    moved = read.assign(value=read["value"].fillna(0.3).mask(read["prior"] == 0.5, 0.9))
    assert claims.gaps_to_appendix_a(moved).max() == pytest.approx(0.9 - 0.7647)


@pytest.mark.parametrize(
    ("simulated", "n_rows", "n_frauds", "expected"),
    [(False, 284_807, 492, True), (True, 284_807, 492, False), (False, 284_806, 492, False)],
)
def test_the_data_of_the_paper_are_recognised(simulated, n_rows, n_frauds, expected):
    data = pd.DataFrame({"n_rows": [n_rows], "n_frauds": n_frauds, "simulated": simulated})
    assert published.are_of(data) is expected
