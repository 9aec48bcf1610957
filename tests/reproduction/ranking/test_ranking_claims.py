"""Each claim on the ranking can break."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reproduction.core import claims, settings
from reproduction.core.metrics import read_metrics
from reproduction.core.settings import Metrics
from reproduction.ranking import experiment

ROOM = Path(experiment.__file__).parent
AREA, GAIN, F1, ROC = "average_precision", "prg_auc", "best_fbeta", "roc_auc"
KEYS = [metric.key for metric in read_metrics(Metrics().described("paper"))]


def pair(row, column):
    return f"row == '{row}' and column == '{column}'"


def long(name, keys, value):
    """A matrix of the room as a long table."""
    table = pd.read_csv(ROOM / name).melt(keys[0], var_name=keys[1], value_name=value)
    return table.dropna(ignore_index=True)


def both_ways(cells, value):
    """A symmetric matrix from its lower triangle, with 1 on the diagonal."""
    mirrored = cells.rename(columns={"row": "column", "column": "row"})
    keys = pd.unique(cells[["row", "column"]].to_numpy().ravel())
    own = pd.DataFrame({"row": keys, "column": keys, value: 1.0})
    return pd.concat([cells, mirrored, own], ignore_index=True)


def matrix(keys, n_tasks):
    """Correlations of 0.85, and a few others so that the claims hold."""
    cells = pd.DataFrame({"row": np.repeat(keys, len(keys)), "column": keys * len(keys)})
    cells = cells.assign(spearman=0.85, n_tasks=n_tasks, n_tasks_of_panel=n_tasks)
    cells = cells.set_index(["row", "column"])
    half = "@pi0=0.5"
    for row, more, less in (
        (AREA + half, ROC, AREA),
        (AREA + half, GAIN + half, F1 + half),
        (GAIN + half, AREA + half, F1 + half),
        (F1, AREA, ROC),
        (F1, F1, GAIN),
    ):
        cells.loc[(row, more), "spearman"] += 0.1
        cells.loc[(row, less), "spearman"] -= 0.1
    return cells.reset_index()


def regrets(keys, n_tasks):
    cells = pd.DataFrame({"chosen_by": np.repeat(keys, len(keys)), "judged_by": keys * len(keys)})
    mean = cells["chosen_by"].map({AREA: 0.05, f"{AREA}@pi0=0.5": 0.001}).fillna(0.01)
    return cells.assign(mean=mean, p90=0.1, n_tasks=n_tasks)


def local_tables():
    """Tables for which the claims hold."""
    tables = {
        "rank_correlation_all": matrix(KEYS, 40),
        "rank_correlation_imbalanced": matrix(KEYS, 6),
        "rank_correlation_small_prior": matrix(KEYS, 6),
        "selection_regret_all": regrets(KEYS, 40),
        "selection_regret_imbalanced": regrets(KEYS, 6),
        "ranking_scores": pd.DataFrame({"task": ["t"], "value_as_published": [0.5]}),
    }
    all_tasks = tables["rank_correlation_all"]
    all_tasks.loc[all_tasks.query(pair(f"{AREA}@pi0=0.5", AREA)).index, "spearman"] = 0.971
    corrected = [
        matrix(KEYS, 6).assign(panel=panel, corrected=value)
        for panel, value in {"all": 0.9, "imbalanced": 0.7, "small_prior": 0.8}.items()
    ]
    table = pd.concat(corrected, ignore_index=True).assign(correction="all")
    as_published = table["corrected"] - np.where(table["row"] == GAIN, 0.3, 0.0)
    table = table.assign(as_published=as_published, change=table["corrected"] - as_published)
    tables["rank_correlation_corrections"] = table
    ratios = pd.DataFrame({"minority_ratio": np.linspace(0.01, 0.49, 40)})
    share = ratios["minority_ratio"].rank(method="max", pct=True)
    tables["minority_ratio"] = ratios.assign(cumulative_share=share)
    return tables


def openml_tables():
    """Those of the local source, but with datasets that are mostly balanced."""
    ratios = pd.DataFrame({"minority_ratio": [*[0.1] * 50, *np.linspace(0.25, 0.5, 950)]})
    share = ratios["minority_ratio"].rank(method="max", pct=True)
    return local_tables() | {"minority_ratio": ratios.assign(cumulative_share=share)}


def published_tables():
    """The printed numbers, and models with gains above 1 and without any value but 0."""
    tables = {}
    for panel, n_tasks in {"all": 602, "imbalanced": 5}.items():
        cells = both_ways(long(f"printed_{panel}.csv", ["row", "column"], "spearman"), "spearman")
        tables[f"rank_correlation_{panel}"] = cells.assign(
            n_tasks=n_tasks, n_tasks_of_panel=n_tasks
        )
    all_tasks = tables["rank_correlation_all"]
    for column, digits in {f"{GAIN}@pi0=0.5": 0.8572, f"{F1}@pi0=0.5": 0.9134}.items():
        cell = (all_tasks["row"] == f"{AREA}@pi0=0.5") & (all_tasks["column"] == column)
        all_tasks.loc[cell, "spearman"] = digits
    tables["rank_correlation_corrections"] = all_tasks[["row", "column"]].assign(
        panel="all",
        correction="all",
        as_published=all_tasks["spearman"],
        corrected=all_tasks["spearman"] - 0.0236,
        change=-0.0236,
    )
    gains = np.repeat([0.0, 2.0, 0.5], [1520, 347, 100])
    tables["ranking_scores"] = pd.DataFrame(
        {"task": "t", "run": range(len(gains)), "metric": f"{GAIN}@pi0=0.5"}
    ).assign(value_as_published=gains)
    return tables


TABLES = {"local": local_tables, "openml": openml_tables, "published": published_tables}
IDS = {claim.id for claim in claims.of_room("ranking")}


@cache
def settings_of(source):
    conventions = "as_published" if source == "published" else "corrected"
    ranking = {"source": source, "conventions": conventions}
    return claims.needed_settings("ranking", settings.load({"ranking": ranking}))


def judged(source, tables):
    return claims.judge(tables, "ranking", settings_of(source))


def broken(source, tables):
    table = judged(source, tables)
    return set(table.loc[~table["expected"], "id"])


@pytest.mark.parametrize("source", TABLES)
def test_ideal_tables_are_as_expected(source):
    assert not broken(source, TABLES[source]())


def test_each_claim_is_checked_with_some_source_and_gets_no_number_with_the_others():
    checked = set()
    for source, tables in TABLES.items():
        table = judged(source, tables())
        is_checked = table["verdict"] != "not checked"
        assert table.loc[~is_checked, "ours"].isna().all()
        checked |= set(table.loc[is_checked, "id"])
    assert checked == IDS


ALL, IMBALANCED = "rank_correlation_all", "rank_correlation_imbalanced"
SMALL, CORRECTIONS = "rank_correlation_small_prior", "rank_correlation_corrections"
REGRET = "selection_regret_imbalanced"
NEAR_ROC = pair(f"{AREA}@pi0=0.5", ROC)
NEAR_GAIN = pair(f"{AREA}@pi0=0.5", f"{GAIN}@pi0=0.5")
# What breaks: source, table, rows, column and new value.
EDITS = {
    "fig7-printed-all": ("published", ALL, pair(ROC, F1), "spearman", 0.84),
    "fig7-printed-imbalanced": ("published", IMBALANCED, pair(ROC, F1), "spearman", -0.5),
    "fig7-datasets-all": ("published", ALL, None, "n_tasks_of_panel", 614),
    "fig7-datasets-imbalanced": ("published", IMBALANCED, None, "n_tasks_of_panel", 4),
    "fig7-gain-above-1": ("published", "ranking_scores", "run == 1600", "value_as_published", 1.0),
    "fig7-zeroed-runs": ("published", "ranking_scores", "run == 7", "value_as_published", 0.1),
    "fig7-calibrated-areas-are-closer-than-f1": ("published", ALL, NEAR_GAIN, "spearman", 0.95),
    "ours-calibrated-area-is-closer-to-roc": ("openml", IMBALANCED, NEAR_ROC, "spearman", 0.5),
    "ours-calibrated-area-is-close-to-auc-pr": (
        *("local", ALL, pair(f"{AREA}@pi0=0.5", AREA), "spearman", 0.95),
    ),
    "ours-best-f1-is-closest-to-area": ("openml", IMBALANCED, pair(F1, AREA), "spearman", 0.5),
    "ours-imbalanced-is-less-correlated": (
        *("local", CORRECTIONS, "panel == 'imbalanced'", "corrected", 1.0),
    ),
    "ours-calibrated-areas-are-closer-than-f1": ("local", ALL, NEAR_GAIN, "spearman", 0.5),
    "ours-small-prior-calibrated-area-is-closer-to-roc": (
        *("openml", SMALL, NEAR_ROC, "spearman", 0.7),
    ),
    "figC9-large-minority-ratios": ("openml", "minority_ratio", None, "minority_ratio", 0.1),
    "ours-wrong-gain-moves-cells": ("local", CORRECTIONS, "panel == 'all'", "change", 0.0),
    "ours-regret-of-the-calibrated-choice": (
        *("local", REGRET, f"chosen_by == '{AREA}'", "mean", 0.0),
    ),
    "ours-regret-of-the-calibrated-choice-all": (
        *("local", "selection_regret_all", f"judged_by == '{AREA}'", "mean", 0.01),
    ),
    "corrections-change-is-the-difference": (
        *("local", CORRECTIONS, pair(ROC, GAIN), "corrected", 0.2),
    ),
    "corrections-start-from-the-printed-matrix": (
        *("published", CORRECTIONS, pair(ROC, GAIN), "as_published", 0.5),
    ),
    "corrections-of-the-stored-scores": (
        *("published", CORRECTIONS, pair(ROC, GAIN), "change", -0.1),
    ),
    "figC9-is-a-staircase": ("openml", "minority_ratio", "index == 3", "cumulative_share", 0.5),
}


@pytest.mark.parametrize("name", sorted(IDS))
def test_each_claim_can_break(name):
    source, table, where, column, value = EDITS[name]
    tables = TABLES[source]()
    rows = tables[table].query(where).index if where else tables[table].index
    assert len(rows)
    tables[table].loc[rows, column] = value
    assert name in broken(source, tables)
