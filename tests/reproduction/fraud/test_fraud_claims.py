"""The claims hold on results as they should be, and each breaks if what it reads is edited."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reproduction.core import claims
from reproduction.core.settings import model
from reproduction.fraud import experiment

ROOM = Path(claims.__file__).parents[1] / "fraud"
REFERENCE = pd.read_csv(ROOM / "reference_heuristic.csv")
SWEEP = pd.read_csv(ROOM / "reference_sweep.csv", header=[0, 1], index_col=0)
METRICS = list(SWEEP["value"])
SIMULATED = pd.DataFrame({"source": ["simulated"], "n_rows": 1_743_489, "n_frauds": 14_722})
KAGGLE = pd.DataFrame({"source": ["kaggle"], "n_rows": 284_807, "n_frauds": 492})
DEFAULT = model()()


def curves():
    rng = np.random.default_rng(0)
    y_true = (np.arange(30_000) < 600) * 1
    predictions = pd.DataFrame({"y_true": y_true, "y_score": rng.normal(size=30_000) + 3 * y_true})
    return experiment.curves(predictions, pi0=0.5, seed=0)


CURVES = curves()


def long(column):
    return (
        SWEEP[column].melt(ignore_index=False, value_name=column).set_index("metric", append=True)
    )


@pytest.fixture
def reference():
    """Tables with the numbers of the reference run."""
    heuristic = REFERENCE.assign(n_pos=1248, n_runs=1000)
    heuristic["mean"] = heuristic["expected"] = heuristic["closed_form"]
    intervals = pd.concat([long("low"), long("high")], axis=1).assign(value=lambda t: t["low"])
    runs = long("value").reset_index()
    return {
        "fraud_data": SIMULATED,
        "heuristic": heuristic,
        "curves_at_priors": CURVES,
        "fraud_prior_sweep": pd.concat([runs] * 10, ignore_index=True),
        "fraud_prior_sweep_intervals": intervals.reset_index(),
    }


@pytest.fixture
def published(reference):
    """Tables with the numbers read off the figures of the paper."""
    figure_6 = pd.read_csv(ROOM / "figure_6.csv")
    lowest = [0.765, 0.977, 0.728, 0.765, 1.0, 0.965]
    highest = [0.978, 0.978, 0.765, 0.765, 0.966, 0.966]
    values = np.linspace(lowest, highest, 20)
    means = pd.DataFrame(values, index=figure_6["pi0"].rename("prior"), columns=METRICS)
    runs = means.melt(ignore_index=False, var_name="metric").reset_index()
    heuristic = figure_6.assign(n_pos=147, n_runs=1000, sd=0.01, low=0.6, high=0.99)
    heuristic["mean"] = heuristic["expected"] = heuristic["closed_form"]
    return {
        **reference,
        "fraud_data": KAGGLE,
        "heuristic": heuristic,
        "fraud_prior_sweep": runs,
        "fraud_prior_sweep_intervals": runs.assign(low=0.5, value=0.9, high=1.0),
    }


def judged(tables):
    settings = claims.needed_settings("fraud", DEFAULT)
    if tables["fraud_data"] is KAGGLE:
        settings["fraud.source"] = "kaggle"
    return claims.judge(tables, "fraud", settings).set_index("id")


def broken(tables):
    table = judged(tables)
    return set(table.index[~table["expected"]])


def edited(tables, name, column, change, where=None):
    table = tables[name].copy()
    rows = table.query(where).index if where else table.index
    table.loc[rows, column] = change(table.loc[rows, column])
    return {**tables, name: table}


def test_claims_hold_on_the_reference(reference):
    verdicts = judged(reference)["verdict"]
    needs_kaggle = ["fig6-closed-form", "appA-at-the-prior-of-the-data", "appA-in-balanced-data"]
    assert set(verdicts.index[verdicts == "not checked"]) == set(needs_kaggle)
    assert set(verdicts[verdicts != "not checked"]) == {"holds"}


def test_published_numbers_need_the_published_data(published):
    verdicts = judged(published)["verdict"]
    references = verdicts.index.str.endswith("reference")
    assert (verdicts[references] == "not checked").all()
    assert (verdicts[~references] == "holds").all()
    few = judged({**published, "fraud_data": KAGGLE.assign(n_rows=100_000)})
    assert few.loc["fig6-closed-form", "verdict"] == "not checked"
    assert "needs fraud_data.n_rows 284807" in few.loc["fig6-closed-form", "reason"]


def down(values):
    return values.where(np.arange(len(values)) < len(values) / 2, values / 2)


def up(values):
    return values + 0.2 * max(np.ptp(values), 0.05)


def first_up(values):
    return values.where(values.index != values.index[0], up(values))


EDITS = {
    "fig2-roc-curves-coincide": (
        *("curves_at_priors", "y", down, "space == 'roc' and sample == 'calibrated'"),
    ),
    "fig2-pr-curve-rises": (
        *("curves_at_priors", "area", lambda area: 0.1, "space == 'pr' and sample != 'all'"),
    ),
    "fig2-pr-gain-curve-falls": (
        *("curves_at_priors", "area", lambda area: 1.0, "space == 'prg' and sample != 'all'"),
    ),
    "fig2-panels-agree": ("curves_at_priors", "y", down, "space == 'pr' and sample == 'all'"),
    "fig2-areas-agree": (
        *("curves_at_priors", "area", lambda area: area.where(area.index == 0, 0.8 * area), None),
    ),
    "fig6-heuristic-is-the-closed-form": ("heuristic", "mean", first_up, None),
    "fig6-heuristic-has-its-expectation": ("heuristic", "expected", first_up, "sd > 0"),
    "fig6-interval-contains-the-closed-form": ("heuristic", "low", lambda low: low + 0.1, None),
    "fig6-is-the-reference": ("heuristic", "sd", first_up, None),
    "appA-calibrated-are-flat": (
        *("fraud_prior_sweep", "value", up, "metric == 'prg_auc@pi0=0.5' and prior > 0.3"),
    ),
    "appA-auc-pr-rises": (
        *("fraud_prior_sweep", "value", lambda value: 0.8, "metric == 'average_precision'"),
    ),
    "appA-auc-pr-gain-falls": (
        *("fraud_prior_sweep", "value", lambda value: 0.8, "metric == 'prg_auc'"),
    ),
    "appA-f1-rises": (
        *("fraud_prior_sweep", "value", lambda value: 0.8, "metric == 'fbeta(threshold=0.5)'"),
    ),
    "appA-is-the-reference": ("fraud_prior_sweep", "value", up, "metric == 'prg_auc'"),
    "appA-limits-are-flat": (
        *("fraud_prior_sweep_intervals", "high", first_up, "metric == 'prg_auc@pi0=0.5'"),
    ),
    "appA-limits-contain-the-value": ("fraud_prior_sweep_intervals", "low", lambda low: 1.0, None),
    "appA-limits-are-the-reference": (
        *("fraud_prior_sweep_intervals", "high", first_up, "metric == 'average_precision'"),
    ),
}
PUBLISHED = {
    "fig6-closed-form": ("heuristic", "closed_form", first_up, None),
    "appA-at-the-prior-of-the-data": (
        *("fraud_prior_sweep", "value", first_up, "metric == 'prg_auc@pi0=0.5'"),
    ),
    "appA-in-balanced-data": (
        *("fraud_prior_sweep", "value", up, "metric == 'average_precision' and prior == 0.5"),
    ),
}


def test_each_claim_has_an_edit():
    assert {claim.id for claim in claims.of_room("fraud")} == {*EDITS, *PUBLISHED}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_breaks_its_claim(reference, name):
    assert name in broken(edited(reference, *EDITS[name]))


@pytest.mark.parametrize("name", PUBLISHED)
def test_an_edit_breaks_a_claim_on_published_numbers(published, name):
    assert name in broken(edited(published, *PUBLISHED[name]))


@pytest.mark.parametrize(
    ("table", "column"),
    [
        *(("heuristic", name) for name in ("pi0", "mean", "sd", "expected", "closed_form")),
        *(("heuristic", name) for name in ("low", "high")),
        *(("fraud_prior_sweep", name) for name in ("prior", "value")),
        *(("fraud_prior_sweep_intervals", name) for name in ("prior", "low", "high")),
        *(("curves_at_priors", name) for name in ("x", "y", "area", "prior")),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_any_visible_edit_of_a_drawn_column_breaks_a_claim(reference, table, column, seed):
    """A tenth of the values, at least one, moves by a fifth of their range."""
    chosen = np.random.default_rng(seed).random(len(reference[table])) < 0.1
    chosen[seed] = True
    assert broken(edited(reference, table, column, lambda v: v + 0.2 * np.ptp(v) * chosen))
