"""Each claim on the ranking can break, and a visible change of any drawn cell breaks one."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reproduction.core import claims, settings
from reproduction.ranking import experiment

ROOM = Path(experiment.__file__).parent
AREA, GAIN, F1, ROC = "average_precision", "prg_auc", "best_fbeta", "roc_auc"


def both_ways(cells, diagonal=()):
    """A symmetric matrix from its lower triangle, with 1 on the diagonal in some columns."""
    mirrored = cells.rename(columns={"row": "column", "column": "row"})
    keys = pd.unique(cells[["row", "column"]].to_numpy().ravel())
    own = pd.DataFrame({"row": keys, "column": keys}).assign(**dict.fromkeys(diagonal, 1.0))
    whole = pd.concat([cells, mirrored, own if diagonal else None], ignore_index=True)
    return whole.drop_duplicates(["row", "column"], ignore_index=True)


def local_tables():
    """The tables of the default run, rounded."""
    tables = {}
    for panel, n_tasks in {"all": 28, "imbalanced": 6, "small_prior": 11}.items():
        cells = both_ways(pd.read_csv(ROOM / f"default_{panel}.csv"))
        tables[f"rank_correlation_{panel}"] = cells.assign(
            n_tasks=n_tasks, n_tasks_of_panel=n_tasks
        )
    corrections = pd.read_csv(ROOM / "default_corrections.csv").groupby("panel", sort=False)
    parts = [both_ways(part) for _, part in corrections]
    table = pd.concat(parts, ignore_index=True).assign(correction="all")
    change = table["corrected"] - table["as_published"]  # rounded once
    tables["rank_correlation_corrections"] = table.assign(change=change)
    for panel, n_tasks in {"all": 28, "imbalanced": 6}.items():
        table = pd.read_csv(ROOM / f"default_regret_{panel}.csv")
        tables[f"selection_regret_{panel}"] = table.assign(n_tasks=n_tasks)
    ratios = pd.read_csv(ROOM / "default_minority_ratio.csv")
    share = ratios["minority_ratio"].rank(method="max", pct=True)
    tables["minority_ratio"] = ratios.assign(cumulative_share=share)
    tables["ranking_scores"] = pd.DataFrame({"task": ["t"], "value_as_published": [0.5]})
    return tables


def openml_tables():
    """Those of the local source, but with datasets that are mostly balanced."""
    ratios = np.append(np.full(50, 0.1), np.linspace(0.25, 0.5, 950))
    share = pd.Series(ratios).rank(method="max", pct=True)
    table = pd.DataFrame({"name": "d", "minority_ratio": ratios, "cumulative_share": share})
    return local_tables() | {"minority_ratio": table}


def published_tables():
    """The printed numbers, and models with gains above 1 and without any value but 0."""
    tables = {}
    for panel, n_tasks in {"all": 602, "imbalanced": 5}.items():
        cells = pd.read_csv(ROOM / f"printed_{panel}.csv").rename(columns={"published": "spearman"})
        cells = both_ways(cells, ["spearman"]).assign(n_tasks=n_tasks, n_tasks_of_panel=n_tasks)
        cells = cells.assign(low=cells["spearman"], high=cells["spearman"])
        tables[f"rank_correlation_{panel}"] = cells
    all_tasks = tables["rank_correlation_all"]
    of_area = all_tasks["row"] == f"{AREA}@pi0=0.5"
    for column, digits in {f"{GAIN}@pi0=0.5": 0.8572, f"{F1}@pi0=0.5": 0.9134}.items():
        cell = of_area & (all_tasks["column"] == column)
        all_tasks.loc[cell, ["spearman", "low", "high"]] = digits
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


IMBALANCED, SMALL = "rank_correlation_imbalanced", "rank_correlation_small_prior"
CORRECTIONS, REGRET = "rank_correlation_corrections", "selection_regret_imbalanced"
NEAR_ROC = pair(f"{AREA}@pi0=0.5", ROC)
# Source, table, rows, column, new value, and what breaks.
EDITS = [
    ("published", "rank_correlation_all", pair(ROC, F1), "spearman", 0.84, "fig7-printed-all"),
    ("published", IMBALANCED, pair(ROC, F1), "spearman", -0.5, "fig7-printed-imbalanced"),
    ("published", "rank_correlation_all", None, "n_tasks_of_panel", 614, "fig7-datasets-all"),
    ("published", IMBALANCED, None, "n_tasks_of_panel", 4, "fig7-datasets-imbalanced"),
    ("published", "ranking_scores", "run == 1600", "value_as_published", 1.0, "fig7-gain-above-1"),
    ("published", "ranking_scores", "run == 7", "value_as_published", 0.1, "fig7-zeroed-runs"),
    (
        *("published", "rank_correlation_all", pair(f"{AREA}@pi0=0.5", f"{GAIN}@pi0=0.5")),
        *("spearman", 0.95, "fig7-calibrated-areas-are-closer-than-f1"),
    ),
    (
        *("published", CORRECTIONS, pair(ROC, GAIN), "as_published", 0.5),
        "corrections-start-from-the-printed-matrix",
    ),
    (
        *("published", CORRECTIONS, pair(ROC, GAIN), "change", -0.1),
        "corrections-of-the-stored-scores",
    ),
    ("openml", IMBALANCED, NEAR_ROC, "spearman", 0.5, "ours-calibrated-area-is-closer-to-roc"),
    ("local", IMBALANCED, NEAR_ROC, "spearman", -0.5, "ours-calibrated-area-is-closer-to-roc"),
    ("openml", IMBALANCED, pair(F1, AREA), "spearman", 0.5, "ours-best-f1-is-closest-to-area"),
    (
        *("local", CORRECTIONS, "panel == 'imbalanced'", "corrected", 1.0),
        "ours-imbalanced-is-less-correlated",
    ),
    (
        *("local", "rank_correlation_all", pair(f"{AREA}@pi0=0.5", f"{GAIN}@pi0=0.5")),
        *("spearman", 0.9, "ours-calibrated-areas-are-closer-than-f1"),
    ),
    (
        *("openml", SMALL, NEAR_ROC, "spearman", 0.7),
        "ours-small-prior-calibrated-area-is-closer-to-roc",
    ),
    ("openml", "minority_ratio", None, "minority_ratio", 0.1, "figC9-large-minority-ratios"),
    ("local", CORRECTIONS, "panel == 'all'", "change", 0.0, "ours-wrong-gain-moves-cells"),
    (
        *("local", REGRET, f"chosen_by == '{AREA}'", "mean", 0.0),
        "ours-regret-of-the-calibrated-choice",
    ),
    (
        *("local", CORRECTIONS, pair(ROC, GAIN), "corrected", 0.2),
        "corrections-change-is-the-difference",
    ),
    ("openml", "minority_ratio", "index == 3", "cumulative_share", 0.5, "figC9-is-a-staircase"),
    (
        *("openml", "rank_correlation_all", pair(ROC, F1), "low", 0.95),
        "all-intervals-hold-their-correlation",
    ),
    (
        *("openml", IMBALANCED, pair(ROC, F1), "high", 0.1),
        "imbalanced-intervals-hold-their-correlation",
    ),
    ("local", "rank_correlation_all", pair(ROC, F1), "low", 0.5, "all-is-the-default-run"),
    ("local", IMBALANCED, pair(ROC, F1), "high", 0.95, "imbalanced-is-the-default-run"),
    ("local", SMALL, pair(ROC, F1), "spearman", 0.9, "small-prior-is-the-default-run"),
    ("local", CORRECTIONS, pair(ROC, GAIN), "corrected", 0.2, "corrections-are-the-default-run"),
    ("local", "minority_ratio", "index == 3", "minority_ratio", 0.3, "figC9-is-the-default-run"),
    (
        *("local", "selection_regret_all", "index == 7", "mean", 0.1),
        "regret-all-mean-is-the-default-run",
    ),
    (
        *("local", "selection_regret_all", "index == 7", "p90", 0.1),
        "regret-all-p90-is-the-default-run",
    ),
    ("local", REGRET, "index == 7", "mean", 0.1, "regret-imbalanced-mean-is-the-default-run"),
    ("local", REGRET, "index == 7", "p90", 0.1, "regret-imbalanced-p90-is-the-default-run"),
]


@pytest.mark.parametrize(("source", "table", "where", "column", "value", "name"), EDITS)
def test_each_claim_can_break(source, table, where, column, value, name):
    tables = TABLES[source]()
    rows = tables[table].query(where).index if where else tables[table].index
    assert len(rows)
    tables[table].loc[rows, column] = value
    assert name in broken(source, tables)


def test_all_claims_are_edited():
    assert {edit[-1] for edit in EDITS} == IDS


DRAWN = {
    "rank_correlation_all": ["spearman", "low", "high"],
    IMBALANCED: ["spearman", "low", "high"],
    SMALL: ["spearman", "low", "high"],
    CORRECTIONS: ["as_published", "corrected", "change"],
    "selection_regret_all": ["mean", "p90"],
    REGRET: ["mean", "p90"],
    "minority_ratio": ["minority_ratio", "cumulative_share"],
}


@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table in DRAWN for column in DRAWN[table]]
)
def test_a_visible_change_of_one_drawn_cell_breaks_a_claim(table, column):
    """A fifth of the range of the column, up or down."""
    rng = np.random.default_rng(0)
    for sign in (-1, 1):
        tables = local_tables()
        values = tables[table][column]
        lower = tables[table].index  # the first rows of a matrix are its lower triangle
        row = rng.choice(lower[: min(len(lower), 55)])
        tables[table].loc[row, column] += sign * 0.2 * (values.max() - values.min())
        assert broken("local", tables), (table, column, row, sign)
