"""Metrics without labels: the tables, how fast samples converge, and the claims."""

import math

import numpy as np
import pandas as pd
import pytest
from perturbed import broken
from scipy import stats
from scipy.integrate import quad

from calibrated_metrics import ConfusionCurve, scores
from reproduction.core.streams import stream
from reproduction.label_free import experiment, population
from reproduction.label_free.settings import Settings

KEYS = ["distribution", "computation", "metric"]
METRICS = ["accuracy", "precision", "recall", "f1"]
AREAS = ["average_precision", "average_precision@pi0=0.5"]
COMPUTATIONS = ["labels", "scores", "distribution"]


def run(n_samples=500, n_thresholds=21, seed=3):
    return experiment.run(n_samples=n_samples, n_thresholds=n_thresholds, seed=seed)


@pytest.fixture(scope="module")
def table():
    return run()


@pytest.fixture(scope="module")
def errors():
    return experiment.convergence(sizes=[60, 600, 6000], n_runs=100, seed=5)


def values(table, distribution, computation, metric):
    rows = (table[KEYS] == [distribution, computation, metric]).all(axis=1)
    return table[rows].set_index("threshold")["value"]


# ------------------------------------------------------------------------------- the population


@pytest.mark.parametrize("shape", experiment.DISTRIBUTIONS.values())
def test_the_population_counts_are_integrals(shape):
    dist = stats.beta(*shape)
    thresholds = np.array([0.05, 0.3, 0.5, 0.9])
    found = population.matrices(*shape, thresholds)
    for threshold, tp, fp in zip(thresholds, found.tp, found.fp, strict=True):
        assert tp == pytest.approx(quad(lambda x: x * dist.pdf(x), threshold, 1)[0], rel=1e-6)
        assert fp == pytest.approx(quad(lambda x: (1 - x) * dist.pdf(x), threshold, 1)[0], rel=1e-6)
    np.testing.assert_allclose(found.n_pos, dist.mean(), rtol=1e-12)
    np.testing.assert_allclose(found.n_neg, 1 - dist.mean(), rtol=1e-12)
    curve = population.curve(*shape, 11)
    np.testing.assert_allclose(curve.tp[[1, 5]], population.matrices(*shape, [0.9, 0.5]).tp)
    assert (curve.tp[0], curve.fp[0]) == (0, 0)
    assert (curve.thresholds[0], curve.thresholds[-1]) == (np.inf, 0)


def test_errors_are_taken_from_the_known_limits():
    exact = experiment._metrics_of_population(*experiment.DISTRIBUTIONS["U(0, 1)"])
    assert [exact[metric] for metric in METRICS] == pytest.approx([0.75] * 4, abs=1e-12)
    assert [exact[area] for area in AREAS] == pytest.approx([5 / 6] * 2, abs=1e-7)
    # Precision is TP / P(X > t) = 2 (1 - t³) / 3 (1 - t²), recall 1 - t³: ∫ Prec dRec.
    exact = experiment._metrics_of_population(*experiment.DISTRIBUTIONS["F(x) = x²"])
    t = (np.arange(100_000) + 0.5) / 100_000
    area = np.mean(2 / 3 * (1 - t**3) / (1 - t**2) * 3 * t**2)
    assert exact["average_precision"] == pytest.approx(area, abs=1e-6)


# ------------------------------------------------------------------------------------ the tables


def test_a_row_per_distribution_computation_metric_and_threshold(table):
    assert list(table.columns) == [*KEYS, "threshold", "value"]
    expected = [
        (distribution, computation, metric, threshold)
        for distribution in experiment.DISTRIBUTIONS
        for computation in COMPUTATIONS
        for metric in METRICS
        for threshold in np.linspace(0, 1, 21)
    ]
    found = list(table[[*KEYS, "threshold"]].itertuples(index=False, name=None))
    assert found == [row for row in expected if row in set(found)]


