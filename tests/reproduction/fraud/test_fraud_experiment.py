"""The tables of Figures 2 and 6 and of appendix A."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, register_score, scores, spaces
from reproduction.core.metrics import Metric, values_of
from reproduction.core.streams import stream
from reproduction.fraud import experiment
from reproduction.fraud.draws import n_negatives_kept, undersample
from reproduction.fraud.undersampling import simulated_average_precision

AREAS = {"roc": scores.roc_auc, "pr": scores.average_precision, "prg": scores.prg_auc}
SAMPLES = ("all", "undersampled", "calibrated")
NAMES = ("average_precision", "prg_auc", "fbeta")
METRICS = [
    Metric(name, pi0, {"threshold": 0.5} if name == "fbeta" else {})
    for name in NAMES
    for pi0 in (None, 0.5)
]


def labelled(n_pos, n_neg, distance, seed=0):
    rng = np.random.default_rng(seed)
    y_score = np.concatenate([rng.normal(distance, 1, n_pos), rng.normal(0, 1, n_neg)])
    return pd.DataFrame({"y_true": (np.arange(n_pos + n_neg) < n_pos) * 1, "y_score": y_score})


def curve_of(predictions):
    return ConfusionCurve.from_predictions(predictions["y_true"], predictions["y_score"])


# ------------------------------------------------------------------------------- Figure 6


@pytest.fixture(scope="module")
def as_paper():
    """As many frauds and genuine rows as in the paper's test set."""
    return labelled(147, 85_296, 3.5)


def heuristic(predictions, seed=5, n_runs=200, n_priors=8, highest_prior=0.5):
    return experiment.heuristic(
        predictions, n_runs=n_runs, n_priors=n_priors, highest_prior=highest_prior, seed=seed
    )


@pytest.fixture(scope="module")
def table(as_paper):
    return heuristic(as_paper)


def test_a_row_per_reference_prior(table, as_paper):
    np.testing.assert_allclose(table["pi0"], np.geomspace(147 / 85_443, 0.5, 8))
    expected = np.floor(147 * (1 - table["pi0"]) / table["pi0"] * (1 + 1e-12))
    assert (table["n_neg_kept"] == expected).all()
    assert (table["n_neg_kept"].iloc[0], table["n_neg_kept"].iloc[-1]) == (85_296, 147)
    curve = curve_of(as_paper)
    for row in table.itertuples():
        assert row.closed_form == scores.average_precision(curve.at_prior(row.pi0))
    assert heuristic(as_paper, n_runs=2, n_priors=2, highest_prior=0.1)["pi0"].iloc[-1] == 0.1


def test_nothing_is_random_at_the_prior_itself(table, as_paper):
    first = table.iloc[0]
    plain = scores.average_precision(curve_of(as_paper))
    assert (first["sd"], first["mean"], first["expected"], first["closed_form"]) == (
        0,
        *[plain] * 3,
    )
    assert (table["sd"].iloc[1:] > 0).all()


def test_the_mean_is_near_its_expectation_which_lies_above_the_closed_form(table):
    drawn = table.iloc[1:]
    errors = (drawn["mean"] - drawn["expected"]) / (drawn["sd"] / np.sqrt(drawn["n_runs"]))
    assert errors.abs().max() < 4
    gap = drawn["expected"] - drawn["closed_form"]
    assert (gap > 0).all()  # precision is convex in the number of false positives
    assert (gap < 0.25 * drawn["sd"]).all()


def test_mean_and_deviation_are_those_of_the_streams_draws(table, as_paper):
    for point, row in enumerate(table.itertuples()):
        rng = stream(5, "heuristic", point)
        drawn = simulated_average_precision(curve_of(as_paper), row.pi0, 200, rng)
        assert row.mean == pytest.approx(drawn.mean(), rel=1e-12)
        assert row.sd == pytest.approx(drawn.std(ddof=1), rel=1e-9, abs=1e-12)


