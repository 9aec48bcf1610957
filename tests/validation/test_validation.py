"""The validation: true values, random streams, checks, and a tiny run of its command."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.uncertainty import Estimate, interval
from reproduction.core import io
from validation import (
    changes,
    checks,
    decisions,
    engine,
    figures,
    intervals,
    months,
    parts,
    thresholds,
)
from validation import populations as known
from validation.populations import binormal, plateau

ROOT = Path(__file__).parents[2]
POPULATIONS = [
    *(*known.NORMAL, *known.OTHERS, known.log_normal(2), known.contaminated(0.003), known.MISSED),
    *(known.HARD_NEGATIVES, known.HARD_POSITIVES, known.FOREST, binormal(1).rounded(1)),
    *(plateau(40.0, 0.97, 0.0), plateau(4.0, 0.999, 0.2)),
    *(months.drifted(months.SKEWED, *drift) for drift in months.DRIFTS.values()),
]
OF_CURVES = [Metric(name) for name in ("average_precision", "roc_auc", "prg_auc", "best_fbeta")]


@pytest.mark.parametrize("distance", [0.5, 1, 2])
def test_true_values_of_normal_scores_are_known(distance):
    population = binormal(distance)
    area = stats.norm.cdf(distance / np.sqrt(2))
    assert population.value(Metric("roc_auc"), 0.3) == pytest.approx(area, abs=1e-7)
    expected = Metric("pr_auc")(ConfusionCurve.from_binormal(distance, 0, 0.006))
    assert population.value(Metric("average_precision"), 0.006) == pytest.approx(expected, rel=1e-4)
    tpr, fpr = stats.norm.sf([1.0 - distance, 1.0])
    precision = population.value(Metric("precision", threshold=1.0), 0.01)
    assert precision == pytest.approx(0.01 * tpr / (0.01 * tpr + 0.99 * fpr), rel=1e-9)


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda population: population.name)
def test_true_values_are_the_limits_of_large_samples(population):
    y_true, score = population.draw(np.random.default_rng(0), 10**5, 10**5)
    curve = ConfusionCurve.from_predictions(y_true, score).at_prior(0.3)
    for metric in OF_CURVES:
        assert metric(curve) == pytest.approx(population.value(metric, 0.3), abs=0.008)
    for threshold in np.quantile(score, [0.01, 0.2, 0.5, 0.8, 0.99]):
        found = [(score[y_true == label] >= threshold).mean() for label in (True, False)]
        assert found == pytest.approx(population.rates(threshold), abs=0.008)


@pytest.mark.parametrize(
    "part", [part for part in figures.COVERAGE if "rows" in figures.COVERAGE[part]]
)
def test_each_kind_of_rows_has_a_colour(part):
    rows = {design.labels["rows"] for design in parts.PARTS[part]()}
    assert len({figures.KINDS.get(each, each) for each in rows}) <= len(figures.COLORS)


def test_true_parts_of_a_change_are_those_of_the_binormal_model():
    priors, models = np.array([0.05, 0.02]), (binormal(2.0), binormal(1.3))
    tpr, fpr = stats.norm.sf(1.0 - np.array([2.0, 1.3])), stats.norm.sf(1.0)
    precision = tpr[:, None] / (tpr[:, None] + (1 - priors) / priors * fpr)
    total, of_prior = precision[1, 1] - precision[0, 0], np.diff(precision).mean()
    expected = {"total": total, "prior_part": of_prior, "model_part": total - of_prior}
    assert changes.true_parts(changes.PRECISION, models, tuple(priors)) == pytest.approx(expected)


def test_a_threshold_that_misses_the_precision_is_looser_than_the_best_one():
    case = thresholds.Case("ordinary", binormal(2), 0.3, 0.01, 60)
    for threshold in np.linspace(1, 4, 31):
        found = thresholds.judged(case, "precision", threshold)
        assert found["missed"] == (found["relative"] > 1)
    assert thresholds.judged(case, "precision", None) == {"missed": False, "relative": 0}


def test_exact_coverage_of_recall_is_that_of_its_limits():
    """The coverage of recall does not depend on FP, so it is a sum over a binomial distribution."""
    (labels, record), *_ = decisions.coverage(Metric("recall"), 5, 5, None, None)
    chance = stats.binom.pmf(np.arange(6), 5, labels["tpr"])
    limits = [interval("recall", ConfusionMatrix(tp=k, fp=1, fn=5 - k, tn=4)) for k in range(6)]
    covered = [each.low <= labels["tpr"] <= each.high for each in limits]
    assert record["covered"] == pytest.approx(chance @ np.array(covered), abs=1e-12)


def judged(table, **check):
    check = checks.Check("part", "statement", "n_samples > 0", **check)
    return checks.judged({"part": table}, [check]).iloc[0]


def shares(*covered, n=500):
    error = np.sqrt(np.array(covered) * (1 - np.array(covered)) / n)
    return pd.DataFrame({"covered": covered, "covered_error": error, "n_given": n, "n_samples": n})


@pytest.mark.parametrize(
    ("covered", "verdict"),
    [((0.95, 0.93), "in range"), ((0.95, 0.92), "in range"), ((0.95, 0.87), "out of range")],
)
def test_a_check_allows_for_the_error_of_the_simulation(covered, verdict):
    row = judged(shares(*covered), least=0.93)
    assert (row["verdict"], row["value"]) == (verdict, covered[1])
    if verdict == "in range":
        printed = checks.verdict(row.to_frame().T, checks.wide({}), tiny=False)
        assert f"| {len(covered)} | ≥ 0.93 | {np.mean(covered):.3f} | {covered[1]:.3f} |" in printed


def test_the_page_of_coverage_has_a_row_for_each_check():
    page = Path(__file__).parents[2].joinpath("docs/methods/coverage.md").read_text("utf-8")
    assert not [each.statement for each in checks.CHECKS if f"| {each.statement} |" not in page]


def test_a_check_without_rows_fails_a_full_run_only():
    row = judged(shares().astype({"n_samples": int}), least=0.9)
    assert row["verdict"] == "not measured"
    assert "not measured" in checks.verdict(row.to_frame().T, checks.wide({}), tiny=True)
    with pytest.raises(SystemExit, match="not measured: statement"):
        checks.verdict(row.to_frame().T, checks.wide({}), tiny=False)


def test_a_wrong_interval_turns_a_check(monkeypatch):
    """Intervals of a quarter of the width cover too little."""
    design = next(intervals.few_or_rare())
    (check,) = (check for check in checks.CHECKS if "few negatives" in check.statement)

    def narrow(*arguments, **options):
        found = interval(*arguments, **options)
        low, high = (found.value + (limit - found.value) / 4 for limit in (found.low, found.high))
        return Estimate(found.value, low, high, found.standard_error, 0.95, found.method)

    def verdict():
        return checks.judged({"intervals": engine.measure([design], 100, 1)}, [check])["verdict"][0]

    assert verdict() == "in range"
    monkeypatch.setattr(intervals, "interval", narrow)
    assert verdict() == "out of range"


@pytest.fixture(scope="module")
def settings():
    return yaml.safe_load((ROOT / "config/validation.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tables(settings):
    """Each part with few designs and samples."""
    seed = settings["seed"]
    return {
        part: parts.measured(part, n, seed, tiny=True) for part, n in settings["samples"].items()
    }


@pytest.fixture(scope="module")
def folder(tables, tmp_path_factory):
    """A folder in which the command made what was missing, and found coverages that are too low."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("config", "profiles", "src", "validation"):
        (folder / name).symlink_to(ROOT / name)
    too_low = tables["bootstrap"].assign(covered=0.1, n_given=500)
    for part, table in {**tables, "bootstrap": too_low}.items():
        if part != "differences":
            io.write(table, folder / f"results/tables/{part}.csv")
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", "validation/Snakefile"),
        *("--cores", "2", "--config", "tiny=true", "results_dir=results"),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode != 0
    failed = set(re.findall(r"(?:out of range|not measured): .*", done.stderr))
    assert failed == {"out of range: coverage, bootstrap errors"}, done.stderr
    return folder


