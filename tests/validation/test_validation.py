"""The validation: true values, random streams, checks, and a tiny run of its command."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.uncertainty import Estimate, interval
from validation import changes, checks, decisions, engine, intervals, months, parts, thresholds
from validation.populations import (
    FOREST,
    HARD_NEGATIVES,
    HARD_POSITIVES,
    MISSED,
    PROBABILITIES,
    WIDE_POSITIVES,
    binormal,
    contaminated,
    exponential,
    heavy_tails,
    log_normal,
    plateau,
)

ROOT = Path(__file__).parents[2]
POPULATIONS = [
    *(binormal(1), heavy_tails(2), exponential(4), log_normal(2), contaminated(0.003)),
    *(WIDE_POSITIVES, HARD_NEGATIVES, HARD_POSITIVES, PROBABILITIES, MISSED, FOREST),
    *(binormal(1).rounded(1), exponential(4).rounded(1)),
    *(plateau(40.0, 0.97, 0.0), plateau(4.0, 0.999, 0.2)),
]
OF_CURVES = [Metric(name) for name in ("average_precision", "roc_auc", "prg_auc", "best_fbeta")]


# ------------------------------------------------------------------------------- true values


@pytest.mark.parametrize("distance", [0.5, 1, 2])
def test_true_values_of_normal_scores_are_known(distance):
    population = binormal(distance)
    area = population.value(Metric("roc_auc"), 0.3)
    assert area == pytest.approx(stats.norm.cdf(distance / np.sqrt(2)), abs=1e-7)
    expected = Metric("pr_auc").value(ConfusionCurve.from_binormal(distance, 0, 0.006))
    assert population.value(Metric("average_precision"), 0.006) == pytest.approx(expected, rel=1e-4)
    fpr = stats.norm.sf(1.0)
    tpr = stats.norm.sf(1.0 - distance)
    precision = population.value(Metric("precision"), 0.01, threshold=1.0)
    assert precision == pytest.approx(0.01 * tpr / (0.01 * tpr + 0.99 * fpr), rel=1e-9)


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda population: population.name)
def test_true_values_are_the_limits_of_large_samples(population):
    y_true, score = population.draw(np.random.default_rng(0), 10**5, 10**5)
    curve = ConfusionCurve.from_predictions(y_true, score).at_prior(0.3)
    for metric in OF_CURVES:
        assert metric.value(curve) == pytest.approx(population.value(metric, 0.3), abs=0.008)
    for threshold in np.quantile(score, [0.01, 0.2, 0.5, 0.8, 0.99]):
        found = [(score[y_true == label] >= threshold).mean() for label in (True, False)]
        assert found == pytest.approx(population.rates(threshold), abs=0.008)


def test_a_plateau_is_just_below_the_required_odds_after_its_head():
    population = plateau(odds=40.0, ratio=0.999, head=0.1)
    odds = [np.divide(*population.rates(-fpr)) for fpr in (1e-5, 8e-4, 0.003, 0.01, 0.02)]
    assert odds == pytest.approx([120, 120, *3 * [0.999 * 40]])


def test_normal_numbers_become_scores_of_the_population():
    y_true = np.arange(40_000) < 20_000
    score = exponential(4).of_normal(y_true, np.random.default_rng(0).normal(size=40_000))
    assert stats.kstest(score[y_true], stats.expon(scale=4).cdf).pvalue > 0.01
    assert stats.kstest(score[~y_true], stats.expon().cdf).pvalue > 0.01


def test_true_parts_of_a_change_are_those_of_the_binormal_model():
    priors, models = np.array([0.05, 0.02]), (binormal(2.0), binormal(1.3))
    tpr, fpr = stats.norm.sf(1.0 - np.array([2.0, 1.3])), stats.norm.sf(1.0)
    precision = tpr[:, None] / (tpr[:, None] + (1 - priors) / priors * fpr)
    total, prior_part, model_part = changes.true_parts(Metric("precision"), models, tuple(priors))
    assert total == pytest.approx(precision[1, 1] - precision[0, 0])
    assert prior_part == pytest.approx((precision[:, 1] - precision[:, 0]).mean())
    assert model_part == pytest.approx(total - prior_part)


@pytest.mark.parametrize("drift", [months.NO_DRIFT, *months.DRIFTS], ids=lambda drift: drift.name)
@pytest.mark.parametrize("population", [binormal(2), exponential(5)], ids=["normal", "exponential"])
def test_true_average_precision_of_a_month_is_that_of_a_large_sample(population, drift):
    rng = np.random.default_rng(0)
    n_pos, n_neg, sd = 50_000, 500_000, population.neg.parts[0].std()
    y_true = np.arange(n_pos + n_neg) < n_pos
    score = population.draw_of(rng, y_true | (rng.random(len(y_true)) < drift.tail))
    score += sd * np.where(y_true, drift.positives, drift.negatives)
    curve = ConfusionCurve.from_predictions(y_true, score).at_prior(0.02)
    truth = months.true_average_precision(population, drift, 0.02)
    assert truth == pytest.approx(Metric("average_precision").value(curve), rel=0.03)


def test_a_threshold_that_misses_the_precision_is_looser_than_the_best_one():
    case = thresholds.Case("ordinary", binormal(2), 0.3, 0.01, 60)
    for threshold in np.linspace(1, 4, 31):
        found = thresholds.judged(case, "precision", threshold)
        assert found["missed"] == (found["relative"] > 1)
    assert thresholds.judged(case, "recall", None) == {"found": 0, "missed": 0, "relative": 0}


def test_exact_coverage_of_recall_is_that_of_its_limits():
    """With all FP alike, the coverage of recall is a sum over one binomial distribution."""
    (labels, record), *_ = decisions.coverage(Metric("recall"), 5, 5, None, None)
    chance = stats.binom.pmf(np.arange(6), 5, labels["tpr"])
    limits = [interval("recall", ConfusionMatrix(tp=k, fp=1, fn=5 - k, tn=4)) for k in range(6)]
    covered = [each.low <= labels["tpr"] <= each.high for each in limits]
    assert record["coverage"] == pytest.approx(chance @ np.array(covered), abs=1e-12)


# ----------------------------------------------------------------------- streams and records


def test_names_of_designs_differ_because_they_name_the_random_streams():
    for part, designs in parts.PARTS.items():
        names = [design.name for design in designs()]
        assert len(set(names)) == len(names), part


def test_rows_do_not_depend_on_the_other_designs():
    designs = intervals.differences()[::12]
    whole = engine.measure(designs, 2, 7)
    alone = pd.concat([engine.measure([design], 2, 7) for design in designs], ignore_index=True)
    pd.testing.assert_frame_equal(whole, alone)


def test_a_record_of_an_interval_says_where_it_lies():
    record = engine.of_interval(Estimate(0.2, 0.1, 0.4, 0.1, 0.95, "hull"), 0.5)
    assert (record["covered"], record["above"], record["excludes_0"]) == (False, False, True)
    nan = float("nan")
    withheld = engine.of_interval(Estimate(0.2, nan, nan, nan, 0.95, "hull", "few rows"), 0.5)
    assert withheld["withheld"]
    assert np.isnan(withheld["covered"])


# ------------------------------------------------------------------------------------- checks


def judged(table, **check):
    check = checks.Check("statement", "part", "n_samples > 0", **check)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checks, "CHECKS", [check])
        (row,) = checks.judged({"part": table}).to_dict("records")
    return row


def shares(*covered, n=500):
    error = np.sqrt(np.array(covered) * (1 - np.array(covered)) / n)
    return pd.DataFrame({"covered": covered, "covered_error": error, "n_given": n, "n_samples": n})


@pytest.mark.parametrize(
    ("covered", "verdict"),
    [((0.95, 0.93), "in range"), ((0.95, 0.92), "in range"), ((0.95, 0.87), "out of range")],
)
def test_a_check_allows_for_the_error_of_the_simulation(covered, verdict):
    row = judged(shares(*covered), least=0.93)
    assert row["verdict"] == verdict
    assert row["value"] == covered[1]


def test_a_check_of_any_row_or_of_the_mean():
    table = shares(0.95, 0.7)
    assert judged(table, most=0.8, over="any")["value"] == 0.7
    assert judged(table, most=0.8, over="any")["verdict"] == "in range"
    assert judged(table, most=0.6, over="any")["verdict"] == "out of range"
    assert judged(table, least=0.9, over="mean")["verdict"] == "out of range"


def test_a_check_without_rows_fails_a_full_run_only():
    row = judged(shares().astype({"n_samples": int}), least=0.9)
    assert row["verdict"] == "not measured"
    assert checks.failed(pd.DataFrame([row]), tiny=True) == []
    assert checks.failed(pd.DataFrame([row]), tiny=False) == ["statement"]


def test_a_wrong_interval_turns_a_check(monkeypatch):
    """Intervals of half the width cover too little."""
    design = next(intervals.few())

    def of_verdict():
        table = engine.measure([design], 100, 1)
        (check,) = (check for check in checks.CHECKS if "few negatives" in check.statement)
        monkeypatch.setattr(checks, "CHECKS", [check])
        return checks.judged({"intervals": table})["verdict"].item()

    def narrow(*arguments, **options):
        found = interval(*arguments, **options)
        low, high = (found.value + (limit - found.value) / 4 for limit in (found.low, found.high))
        return Estimate(found.value, low, high, found.standard_error, 0.95, found.method)

    assert of_verdict() == "in range"
    monkeypatch.setattr(intervals, "interval", narrow)
    assert of_verdict() == "out of range"


# ------------------------------------------------------------------------------------ command


def run(folder, cores):
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", ROOT / "validation" / "Snakefile"),
        *("--cores", str(cores), "--config", "tiny=true"),
        f"results_dir={folder}/results",
    ]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folders = [tmp_path_factory.mktemp(f"validation{cores}") for cores in (1, 2)]
    for cores, folder in enumerate(folders, start=1):
        done = run(folder, cores)
        assert done.returncode == 0, done.stderr
    return [folder / "results" for folder in folders]


def test_the_command_writes_a_page_with_all_checks_and_figures(tiny):
    page = (tiny[0] / "validation.html").read_text(encoding="utf-8")
    table = pd.read_csv(tiny[0] / "checks.csv")
    assert len(table) == len(checks.CHECKS)
    assert (table["verdict"] != "not measured").sum() > 10
    assert page.count("<img") == len(parts.PARTS)
    for part in parts.PARTS:
        assert f"figures/{part}.png" in page
        assert (tiny[0] / "figures" / f"{part}.png").stat().st_size > 5000


def test_tables_do_not_depend_on_the_number_of_cores(tiny):
    for part in parts.PARTS:
        one, two = (results / "tables" / f"{part}.csv" for results in tiny)
        assert one.read_bytes() == two.read_bytes()


def test_the_command_ends_with_an_error_if_a_check_is_out_of_its_range(tiny):
    results = tiny[0]
    tables = results / "tables" / "differences.csv"
    table = pd.read_csv(tables)
    table.assign(covered=0.1, n_given=500).to_csv(tables, index=False)
    done = run(results.parent, 1)
    assert done.returncode != 0
    assert "out of its range: coverage, two samples" in done.stderr + done.stdout
    assert "out of range" in (results / "validation.html").read_text(encoding="utf-8")
