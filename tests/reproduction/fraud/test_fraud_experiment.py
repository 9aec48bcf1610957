"""The tables of Figures 2 and 6 and of appendix A."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, scores
from reproduction.core import findings
from reproduction.core.claims import judge, needed_settings
from reproduction.core.metrics import Metric, values_of
from reproduction.core.settings import load
from reproduction.core.streams import stream
from reproduction.fraud import claims, experiment
from reproduction.fraud.draws import n_negatives_kept, undersample
from reproduction.fraud.undersampling import simulated_average_precision

AREAS = {"roc": scores.roc_auc, "pr": scores.average_precision, "prg": scores.prg_auc}
SAMPLES = ("all", "undersampled", "calibrated")
METRICS = [
    Metric(name, pi0, {"threshold": 0.5} if name == "fbeta" else {})
    for name in ("average_precision", "prg_auc", "fbeta")
    for pi0 in (None, 0.5)
]


def normal_scores(n_pos, n_neg, distance):
    rng = np.random.default_rng(0)
    y_score = np.concatenate([rng.normal(distance, 1, n_pos), rng.normal(0, 1, n_neg)])
    return ConfusionCurve.from_predictions((np.arange(n_pos + n_neg) < n_pos) * 1, y_score)


@pytest.fixture(scope="module")
def as_paper():
    """As many frauds and genuine rows as in the paper's test set."""
    return normal_scores(147, 85_296, 3.5)


@pytest.fixture(scope="module")
def table(as_paper):
    return experiment.heuristic(as_paper, n_runs=200, n_priors=8, highest_prior=0.5, seed=5)


def test_a_row_per_reference_prior(table, as_paper):
    np.testing.assert_allclose(table["pi0"], np.geomspace(147 / 85_443, 0.5, 8))
    assert (table["n_neg_kept"].iloc[0], table["n_neg_kept"].iloc[-1]) == (85_296, 147)
    for point, row in enumerate(table.itertuples()):
        assert row.closed_form == scores.average_precision(as_paper.at_prior(row.pi0))
        rng = stream(5, "heuristic", point)
        drawn = simulated_average_precision(as_paper, row.pi0, 200, rng)
        assert row.mean == pytest.approx(drawn.mean(), rel=1e-12)
        assert row.sd == pytest.approx(drawn.std(ddof=1), rel=1e-9, abs=1e-12)


def test_nothing_is_random_at_the_prior_itself(table, as_paper):
    plain = scores.average_precision(as_paper)
    first = table[["sd", "mean", "expected", "closed_form"]].iloc[0]
    assert first.tolist() == [0, plain, plain, plain]


def test_a_highest_prior_below_that_of_the_data_is_refused():
    curve = normal_scores(30, 70, 1.0)
    with pytest.raises(ValueError, match=r"pi0=0\.2\d* must be at least the prior 0\.3"):
        experiment.heuristic(curve, n_runs=2, n_priors=8, highest_prior=0.2, seed=0)


@pytest.fixture(scope="module")
def probabilities():
    """Labels and probabilities of a model that is right about them."""
    rng = np.random.default_rng(0)
    y_score = rng.beta(0.05, 1.5, 4000)
    return pd.DataFrame({"y_true": (rng.random(4000) < y_score) * 1, "y_score": y_score})


@pytest.fixture(scope="module")
def curve(probabilities):
    return ConfusionCurve.from_predictions(probabilities["y_true"], probabilities["y_score"])


@pytest.fixture(scope="module")
def swept(curve):
    return experiment.prior_sweep(curve, METRICS, n_runs=4, n_priors=5, highest_prior=0.5, seed=11)


def test_a_row_per_run_prior_and_metric(swept, curve):
    table = swept[0]
    priors = np.geomspace(curve.prior, 0.5, 5)
    expected = [
        (run, prior, metric.key) for run in range(4) for prior in priors for metric in METRICS
    ]
    assert list(zip(table["run"], table["prior"], table["metric"], strict=True)) == expected
    kept = [n_negatives_kept(curve, prior) for prior in table["prior"]]
    assert table["n_neg"].tolist() == kept
    assert set(table["n_pos"]) == {curve.n_pos}
    drawn = table[(table["prior"] > curve.prior) & (table["metric"] == "average_precision")]
    assert (drawn.groupby("prior")["value"].nunique() == 4).all()


def test_the_first_point_is_the_whole_test_set(swept, curve):
    whole = values_of(METRICS, curve)
    for table in swept:
        first = table[table["prior"] == curve.prior]
        np.testing.assert_allclose(first["value"], first["metric"].map(whole), rtol=1e-12)