def test_all_parts_are_judged(tables):
    table = checks.judged(tables, checks.CHECKS)
    assert len(table) == len(checks.CHECKS)
    assert (table["verdict"] == "in range").sum() > 10
    printed = checks.verdict(table, checks.wide(tables), tiny=True)
    assert all(f"| {check.statement} |" in printed for check in checks.CHECKS)


def test_the_command_writes_a_page_with_all_checks_and_figures_before_it_fails(folder):
    page = (folder / "results/validation.html").read_text(encoding="utf-8")
    table = pd.read_csv(folder / "results/checks.csv")
    assert len(table) == len(checks.CHECKS)
    assert "out of range" in page
    for part in parts.PARTS:
        assert f'src="figures/{part}.png"' in page
        assert (folder / f"results/figures/{part}.png").stat().st_size > 5000


def test_each_checked_column_has_a_simulation_error(tables):
    for check in checks.CHECKS:
        columns = {check.column, f"{check.column}_error"}
        assert columns <= set(tables[check.part]), check.statement


def test_rows_depend_neither_on_other_designs_nor_on_other_jobs(folder, settings):
    table = pd.read_csv(folder / "results/tables/differences.csv")
    names = set(table["design"])
    designs = (each for each in intervals.differences() if each.labels["design"] in names)
    alone = pd.concat([engine.measure([design], 2, settings["seed"]) for design in designs])
    np.testing.assert_allclose(table["error"], alone["error"], rtol=1e-12)
