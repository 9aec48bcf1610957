"""The tables of the note on calibrated classifiers, and how fast samples converge."""

import math

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, scores
from reproduction.label_free import experiment as label_free_metrics

KEYS = ["distribution", "computation", "metric"]
METRICS = ["accuracy", "precision", "recall", "f1"]
AREAS = ["average_precision", "average_precision@pi0=0.5"]
COMPUTATIONS = ["labels", "scores", "distribution"]


def run(n_samples=500, n_thresholds=21, seed=3):
    return label_free_metrics.run(n_samples=n_samples, n_thresholds=n_thresholds, seed=seed)


@pytest.fixture(scope="module")
def table():
    return run()


@pytest.fixture(scope="module")
def errors():
    return label_free_metrics.convergence(sizes=[60, 600, 6000], n_runs=100, seed=5)


def values(table, distribution, computation, metric):
    rows = (table[KEYS] == [distribution, computation, metric]).all(axis=1)
    return table[rows].set_index("threshold")["value"]


# ------------------------------------------------------------------------------------ the tables


def test_a_row_per_distribution_computation_metric_and_threshold(table):
    assert list(table.columns) == [*KEYS, "threshold", "value"]
    expected = [
        (distribution, computation, metric, threshold)
        for distribution in label_free_metrics.DISTRIBUTIONS
        for computation in COMPUTATIONS
        for metric in METRICS
        for threshold in np.linspace(0, 1, 21)
    ]
    found = set(table[[*KEYS, "threshold"]].itertuples(index=False, name=None))
    assert found <= set(expected)
    in_order = [row for row in expected if row in found]
    assert list(table[[*KEYS, "threshold"]].itertuples(index=False, name=None)) == in_order


def test_only_precision_above_all_scores_is_left_out(table):
    assert table["value"].between(0, 1).all()
    n_rows = table.groupby(KEYS)["value"].size()
    undefined = n_rows[n_rows < 21]
    assert set(undefined.index.get_level_values("metric")) == {"precision"}
    assert (table.loc[table["metric"] == "precision", "threshold"] < 1).all()
    of_distribution = n_rows.xs("distribution", level="computation").xs("precision", level="metric")
    assert (of_distribution == 20).all()  # a density reaches up to 1


def test_labels_and_scores_leave_out_the_same_thresholds(table):
    for name in label_free_metrics.DISTRIBUTIONS:
        labels, alone = (values(table, name, way, "precision") for way in ("labels", "scores"))
        assert list(labels.index) == list(alone.index)
        assert (labels > 0).any()


def test_the_distribution_is_in_closed_form(table):
    t = np.linspace(0, 1, 21)
    uniform = {"accuracy": 0.5 + t - t**2, "precision": (1 + t) / 2, "recall": 1 - t**2}
    square = {"accuracy": 2 / 3 - 4 / 3 * t**3 + t**2, "recall": 1 - t**3}
    for name, closed in (("U(0, 1)", uniform), ("F(x) = x²", square)):
        for metric, expected in closed.items():
            found = values(table, name, "distribution", metric)
            np.testing.assert_allclose(found, expected[: len(found)], atol=1e-12)


def test_scores_at_the_threshold_are_predicted_negative(monkeypatch):
    """As in the note, not as in the library."""
    y_prob = np.tile(np.linspace(0, 1, 11), 10)
    y_true = np.arange(110) % 3 == 0
    monkeypatch.setattr(label_free_metrics, "_draw", lambda *_: (y_true, y_prob))
    drawn = run(n_thresholds=11)
    for threshold in np.linspace(0, 1, 11):
        predicted = y_prob > threshold
        expected = {"labels": y_true[predicted].sum(), "scores": y_prob[predicted].sum()}
        totals = {"labels": y_true.sum(), "scores": y_prob.sum()}
        for way, tp in expected.items():
            found = values(drawn, "U(0, 1)", way, "recall")[threshold]
            assert found == pytest.approx(tp / totals[way], rel=1e-12, abs=1e-12)
    errors = label_free_metrics.convergence(sizes=[110], n_runs=1, seed=0)
    of_labels = errors[(errors["computation"] == "labels") & (errors["metric"] == "recall")]
    recall = np.mean(y_prob[y_true] > 0.5)
    assert of_labels["rmse"].iloc[0] == pytest.approx(abs(recall - 0.75), abs=1e-12)


def test_neither_labels_nor_thresholds_change_the_distribution(table):
    other = run(n_samples=100, n_thresholds=11, seed=8)
    for name in label_free_metrics.DISTRIBUTIONS:
        for metric in METRICS:
            coarse = values(other, name, "distribution", metric)
            fine = values(table, name, "distribution", metric)
            np.testing.assert_allclose(coarse, fine.iloc[::2].iloc[: len(coarse)], atol=1e-13)


def test_the_table_is_the_same_again(table):
    pd.testing.assert_frame_equal(run(), table, check_exact=True)


def test_another_seed_gives_other_draws(table):
    other = run(seed=4)
    for computation in ("labels", "scores"):
        first, second = (
            values(each, "U(0, 1)", computation, "accuracy") for each in (table, other)
        )
        assert (first != second).any()


def test_the_samples_do_not_depend_on_the_thresholds(table):
    coarse = values(run(n_thresholds=11), "Beta(2, 3)", "labels", "recall")
    fine = values(table, "Beta(2, 3)", "labels", "recall")
    np.testing.assert_array_equal(coarse, fine.iloc[::2])