def test_no_title_contradicts_a_claim(curve, verdicts):
    grid = {"n_runs": 4, "n_priors": 3, "highest_prior": 0.5}
    for seed in range(8):
        _, bands, intervals = experiment.prior_sweep(curve, METRICS, **grid, seed=seed)
        tables = {"fraud_prior_sweep_bands": bands, "fraud_prior_sweep_intervals": intervals}
        judged = verdicts("fraud", **tables)
        title = findings.of_prior(bands, METRICS)
        changing = title.partition(" change")[0]
        assert ("alibrated" in changing) == (judged["appA-calibrated-are-flat"] == "differs"), title
        assert changing.startswith("Ordinary metrics") == (
            judged["appA-ordinary-metrics-move"] == "holds"
        ), title


def test_intervals_contain_the_value_and_those_of_calibrated_metrics_stay(swept):
    *_, table = swept
    assert ((table["low"] < table["value"]) & (table["value"] < table["high"])).all()
    limits = table[table["pi0"].notna()].groupby("metric")[["low", "high"]]
    assert (limits.max() - limits.min()).to_numpy().max() < 1e-9


def test_skewed_limits_of_a_good_model_break_nothing():
    curve, grid = normal_scores(147, 85_296, 4.5), {"n_priors": 5, "highest_prior": 0.5, "seed": 0}
    heuristic = experiment.heuristic(curve, n_runs=50, **grid)
    *_, intervals = experiment.prior_sweep(curve, METRICS[:4], n_runs=1, **grid)
    data = pd.DataFrame({"simulated": [True], "n_rows": 284_000, "n_frauds": 490})
    tables = {"heuristic": heuristic, "fraud_prior_sweep_intervals": intervals, "fraud_data": data}
    judged = judge(tables, "fraud", needed_settings(["fraud"], load({})))
    assert judged["expected"].all(), judged[~judged["expected"]]


@pytest.fixture(scope="module")
def rare():
    return normal_scores(600, 199_400, 2.2)


@pytest.fixture(scope="module")
def curves(rare):
    return experiment.curves(rare, pi0=0.5, seed=1)


def line(table, space, sample):
    return table[(table["space"] == space) & (table["sample"] == sample)]


def test_three_curves_in_three_spaces(curves):
    groups = list(curves.groupby(["space", "sample"], sort=False).groups)
    assert groups == [(space, sample) for space in AREAS for sample in SAMPLES]
    assert curves.groupby(["space", "sample"]).size().between(100, 600).all()
    undersampled = line(curves, "pr", "undersampled")
    assert (undersampled[["n_pos", "n_neg"]] == 600).all(axis=None)
    ends = line(curves, "roc", "all")[["x", "y"]].iloc[[0, -1]]
    assert ends.to_numpy().tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("space", AREAS)
def test_areas_are_those_of_the_curves(curves, rare, space):
    for sample, expected in (("all", rare), ("calibrated", rare.at_prior(0.5))):
        rows = line(curves, space, sample)
        assert rows["area"].unique().tolist() == [AREAS[space](expected)]
        assert rows["prior"].iloc[0] == expected.prior
    for sample in SAMPLES:
        rows = line(curves, space, sample)
        assert rows["x"].is_monotonic_increasing
        assert np.trapezoid(rows["y"], rows["x"]) == pytest.approx(rows["area"].iloc[0], abs=2e-3)


def test_the_roc_distance_is_kolmogorovs_of_the_drawn_negatives(curves, rare):
    drawn = undersample(rare, 0.5, stream(1, "curves_at_priors"))
    distance = np.abs(drawn.fp / drawn.n_neg - rare.fp / rare.n_neg).max()
    roc = curves[curves["space"] == "roc"]
    measured = claims.roc_distance(roc) / np.sqrt(drawn.n_neg)
    assert distance - 0.01 < measured <= distance + 0.005  # of 500 points of each curve
    assert claims.roc_distance(roc[roc["sample"] != "undersampled"]) == pytest.approx(0, abs=1e-9)


def test_the_tables_depend_on_the_seed_only(probabilities):
    grid = {"n_runs": 3, "n_priors": 3, "highest_prior": 0.5}
    settings = {"of_heuristic": grid, "of_prior_sweep": grid, "of_curves": {"pi0": 0.5}}
    first, again, other = (
        experiment.run(probabilities, METRICS, **settings, seed=seed) for seed in (1, 1, 2)
    )
    for table, same, different in zip(first, again, other, strict=True):
        pd.testing.assert_frame_equal(table, same, check_exact=True)
        assert "method" in table or not table.equals(different)  # these intervals need no draws