def test_only_precision_above_all_scores_is_left_out(table):
    assert table["value"].between(0, 1).all()
    n_rows = table.groupby(KEYS)["value"].size()
    undefined = n_rows[n_rows < 21]
    assert set(undefined.index.get_level_values("metric")) == {"precision"}
    of_distribution = n_rows.xs("distribution", level="computation").xs("precision", level="metric")
    assert (of_distribution == 20).all()  # a density reaches up to 1
    for name in experiment.DISTRIBUTIONS:
        labels, alone = (values(table, name, way, "precision") for way in ("labels", "scores"))
        assert list(labels.index) == list(alone.index)
        assert (labels > 0).any()


def test_the_distribution_is_in_closed_form(table):
    t = np.linspace(0, 1, 21)
    square = {"accuracy": 2 / 3 - 4 / 3 * t**3 + t**2, "recall": 1 - t**3}
    for metric, expected in square.items():
        found = values(table, "F(x) = x²", "distribution", metric)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_scores_at_the_threshold_are_predicted_negative(monkeypatch):
    """As in the note, not as in the library."""
    y_prob = np.tile(np.linspace(0, 1, 11), 10)
    y_true = np.arange(110) % 3 == 0
    monkeypatch.setattr(experiment, "_draw", lambda *_: (y_true, y_prob))
    drawn = run(n_thresholds=11)
    for threshold in np.linspace(0, 1, 11):
        predicted = y_prob > threshold
        expected = {"labels": y_true[predicted].sum(), "scores": y_prob[predicted].sum()}
        totals = {"labels": y_true.sum(), "scores": y_prob.sum()}
        for way, tp in expected.items():
            found = values(drawn, "U(0, 1)", way, "recall")[threshold]
            assert found == pytest.approx(tp / totals[way], rel=1e-12, abs=1e-12)
    errors = experiment.convergence(sizes=[110], n_runs=1, seed=0)
    of_labels = errors[(errors["computation"] == "labels") & (errors["metric"] == "recall")]
    recall = np.mean(y_prob[y_true] > 0.5)
    assert of_labels["rmse"].iloc[0] == pytest.approx(abs(recall - 0.75), abs=1e-12)


def test_the_draws_depend_on_the_seed_and_not_on_the_thresholds(table):
    pd.testing.assert_frame_equal(run(), table, check_exact=True)
    coarse, fine, other = (
        values(each, "Beta(2, 3)", "labels", "recall")
        for each in (run(n_thresholds=11), table, run(seed=4))
    )
    np.testing.assert_array_equal(coarse, fine.iloc[::2])
    assert (other != fine).any()


# ---------------------------------------------------------------------------------- convergence


def test_a_row_per_distribution_computation_metric_and_size(errors):
    assert list(errors.columns) == [*KEYS, "pi0", "n_samples", "rmse"]
    names = experiment.DISTRIBUTIONS
    assert len(errors) == len(names) * 2 * (len(METRICS) + len(AREAS)) * 3
    assert list(errors["computation"].unique()) == ["labels", "scores"]
    assert list(errors["metric"].unique()) == METRICS + AREAS
    assert not errors[[*KEYS, "n_samples"]].duplicated().any()
    assert np.isfinite(errors["rmse"]).all()
    at_half = errors["metric"].str.endswith("@pi0=0.5")
    assert (errors["pi0"].eq(0.5) == at_half).all()
    assert (errors["pi0"].isna() == ~at_half).all()


def test_errors_fall_as_the_root_of_the_sample_size(errors):
    slopes = experiment.slopes(errors)
    assert list(slopes.columns) == [*KEYS, "pi0", "slope"]
    assert len(slopes) == len(errors) / 3
    # An error over 100 runs is known to 1 in sqrt(200); over 2 decades that is 0.02 in a slope.
    spread = math.sqrt(2 / 200) / math.log(100)
    assert (slopes["slope"] + 0.5).abs().max() < 4 * spread
    assert abs(slopes["slope"].mean() + 0.5) < spread


