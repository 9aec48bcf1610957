"""Each claim on the ranking can break, and a visible change of any drawn column breaks one."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reproduction.core import claims, settings
from reproduction.ranking import experiment

ROOM = Path(experiment.__file__).parent
AREA, GAIN, F1, ROC = "average_precision", "prg_auc", "best_fbeta", "roc_auc"


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


def of_rows(panel, n_tasks):
    """Cells with the mean of their row; a few of each row are moved so that the claims hold."""
    means = pd.read_csv(ROOM / f"default_{panel}.csv")
    cells = means.merge(means["row"].rename("column"), how="cross")
    cells = cells.assign(n_tasks=n_tasks, n_tasks_of_panel=n_tasks).set_index(["row", "column"])
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


def local_tables():
    """Tables with the means of the default run."""
    tables = {}
    for panel, n_tasks in {"all": 28, "imbalanced": 6, "small_prior": 11}.items():
        tables[f"rank_correlation_{panel}"] = of_rows(panel, n_tasks)
    keys = tables["rank_correlation_all"][["row", "column"]]
    means = pd.read_csv(ROOM / "default_corrections.csv").merge(keys, how="cross")
    moved = np.where(keys["row"] == GAIN, 0.3, 0.0) - np.where(keys["column"] == GAIN, 0.3, 0.0)
    means["as_published"] -= np.tile(moved, 3)
    change = means["corrected"] - means["as_published"]
    tables["rank_correlation_corrections"] = means.assign(correction="all", change=change)
    for panel, n_tasks in {"all": 28, "imbalanced": 6}.items():
        pairs = ["chosen_by", "judged_by"]
        mean, p90 = (
            long(f"default_regret_{panel}_{each}.csv", pairs, each) for each in ("mean", "p90")
        )
        tables[f"selection_regret_{panel}"] = mean.merge(p90, on=pairs).assign(n_tasks=n_tasks)
    ratios = pd.DataFrame({"minority_ratio": 0.1262 + np.linspace(-0.12, 0.12, 28)})
    share = ratios["minority_ratio"].rank(method="max", pct=True)
    tables["minority_ratio"] = ratios.assign(cumulative_share=share)
    tables["ranking_scores"] = pd.DataFrame({"task": ["t"], "value_as_published": [0.5]})
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


def pair(row, column):
    return f"row == '{row}' and column == '{column}'"


ALL, IMBALANCED = "rank_correlation_all", "rank_correlation_imbalanced"
SMALL, CORRECTIONS = "rank_correlation_small_prior", "rank_correlation_corrections"
REGRET_ALL, REGRET = "selection_regret_all", "selection_regret_imbalanced"
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
    "corrections-change-is-the-difference": (
        *("local", CORRECTIONS, pair(ROC, GAIN), "corrected", 0.2),
    ),
    "corrections-start-from-the-printed-matrix": (
        *("published", CORRECTIONS, pair(ROC, GAIN), "as_published", 0.5),
    ),
    "corrections-of-the-stored-scores": (
        *("published", CORRECTIONS, pair(ROC, GAIN), "change", -0.1),
    ),
    "corrections-are-the-default-run": (
        *("local", CORRECTIONS, pair(ROC, GAIN), ["as_published", "corrected"], 0.2),
    ),
    "all-is-the-default-run": ("local", ALL, pair(ROC, F1), "low", 0.7),
    "imbalanced-is-the-default-run": ("local", IMBALANCED, pair(ROC, F1), "high", 0.8),
    "small-prior-is-the-default-run": ("local", SMALL, pair(ROC, F1), "spearman", 0.9),
    "figC9-is-a-staircase": ("openml", "minority_ratio", "index == 3", "cumulative_share", 0.5),
    "figC9-is-the-default-run": ("local", "minority_ratio", "index == 3", "minority_ratio", 0.3),
    "regret-all-mean-is-the-default-run": ("local", REGRET_ALL, "index == 7", "mean", 0.1),
    "regret-all-p90-is-the-default-run": ("local", REGRET_ALL, "index == 7", "p90", 0.1),
    "regret-imbalanced-mean-is-the-default-run": ("local", REGRET, "index == 7", "mean", 0.2),
    "regret-imbalanced-p90-is-the-default-run": ("local", REGRET, "index == 7", "p90", 0.5),
}


@pytest.mark.parametrize("name", sorted(IDS))
def test_each_claim_can_break(name):
    source, table, where, column, value = EDITS[name]
    tables = TABLES[source]()
    rows = tables[table].query(where).index if where else tables[table].index
    assert len(rows)
    tables[table].loc[rows, column] = value
    assert name in broken(source, tables)


DRAWN = [
    *((table, each) for table in (ALL, IMBALANCED, SMALL) for each in ("spearman", "low", "high")),
    *((CORRECTIONS, each) for each in ("as_published", "corrected", "change")),
    *((table, each) for table in (REGRET_ALL, REGRET) for each in ("mean", "p90")),
    ("minority_ratio", "minority_ratio"),
    ("minority_ratio", "cumulative_share"),
]


# A fifth of the ranges in the default run, if the ranges of the ideal tables are smaller.
REACH = {(ALL, "spearman"): 0.054, (ALL, "low"): 0.084, (ALL, "high"): 0.034}
REACH |= {(IMBALANCED, "spearman"): 0.14, (IMBALANCED, "low"): 0.23, (IMBALANCED, "high"): 0.073}
REACH |= {(SMALL, "spearman"): 0.108, (SMALL, "low"): 0.163, (SMALL, "high"): 0.066}


@pytest.mark.parametrize(("table", "column"), DRAWN)
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_visible_change_of_one_drawn_cell_breaks_a_claim(table, column, sign):
    """A fifth of the range of the column, up or down."""
    tables = local_tables()
    values = tables[table][column]
    reach = REACH.get((table, column), 0.2 * (values.max() - values.min()))
    row = np.random.default_rng(0).choice(tables[table].index)
    tables[table].loc[row, column] += sign * reach
    assert broken("local", tables), (table, column, row, sign)
