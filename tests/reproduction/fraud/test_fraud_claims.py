"""All claims hold on ideal results, and each breaks if its data are edited."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from calibrated_metrics import ConfusionCurve
from reproduction.core import claims
from reproduction.core.settings import model
from reproduction.fraud import experiment

ROOM = Path(claims.__file__).parents[1] / "fraud"
REFERENCE = pd.read_csv(Path(__file__).with_name("reference.csv"), header=[0, 1], index_col=0)
PUBLISHED_DATA = pd.DataFrame({"n_rows": [284_807], "n_frauds": [492]})
# Metrics at the prior of the data and in balanced data.
LOWEST, HIGHEST = (each.published for each in claims.of_room("fraud") if each.published)


def curves():
    """Of classes whose scores are the quantiles of normal distributions."""
    y_true = np.repeat([1, 0], [1248, 131_869])
    ranks = [(np.arange(n) + 0.5) / n for n in (1248, 131_869)]
    scores = norm.ppf(np.concatenate(ranks)) + 2.0 * y_true
    curve = ConfusionCurve.from_predictions(y_true, scores)
    return experiment.curves(curve, pi0=0.5, seed=0)


CURVES = curves()


@pytest.fixture
def reference():
    """Tables with the numbers of the reference run."""
    parts = [REFERENCE.xs(name, axis=1, level=1).assign(metric=name) for name in LOWEST]
    long = pd.concat(parts).reset_index()
    long["n_neg"] = (1248 / long["prior"] - 1248).round()
    heuristic = long[long["metric"] == "average_precision"].reset_index(drop=True)
    heuristic = heuristic.rename(columns={"prior": "pi0", "value": "closed_form"})
    heuristic["mean"] = heuristic["expected"] = heuristic["closed_form"]
    return {
        "fraud_data": pd.DataFrame({"n_rows": [1_743_489], "n_frauds": [14_722]}),
        "heuristic": heuristic.assign(n_pos=1248, n_runs=1000),
        "curves_at_priors": CURVES,
        "fraud_prior_sweep": pd.concat([long[["prior", "n_neg", "metric", "value"]]] * 10),
        "fraud_prior_sweep_intervals": long.drop(columns="sd"),
    }


@pytest.fixture
def published(reference):
    """Tables with the numbers read off the figures of the paper."""
    figure_6 = pd.read_csv(ROOM / "figure_6.csv", index_col=0, header=None).T
    heuristic = figure_6.assign(n_pos=147, n_runs=1000, sd=0.01, low=0.6, high=0.99)
    heuristic["mean"] = heuristic["expected"] = heuristic["closed_form"]
    values = np.linspace(list(LOWEST.values()), list(HIGHEST.values()), 20)
    means = pd.DataFrame(values, columns=list(LOWEST)).assign(prior=figure_6["pi0"].to_numpy())
    runs = means.melt("prior", var_name="metric").eval("n_neg = 147 / prior - 147")
    return {
        **reference,
        "fraud_data": PUBLISHED_DATA,
        "heuristic": heuristic.reset_index(drop=True),
        "fraud_prior_sweep": runs,
        "fraud_prior_sweep_intervals": runs.assign(low=0.5, high=1.0),
    }


def judged(tables):
    return claims.judge(tables, "fraud", claims.needed_settings("fraud", model()())).set_index("id")


def broken(tables):
    table = judged(tables)
    return set(table.index[~table["expected"]])


def edited(tables, name, column, change, where=None):
    table = tables[name].reset_index(drop=True)
    rows = table.query(where).index if where else table.index
    table.loc[rows, column] = change(table.loc[rows, column])
    return {**tables, name: table}


def test_claims_hold_on_the_reference(reference):
    verdicts = judged(reference)["verdict"]
    assert set(verdicts.index[verdicts == "not checked"]) == set(PUBLISHED)
    assert set(verdicts[verdicts != "not checked"]) == {"holds"}


def test_published_numbers_need_all_published_data(published):
    table = judged(published)
    assert set(table["verdict"].loc[list(PUBLISHED)]) == {"holds"}
    few = judged({**published, "fraud_data": PUBLISHED_DATA.assign(n_rows=100_000)})
    assert set(few["verdict"].loc[list(PUBLISHED)]) == {"not checked"}
    assert few["ours"].loc[list(PUBLISHED)].isna().all()


def halved(values):
    return values.where(np.arange(len(values)) < len(values) / 2, values / 2)


def up(values):
    return values + 0.2 * max(np.ptp(values), 0.05)


def first_up(values):
    return values.where(values.index != values.index[0], up(values))


CURVE, SWEEP = "curves_at_priors", "fraud_prior_sweep"
CALIBRATED_ROC = "space == 'roc' and sample == 'calibrated'"
EDITS = {
    "fig2-roc-curves-coincide": (CURVE, "y", halved, CALIBRATED_ROC),
    "fig2-pr-curves-move": (CURVE, "area", lambda _: 1, "space == 'prg' and sample != 'all'"),
    "fig2-areas-agree": (CURVE, "x", up, "space == 'pr' and sample == 'all'"),
    "fig2-priors-agree": (CURVE, "prior", first_up, "space == 'prg'"),
    "fig2-curves-have-no-jumps": (CURVE, "y", first_up, "space == 'prg'"),
    "fig6-heuristic-is-the-closed-form": ("heuristic", "mean", first_up, None),
    "appA-calibrated-are-flat": (SWEEP, "value", up, "metric == 'prg_auc@pi0=0.5' and prior > 0.3"),
    "appA-ordinary-metrics-move": (SWEEP, "value", lambda _: 0.8, "metric == 'prg_auc'"),
}
PUBLISHED = {
    "fig6-closed-form": ("heuristic", "closed_form", first_up, None),
    "appA-at-the-prior-of-the-data": (SWEEP, "value", first_up, "metric == 'prg_auc@pi0=0.5'"),
    "appA-in-balanced-data": (SWEEP, "value", up, "metric == 'prg_auc' and prior == 0.5"),
}


def test_each_claim_has_an_edit():
    assert {claim.id for claim in claims.of_room("fraud")} == {*EDITS, *PUBLISHED}


@pytest.mark.parametrize("name", [*EDITS, *PUBLISHED])
def test_an_edit_breaks_its_claim(reference, published, name):
    tables, edit = (reference, EDITS[name]) if name in EDITS else (published, PUBLISHED[name])
    assert name in broken(edited(tables, *edit))


@pytest.mark.parametrize(
    ("table", "column"),
    [
        *(("heuristic", name) for name in ("mean", "expected", "closed_form")),
        *((CURVE, name) for name in ("x", "y", "area", "prior")),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_any_visible_edit_of_a_drawn_column_breaks_a_claim(reference, table, column, seed):
    """A tenth of the values, at least one, moves by a fifth of their range."""
    chosen = np.random.default_rng(seed).random(len(reference[table])) < 0.1
    chosen[seed] = True
    assert broken(edited(reference, table, column, lambda v: v + 0.2 * np.ptp(v) * chosen))
