"""Appendix A's table."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, register_score, scores
from reproduction.fraud import prior_sweep as fraud_prior_sweep
from reproduction.fraud.draws import n_negatives_kept
from reproduction.core.metrics import Metric, values_of
from reproduction.settings import Config, FraudPriorSweep, read_metrics

COLUMNS = ["prior", "run", "n_pos", "n_neg", "metric", "pi0", "value"]
SETTINGS = FraudPriorSweep(n_priors=5)


@pytest.fixture(scope="module")
def metrics():
    return read_metrics(Config().metrics_of("fraud_prior_sweep"))


@pytest.fixture(scope="module")
def labelled():
    """Labels and probabilities of a model that is right about them."""
    rng = np.random.default_rng(0)
    y_score = rng.beta(0.05, 1.5, 4000)
    return (rng.random(4000) < y_score).astype(int), y_score


@pytest.fixture(scope="module")
def curve(labelled):
    return ConfusionCurve.from_predictions(*labelled)


def run(metrics, curve, runs=range(4), seed=11):
    return fraud_prior_sweep.run(SETTINGS, metrics, curve, seed=seed, runs=runs)


@pytest.fixture(scope="module")
def table(metrics, curve):
    return run(metrics, curve)


def test_a_row_per_run_prior_and_metric_in_order(table, metrics, curve):
    assert list(table.columns) == COLUMNS
    priors = np.geomspace(curve.prior, 0.5, 5)
    expected = [(i, p, m.key) for i in range(4) for p in priors for m in metrics]
    assert list(zip(table["run"], table["prior"], table["metric"], strict=True)) == expected


def test_all_positives_and_fewer_negatives_are_kept(table, curve):
    assert set(table["n_pos"]) == {curve.n_pos}
    kept = table.groupby("prior")["n_neg"].agg(["nunique", "first"])
    assert (kept["nunique"] == 1).all()
    assert kept["first"].tolist() == [n_negatives_kept(curve, prior) for prior in kept.index]
    assert (kept["first"].iloc[0], kept["first"].iloc[-1]) == (curve.n_neg, curve.n_pos)


def test_the_first_point_is_the_whole_test_set(table, metrics, curve):
    first = table[table["prior"] == curve.prior]
    whole = values_of(metrics, curve)
    assert len(first) == 4 * len(metrics)
    for row in first.itertuples():
        assert row.value == pytest.approx(whole[row.metric], rel=1e-12)


def test_draws_differ_above_the_prior_of_the_data(table, curve):
    drawn = table[(table["prior"] > curve.prior) & (table["metric"] == "average_precision")]
    assert (drawn.groupby("prior")["value"].nunique() == 4).all()


@pytest.mark.parametrize("name", ["average_precision", "prg_auc", "fbeta(threshold=0.5)"])
def test_calibrated_and_ordinary_meet_at_the_reference_prior(table, name):
    last = table[table["prior"] == table["prior"].max()].pivot_table(
        index="run", columns="metric", values="value"
    )
    np.testing.assert_allclose(last[name], last[f"{name}@pi0=0.5"], rtol=1e-12)


def test_calibrated_metrics_stay_and_ordinary_ones_move(table):
    means = table.groupby(["metric", "prior"])["value"].mean()
    span = means.groupby("metric").agg(np.ptp)
    for name in ("average_precision", "prg_auc", "fbeta(threshold=0.5)"):
        assert span[f"{name}@pi0=0.5"] < 0.25 * span[name]


@pytest.mark.parametrize("pi0", [None, 0.5])
@pytest.mark.parametrize("at", ["off the scores", "on a score"])
def test_f1_at_a_fixed_threshold_is_that_of_the_labels(curve, labelled, pi0, at):
    threshold = {"off the scores": 0.123, "on a score": labelled[1][7]}[at]
    metric = Metric("fbeta", pi0, {"threshold": threshold})
    table = run([metric], curve, runs=[0])
    whole = ConfusionCurve.from_predictions(*labelled)
    y_true, y_score = labelled
    tp = np.sum((y_score >= threshold) & (y_true == 1))
    fp = np.sum((y_score >= threshold) & (y_true == 0))
    weight = 1.0 if pi0 is None else whole.n_pos / whole.n_neg
    expected = 2 * tp / (tp + weight * fp + whole.n_pos)
    assert table["value"].iloc[0] == pytest.approx(expected, rel=1e-12)
    assert table["value"].between(0, 1).all()


def test_several_thresholds_can_be_asked_for(curve):
    metrics = [
        Metric(score, options={"threshold": threshold})
        for score in ("fbeta", "recall", "precision")
        for threshold in (0.3, 0.5)
    ]
    table = run(metrics, curve, runs=[0])
    for threshold in (0.3, 0.5):
        recalls = table[table["metric"] == f"recall(threshold={threshold})"]["value"]
        assert set(recalls) == {scores.recall(curve.confusion_matrix(threshold))}


def test_areas_do_not_depend_on_the_thresholds_of_other_metrics(metrics, curve, table):
    alone = run(metrics[:1], curve)
    of_all = table[table["metric"] == metrics[0].key].reset_index(drop=True)
    first = alone[alone["prior"] == curve.prior]
    np.testing.assert_allclose(first["value"], of_all.loc[first.index, "value"], rtol=1e-12)


def test_the_table_is_the_same_again(table, metrics, curve):
    pd.testing.assert_frame_equal(run(metrics, curve), table, check_exact=True)


def test_another_seed_gives_other_draws(table, metrics, curve):
    other = run(metrics, curve, seed=12)
    drawn = (table["prior"] > curve.prior) & (table["metric"] == "average_precision")
    assert (other[drawn]["value"] != table[drawn]["value"]).all()


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_the_table_does_not_depend_on_how_runs_are_divided(table, metrics, curve, cut):
    parts = [run(metrics, curve, runs=runs) for runs in (range(cut), range(cut, 4))]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), table, check_exact=True)


def test_a_highest_prior_below_that_of_the_data_is_refused(metrics, curve):
    settings = FraudPriorSweep(n_priors=3, highest_prior=curve.prior / 2)
    with pytest.raises(ValueError, match="highest_prior"):
        fraud_prior_sweep.run(settings, metrics, curve, seed=0, runs=[0])


def test_draws_know_a_threshold_that_is_the_default_of_a_score(own_registry):
    @register_score(label="F2", name="f2_at_a_third")
    def f2_at_a_third(curve, threshold=1 / 3):
        return scores.fbeta(curve.confusion_matrix(threshold), 2.0)

    y_true = np.repeat([1, 0], [50, 950])
    y_score = np.random.default_rng(0).beta(1 + 2 * y_true, 3)
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    table = fraud_prior_sweep.run(
        FraudPriorSweep(n_runs=2, n_priors=2),
        [Metric("f2_at_a_third")],
        curve,
        seed=0,
        runs=range(2),
    )
    assert table["value"].iloc[0] == pytest.approx(scores.fbeta(curve.confusion_matrix(1 / 3), 2.0))
