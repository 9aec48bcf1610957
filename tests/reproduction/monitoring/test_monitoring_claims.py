"""Each claim and check of monitoring holds for its tables and can break."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from perturbed import broken

from reproduction.core import claims

ORDINARY, CALIBRATED = "pi0 != pi0", "pi0 == pi0"
HIGH = "model_part_high"
VERDICTS = "figD11-verdicts-follow-from-the-slopes"
REFERENCE = pd.read_csv(Path(__file__).with_name("reference.csv"))


def drawn(table):
    """The drawn rows of a run of the default settings, rounded."""
    lines = REFERENCE[REFERENCE["table"] == table].drop(columns="table")
    long = lines.melt(["scenario", "calibrated", "column"], var_name="period", value_name="cell")
    keys = ["scenario", "period", "calibrated"]
    rows = long.astype({"period": int}).pivot_table("cell", keys, "column").reset_index()
    rows["pi0"] = np.where(rows["calibrated"], 0.00846, np.nan)
    rows["prior"] = rows.get("prior_above_pi0", 0.0) + rows["pi0"].fillna(0)
    return rows.assign(metric="average_precision")


@pytest.fixture
def tables():
    differences = drawn("monitoring_differences").assign(scale=0.205)
    differences[["value", "low", "high"]] /= 0.205
    trends = pd.DataFrame({"pi0": [np.nan, 0.0085], "slope": [-0.0116, -0.0004]})
    trends = trends.assign(low=[-0.015, -0.003], high=[-0.008, 0.003], p_value=[0.0001, 0.83])
    trends["verdict"] = ["falls", "flat"]
    return {
        "monitoring": drawn("monitoring"),
        "monitoring_differences": differences,
        "monitoring_trends": trends,
        "monitoring_changes": drawn("monitoring_changes"),
    }


def edited(tables, table, where, column, change):
    rows = tables[table].query(where).index
    tables[table].loc[rows, column] = change(tables[table].loc[rows, column].to_numpy())
    return broken("monitoring", tables)


def test_all_hold(tables):
    assert broken("monitoring", tables) == set()


@pytest.mark.parametrize(
    ("claim", "where", "column", "change"),
    [
        ("fig1-auc-pr-falls", f"{ORDINARY} and scenario == 'prior drift'", "value", np.flip),
        ("figD11-both-metrics-fall", f"{ORDINARY} and scenario == 'both drifts'", "value", np.flip),
        ("figD11-both-metrics-fall", CALIBRATED, "value", np.flip),
        ("figD11-calibrated-auc-pr-is-flat", CALIBRATED, "value", lambda v: np.linspace(1, 0, 80)),
        (VERDICTS, CALIBRATED, "verdict", lambda verdict: "falls"),
        (VERDICTS, ORDINARY, "verdict", lambda verdict: "rises"),
        (VERDICTS, ORDINARY, "slope", lambda slope: -slope),
        ("figD11-difference-grows-with-the-prior", "period > 0", "value", np.flip),
        ("changes-only-the-prior-part-if-the-prior-falls", "period > 1", HIGH, np.flip),
        ("changes-only-the-model-part-if-the-frauds-change", "period > 1", HIGH, abs),
    ],
)
def test_each_claim_can_break(tables, claim, where, column, change):
    (table,) = {each.table for each in claims.of_room("monitoring") if each.id == claim}
    assert claim in edited(tables, table, where, column, change)


def test_own_data_have_no_numbers_of_the_simulated_stream(tables):
    judged = claims.judge(tables, "monitoring", {}, is_own=True)
    assert set(judged["verdict"]) == {"not checked"}
    assert set(judged["reason"]) == {"the data are your own"}
    assert judged["ours"].isna().all()
    assert judged["expected"].all()
