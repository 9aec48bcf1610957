"""Each claim and check of monitoring holds for its tables and is broken by a visible change."""

import numpy as np
import pandas as pd
import pytest

from reproduction.core import claims, settings

NEEDED = claims.needed_settings("monitoring", settings.load({}))
CALIBRATED = "pi0 == pi0 and metric == 'average_precision'"
ORDINARY = "pi0 != pi0 and metric == 'average_precision'"
FOLDER = claims._ROOMS / "monitoring"


def in_scenarios(name, scenarios):
    rows = pd.read_csv(FOLDER / f"reference_{name}.csv")
    rows.insert(0, "scenario", np.repeat(scenarios, len(rows) // len(scenarios)))
    return rows.assign(metric="average_precision")


@pytest.fixture
def tables():
    """The drawn rows of a run of the default settings, rounded."""
    trends = pd.DataFrame(
        [
            ("prior drift", np.nan, -0.0116, -0.015, -0.008, 0.0001, "falls"),
            ("prior drift", 0.0085, -0.0004, -0.003, 0.003, 0.83, "flat"),
        ],
        columns=["scenario", "pi0", "slope", "low", "high", "p_value", "verdict"],
    )
    drifts = ["prior drift", "likelihood drift"]
    return {
        "monitoring": in_scenarios("values", ["as simulated", *drifts, "both drifts"]),
        "monitoring_differences": in_scenarios("differences", ["prior drift"]),
        "monitoring_trends": trends.assign(metric="average_precision"),
        "monitoring_changes": in_scenarios("changes", drifts),
    }


def broken(tables):
    judged = claims.judge(tables, "monitoring", NEEDED).set_index("id")["expected"]
    return set(judged[~judged].index)


def edited(tables, table, where, column, change):
    rows = tables[table].query(where).index
    tables[table].loc[rows, column] = change(tables[table].loc[rows, column].to_numpy())
    return broken(tables)


def reverse(values):
    return values[::-1]


def zero(values):
    return 0 * values


def test_all_hold(tables):
    assert broken(tables) == set()


@pytest.mark.parametrize(
    ("claim", "table", "where", "column", "change"),
    [
        (
            "fig1-auc-pr-falls",
            "monitoring",
            f"{ORDINARY} and scenario == 'prior drift'",
            "value",
            reverse,
        ),
        (
            "figD11-auc-pr-falls",
            "monitoring",
            f"{ORDINARY} and scenario == 'both drifts'",
            "value",
            reverse,
        ),
        (
            "figD11-calibrated-auc-pr-falls",
            "monitoring",
            f"{CALIBRATED} and scenario == 'likelihood drift'",
            "value",
            reverse,
        ),
        (
            "figD11-calibrated-auc-pr-is-flat",
            "monitoring",
            f"{CALIBRATED} and scenario == 'prior drift'",
            "value",
            lambda values: values - 0.01 * np.arange(20),
        ),
        (
            "figD11-slope-of-calibrated-auc-pr",
            "monitoring_trends",
            CALIBRATED,
            "slope",
            lambda slope: slope - 0.006,
        ),
        (
            "figD11-verdicts-follow-from-the-slopes",
            "monitoring_trends",
            CALIBRATED,
            "verdict",
            lambda verdict: "falls",
        ),
        (
            "figD11-verdicts-follow-from-the-slopes",
            "monitoring_trends",
            ORDINARY,
            "verdict",
            lambda verdict: "rises",
        ),
        (
            "figD11-verdicts-follow-from-the-slopes",
            "monitoring_trends",
            ORDINARY,
            "slope",
            lambda slope: -slope,
        ),
        (
            "figD11-difference-grows-with-the-prior",
            "monitoring_differences",
            "value == value",
            "value",
            reverse,
        ),
        (
            "figD11-differences-have-the-sign-of-the-change-of-the-prior",
            "monitoring_differences",
            "prior < pi0",
            "value",
            lambda values: values + 0.1,
        ),
        ("changes-prior-part", "monitoring_changes", "period > 1", "prior_part", zero),
        (
            "changes-only-the-prior-part-if-the-prior-falls",
            "monitoring_changes",
            "scenario == 'prior drift'",
            "model_part_high",
            lambda high: high - 0.2,
        ),
        (
            "changes-only-the-model-part-if-the-frauds-change",
            "monitoring_changes",
            "scenario == 'likelihood drift'",
            "model_part_high",
            lambda high: high + 0.2,
        ),
    ],
)
def test_each_claim_can_break(tables, claim, table, where, column, change):
    assert claim in edited(tables, table, where, column, change)


DRAWN = {
    "monitoring": "prior pi0 value low high",
    "monitoring_differences": "prior pi0 value low high scale",
    "monitoring_changes": "prior_part prior_part_low prior_part_high "
    "model_part model_part_low model_part_high",
}


@pytest.mark.parametrize(
    ("table", "column"),
    [(table, column) for table, columns in DRAWN.items() for column in columns.split()],
)
def test_one_wrong_point_breaks_a_check(tables, table, column):
    values = tables[table][column].dropna()
    step = 0.2 * (np.ptp(values) or values.max())
    assert edited(tables, table, f"index == {values.index[5]}", column, lambda value: value + step)


def test_a_run_of_other_data_has_no_numbers_of_the_simulated_stream(tables):
    own = {**NEEDED, "monitoring.path": "my_stream.csv"}
    judged = claims.judge(tables, "monitoring", own).set_index("id")
    unchecked = judged[judged["verdict"] == "not checked"]
    assert unchecked["ours"].isna().all()
    assert set(judged.index) - set(unchecked.index) == {
        "figD11-differences-have-the-sign-of-the-change-of-the-prior",
        "figD11-verdicts-follow-from-the-slopes",
    }