def test_each_computation_is_smoother_and_nearer_than_the_one_before():
    table = run(n_samples=2000, n_thresholds=101)
    for name in label_free_metrics.DISTRIBUTIONS:
        for metric in METRICS:
            labels, alone, exact = (values(table, name, way, metric) for way in COMPUTATIONS)
            rough, smooth = (np.diff((each - exact).dropna(), 2).std() for each in (labels, alone))
            assert smooth < rough
            assert (alone - exact).abs().mean() < 0.02
            assert (labels - exact).abs().mean() < 0.06


# ---------------------------------------------------------------------------------- convergence


def test_a_row_per_distribution_computation_metric_and_size(errors):
    assert list(errors.columns) == [*KEYS, "pi0", "n_samples", "rmse"]
    names = label_free_metrics.DISTRIBUTIONS
    assert len(errors) == len(names) * 2 * (len(METRICS) + len(AREAS)) * 3
    assert list(errors["distribution"].unique()) == list(names)
    assert list(errors["computation"].unique()) == ["labels", "scores"]
    assert list(errors["metric"].unique()) == METRICS + AREAS
    assert not errors[[*KEYS, "n_samples"]].duplicated().any()
    assert np.isfinite(errors["rmse"]).all()
    at_half = errors["metric"].str.endswith("@pi0=0.5")
    assert (errors["pi0"].eq(0.5) == at_half).all()
    assert (errors["pi0"].isna() == ~at_half).all()


def test_errors_fall_as_the_root_of_the_sample_size(errors):
    slopes = label_free_metrics.slopes(errors)
    assert list(slopes.columns) == [*KEYS, "pi0", "slope"]
    assert len(slopes) == len(errors) / 3
    # An error over 100 runs is known to 1 in sqrt(200); over 2 decades that is 0.02 in a slope.
    spread = math.sqrt(2 / 200) / math.log(100)
    assert (slopes["slope"] + 0.5).abs().max() < 4 * spread
    assert abs(slopes["slope"].mean() + 0.5) < spread


def test_scores_alone_are_nearer_than_labels(errors):
    wide = errors.pivot_table(
        index=["distribution", "metric", "n_samples"], columns="computation", values="rmse"
    )
    assert (wide["scores"] < wide["labels"]).all()


def test_errors_of_accuracy_are_known(errors):
    """By labels Bernoulli(3/4); by scores the mean of max(x, 1 - x), of variance 1/48."""
    rows = errors[(errors["distribution"] == "U(0, 1)") & (errors["metric"] == "accuracy")]
    for row in rows.itertuples():
        variance = {"labels": 3 / 16, "scores": 1 / 48}[row.computation]
        expected = math.sqrt(variance / row.n_samples)
        assert row.rmse == pytest.approx(expected, rel=4 / math.sqrt(200))


def test_errors_are_taken_from_the_known_limits():
    exact = label_free_metrics._metrics_of_population("U(0, 1)")
    for metric in ("accuracy", "precision", "recall", "f1"):
        assert exact[metric] == pytest.approx(0.75, abs=1e-12)
    assert exact["average_precision"] == pytest.approx(5 / 6, abs=1e-7)
    assert exact["average_precision@pi0=0.5"] == pytest.approx(5 / 6, abs=1e-7)
    # Precision is TP / P(X > t) = 2 (1 - t³) / 3 (1 - t²), recall 1 - t³: ∫ Prec dRec.
    exact = label_free_metrics._metrics_of_population("F(x) = x²")
    t = (np.arange(100_000) + 0.5) / 100_000
    area = np.mean(2 / 3 * (1 - t**3) / (1 - t**2) * 3 * t**2)
    assert exact["average_precision"] == pytest.approx(area, abs=1e-6)


def test_one_run_is_the_error_of_that_draw():
    errors = label_free_metrics.convergence(sizes=[200], n_runs=1, seed=1)
    name, dist = next(iter(label_free_metrics.DISTRIBUTIONS.items()))
    rng = label_free_metrics.stream(1, "label_free", 0, 0, 0)
    y_prob = dist.rvs(size=200, random_state=rng)
    y_true = rng.random(200) < y_prob
    found = errors[(errors["distribution"] == name) & (errors["computation"] == "labels")]
    found = found.set_index("metric")["rmse"]
    recall = np.mean(y_prob[y_true] > 0.5)
    assert found["recall"] == pytest.approx(abs(recall - 0.75), abs=1e-12)
    area = scores.average_precision(ConfusionCurve.from_predictions(y_true, y_prob))
    assert found["average_precision"] == pytest.approx(abs(area - 5 / 6), abs=1e-6)


def test_the_errors_are_the_same_again():
    first, second = (
        label_free_metrics.convergence(sizes=[50, 100], n_runs=2, seed=0) for _ in range(2)
    )
    pd.testing.assert_frame_equal(first, second, check_exact=True)


def test_a_slope_needs_two_sizes():
    errors = label_free_metrics.convergence(sizes=[100], n_runs=1, seed=0)
    with pytest.raises(ValueError, match="at least two sizes"):
        label_free_metrics.slopes(errors)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: run(n_samples=10), "n_samples must be at least 50"),
        (lambda: run(n_thresholds=1), "n_thresholds"),
        (lambda: label_free_metrics.convergence(sizes=[], n_runs=1, seed=0), "sizes"),
        (lambda: label_free_metrics.convergence(sizes=[10], n_runs=1, seed=0), "sizes"),
        (lambda: label_free_metrics.convergence(sizes=[100], n_runs=0, seed=0), "n_runs"),
    ],
)
def test_bad_settings_are_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()