def test_mean_and_deviation_are_those_of_row_by_row_draws():
    predictions, rng = labelled(20, 2000, 2.0), np.random.default_rng(2)
    curve = curve_of(predictions)
    for row in heuristic(predictions, n_runs=2000, n_priors=3, seed=1).iloc[1:].itertuples():
        drawn = [scores.average_precision(undersample(curve, row.pi0, rng)) for _ in range(2000)]
        assert abs(row.mean - np.mean(drawn)) < 4 * np.hypot(row.sd, np.std(drawn)) / np.sqrt(2000)
        assert row.sd == pytest.approx(np.std(drawn), rel=0.1)


def test_figure_6_depends_on_the_seed_only(table, as_paper):
    pd.testing.assert_frame_equal(heuristic(as_paper), table, check_exact=True)
    other = heuristic(as_paper, seed=6)
    assert (other["mean"].iloc[1:] != table["mean"].iloc[1:]).all()
    assert (other["expected"] == table["expected"]).all()


def test_a_highest_prior_below_that_of_the_data_is_refused():
    with pytest.raises(ValueError, match=r"highest_prior=0.2 must be above the prior of the data"):
        heuristic(labelled(30, 70, 1.0), highest_prior=0.2)


# ------------------------------------------------------------------------------- appendix A


@pytest.fixture(scope="module")
def probabilities():
    """Labels and probabilities of a model that is right about them."""
    rng = np.random.default_rng(0)
    y_score = rng.beta(0.05, 1.5, 4000)
    return pd.DataFrame({"y_true": (rng.random(4000) < y_score) * 1, "y_score": y_score})


def sweep(predictions, metrics=METRICS, runs=(0, 4), seed=11):
    return experiment.prior_sweep(
        predictions, metrics, n_priors=5, highest_prior=0.5, seed=seed, runs=runs
    )


@pytest.fixture(scope="module")
def swept(probabilities):
    return sweep(probabilities)


def test_a_row_per_run_prior_and_metric(swept, probabilities):
    curve = curve_of(probabilities)
    priors = np.geomspace(curve.prior, 0.5, 5)
    expected = [
        (run, prior, metric.key) for run in range(4) for prior in priors for metric in METRICS
    ]
    assert list(zip(swept["run"], swept["prior"], swept["metric"], strict=True)) == expected
    kept = swept.groupby("prior")["n_neg"].agg(["nunique", "first"])
    assert (kept["nunique"] == 1).all()
    assert kept["first"].tolist() == [n_negatives_kept(curve, prior) for prior in kept.index]
    assert set(swept["n_pos"]) == {curve.n_pos}


def test_the_first_point_is_the_whole_test_set(swept, probabilities):
    curve = curve_of(probabilities)
    first = swept[swept["prior"] == curve.prior]
    whole = values_of(METRICS, curve)
    np.testing.assert_allclose(first["value"], first["metric"].map(whole), rtol=1e-12)
    drawn = swept[(swept["prior"] > curve.prior) & (swept["metric"] == "average_precision")]
    assert (drawn.groupby("prior")["value"].nunique() == 4).all()


@pytest.mark.parametrize("metric", ["average_precision", "prg_auc", "fbeta(threshold=0.5)"])
def test_calibrated_metrics_stay_and_ordinary_ones_arrive_there(swept, metric):
    means = swept.pivot_table(index="prior", columns="metric", values="value")
    ordinary, calibrated = means[metric], means[f"{metric}@pi0=0.5"]
    assert np.ptp(calibrated) < 0.25 * np.ptp(ordinary)
    assert ordinary.iloc[-1] == pytest.approx(calibrated.iloc[-1], rel=1e-12)


def test_draws_know_the_thresholds_of_metrics(probabilities, own_registry):
    @register_score(label="F2", name="f2_at_a_third")
    def f2_at_a_third(curve, threshold=1 / 3):
        return scores.fbeta(curve.confusion_matrix(threshold), 2.0)

    metrics = [Metric("recall", options={"threshold": 0.123}), Metric("f2_at_a_third")]
    table = sweep(probabilities, metrics, runs=(0, 1))
    positives = probabilities.loc[probabilities["y_true"] == 1, "y_score"]
    recalls = table.loc[table["metric"] == "recall(threshold=0.123)", "value"]
    assert set(recalls) == {(positives >= 0.123).mean()}
    assert table["value"].iloc[1] == pytest.approx(f2_at_a_third(curve_of(probabilities)))