def test_one_run_is_the_error_of_that_draw():
    errors = experiment.convergence(sizes=[200], n_runs=1, seed=1)
    rng = stream(1, "label_free", 0, 0, 0)
    y_prob = stats.uniform().rvs(size=200, random_state=rng)
    y_true = rng.random(200) < y_prob
    found = errors.query("distribution == 'U(0, 1)' and computation == 'labels'")
    found = found.set_index("metric")["rmse"]
    recall = np.mean(y_prob[y_true] > 0.5)
    assert found["recall"] == pytest.approx(abs(recall - 0.75), abs=1e-12)
    area = scores.average_precision(ConfusionCurve.from_predictions(y_true, y_prob))
    assert found["average_precision"] == pytest.approx(abs(area - 5 / 6), abs=1e-6)


def test_the_errors_are_the_same_again():
    first, second = (experiment.convergence(sizes=[50, 100], n_runs=2, seed=0) for _ in range(2))
    pd.testing.assert_frame_equal(first, second, check_exact=True)


@pytest.mark.parametrize(
    "setting", [{"n_samples": 10}, {"n_thresholds": 1}, {"sizes": [100]}, {"sizes": [10, 100]}]
)
def test_settings_without_a_result_are_refused(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        Settings(**setting)


# --------------------------------------------------------------------------------------- claims


@pytest.fixture(scope="module")
def tables():
    """The table of the default settings, and errors that fall as they must."""
    constants = {"labels": math.sqrt(3 / 16), "scores": math.sqrt(1 / 48)}
    errors = pd.DataFrame(
        [
            (name, computation, metric, n, constant / math.sqrt(n))
            for name in experiment.DISTRIBUTIONS
            for computation, constant in constants.items()
            for metric in METRICS + AREAS
            for n in Settings().sizes
        ],
        columns=[*KEYS, "n_samples", "rmse"],
    ).assign(pi0=np.nan)
    return {"label_free": run(1000, 201, 20200427), "label_free_convergence": errors}


EDITS = {
    "cc-closed-forms": ("computation == 'distribution' and distribution == 'U(0, 1)'", 1.01),
    "cc-ever-smoother": ("computation == 'scores' and threshold == 0.5", 1.5),
    "cc-scores-follow-the-distribution": ("computation == 'scores' and metric == 'f1'", 1.3),
    "cc-labels-follow-the-distribution": ("computation == 'labels' and 0.2 < threshold < 0.3", 1.3),
    "cc-errors-fall": ("n_samples < 500", 0.5),
    "cc-scores-are-nearer": ("computation == 'scores'", 3.1),
    "cc-errors-lie-on-lines": ("n_samples == 1000 and metric == 'f1'", 2.1),
    "cc-errors-of-accuracy": ("n_samples > 0", 1.2),
}


def edited(table, rows, factor):
    column = "rmse" if "rmse" in table else "value"
    changed = table.copy()
    changed.loc[table.query(rows).index, column] *= factor
    return changed


def test_all_claims_hold(tables):
    assert broken("label_free", tables) == set()


@pytest.mark.parametrize("claim", EDITS)
def test_each_claim_can_fail(tables, claim):
    name = "label_free_convergence" if "errors" in claim or "nearer" in claim else "label_free"
    assert claim in broken("label_free", tables | {name: edited(tables[name], *EDITS[claim])})


@pytest.mark.parametrize("computation", COMPUTATIONS)
@pytest.mark.parametrize("metric", METRICS)
def test_a_visible_change_of_a_curve_breaks_a_claim(tables, metric, computation):
    table = tables["label_free"].copy()
    rows = "computation == @computation and metric == @metric and 0.45 < threshold < 0.55"
    table.loc[table.query(rows).index, "value"] -= 0.2
    assert broken("label_free", tables | {"label_free": table})