@pytest.mark.parametrize("cut", [1, 3])
def test_the_table_does_not_depend_on_how_runs_are_divided(swept, probabilities, cut):
    parts = [sweep(probabilities, runs=runs) for runs in ((0, cut), (cut, 4))]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), swept, check_exact=True)
    other = sweep(probabilities, runs=(0, 1), seed=12)
    assert other["value"].iloc[-1] != swept["value"].iloc[len(other) - 1]


def test_intervals_contain_the_value_of_all_data(probabilities):
    table = experiment.prior_sweep_intervals(
        probabilities, METRICS, n_priors=3, highest_prior=0.5, seed=1
    )
    assert ((table["low"] < table["value"]) & (table["value"] < table["high"])).all()
    whole = values_of(METRICS, curve_of(probabilities))
    first = table.head(len(METRICS))
    np.testing.assert_allclose(first["value"], first["metric"].map(whole), rtol=1e-12)
    limits = table[table["pi0"].notna()].groupby("metric")[["low", "high"]]
    assert (limits.max() - limits.min()).to_numpy().max() < 1e-9


# ------------------------------------------------------------------------------- Figure 2


@pytest.fixture(scope="module")
def rare():
    return labelled(600, 199_400, 2.2)


@pytest.fixture(scope="module")
def curves(rare):
    return experiment.curves(rare, pi0=0.5, seed=1)


def line(table, space, sample):
    return table[(table["space"] == space) & (table["sample"] == sample)]


def test_three_curves_in_three_spaces(curves):
    groups = list(curves.groupby(["space", "sample"], sort=False).groups)
    assert groups == [(space, sample) for space in AREAS for sample in SAMPLES]
    assert curves.groupby(["space", "sample"]).size().between(100, 500).all()
    assert (curves["pi0"].notna() == (curves["sample"] == "calibrated")).all()
    undersampled = line(curves, "pr", "undersampled")
    assert (undersampled[["n_pos", "n_neg"]] == 600).all(axis=None)
    ends = line(curves, "roc", "all")[["x", "y"]].iloc[[0, -1]]
    assert ends.to_numpy().tolist() == [[0, 0], [1, 1]]


def test_a_short_curve_is_left_whole():
    few = pd.DataFrame({"y_true": [1, 0, 1, 0, 0, 0], "y_score": [6, 5, 4, 3, 2, 1]})
    rows = line(experiment.curves(few, pi0=0.5, seed=0), "roc", "all")
    x, y = spaces.roc(curve_of(few))
    assert (rows["x"].tolist(), rows["y"].tolist()) == (x.tolist(), y.tolist())


@pytest.mark.parametrize("space", AREAS)
def test_areas_are_those_of_the_curves(curves, rare, space):
    curve = curve_of(rare)
    for sample, expected in (("all", curve), ("calibrated", curve.at_prior(0.5))):
        rows = line(curves, space, sample)
        assert rows["area"].unique().tolist() == [AREAS[space](expected)]
        assert rows["prior"].iloc[0] == expected.prior
    for sample in SAMPLES:
        rows = line(curves, space, sample)
        assert rows["x"].is_monotonic_increasing
        assert np.trapezoid(rows["y"], rows["x"]) == pytest.approx(rows["area"].iloc[0], abs=2e-3)


def test_figure_2_depends_on_the_seed_only(curves, rare):
    pd.testing.assert_frame_equal(
        experiment.curves(rare, pi0=0.5, seed=1), curves, check_exact=True
    )
    other = experiment.curves(rare, pi0=0.5, seed=2)
    for sample in SAMPLES:
        same = (
            line(other, "pr", sample)["area"].iloc[0] == line(curves, "pr", sample)["area"].iloc[0]
        )
        assert same == (sample != "undersampled")
    with pytest.raises(ValueError, match="pi0"):
        experiment.curves(rare, pi0=0.001, seed=0)
