"""Every container of rows gives the same table of groups, on random data sets."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, Metric
from calibrated_metrics.comparison import by_group
from calibrated_metrics.uncertainty import interval

ibis = pytest.importorskip("ibis")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

pytestmark = pytest.mark.filterwarnings("ignore")  # missing values, short intervals, packages
METRICS = ["average_precision", Metric("precision", threshold=0.7), Metric("f1", threshold=0.7)]
NUMBERS = ["n_pos", "n_neg", "prior", "pi0", "value", "low", "high"]
DESIGNS = {
    "independent": {},
    "class weights": {"sample_weight": "of_class"},
    "weights": {"sample_weight": "weight"},
    "clusters": {"clusters": "cluster"},
    "weighted clusters": {"clusters": "cluster", "sample_weight": "weight"},
    "strata": {"strata": "stratum"},
    "weighted strata": {"strata": "stratum", "sample_weight": "of_stratum"},
}


def columns_of(rng):
    """Rows of three groups, one of them without a key; scores have one decimal and ties."""
    n = int(rng.integers(90, 200))
    y_true = (rng.random(n) < 0.3).astype(int)
    stratum = rng.integers(0, 2, n)
    score = np.clip(0.5 + 0.2 * rng.normal(size=n) + 0.2 * y_true, 0, 1).round(1)
    return {
        "key": np.array(["a", "b", None], dtype=object)[rng.integers(0, 3, n)],
        "label": np.array(["no", "yes"], dtype=object)[y_true],
        "score": score.astype(rng.choice(["f4", "f8"])),
        "of_class": np.where(y_true == 1, 1.0, 3.0) * (rng.random(n) > 0.1),
        "weight": rng.integers(0, 4, n) / 2,
        "cluster": np.array(["c0", "c1", "c2", "c3", "c4", "c5"], dtype=object)[
            rng.integers(0, 6, n)
        ],
        "stratum": stratum,
        "of_stratum": 1.0 + stratum,
    }


def with_missing(columns, rng):
    """Some scores are NaN, and some labels None."""
    holes = rng.random(len(columns["score"]))
    score = np.where(holes < 0.03, np.nan, columns["score"]).astype(columns["score"].dtype)
    return {**columns, "score": score, "label": np.where(holes > 0.97, None, columns["label"])}


def containers(columns, folder):
    """The rows in each container that holds them."""
    frame, table = pd.DataFrame(columns), pa.table(columns)
    frame.to_parquet(folder / "rows.parquet")
    engine = ibis.duckdb.connect()
    yield "pandas", frame.sample(frac=1, random_state=0)
    yield "pandas with types of Arrow", table.to_pandas(types_mapper=pd.ArrowDtype)
    yield "polars", pl.from_arrow(table)
    yield "lazy polars", pl.from_arrow(table).lazy()
    yield "pyarrow", table
    yield "dict", columns
    yield "parquet", folder / "rows.parquet"
    yield "duckdb", engine.create_table("rows", table)


def table_of(found):
    """The result as a DataFrame, without the places of rows that statuses name."""
    if isinstance(found, dict):
        found = pd.DataFrame(found)
    found = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    statuses = found["status"].str.replace(r" at index \d+", "", regex=True)
    return found.assign(status=statuses, key=found["key"].astype(object).fillna("none"))


@pytest.mark.parametrize("seed", range(21))  # each design with each way to treat missing values
def test_each_container_gives_the_same_table(seed, tmp_path):
    rng = np.random.default_rng(seed)
    columns = columns_of(rng)
    missing = ["status", "drop", None][seed % 3]
    if missing is not None:
        columns = with_missing(columns, rng)
    name, drawn = list(DESIGNS.items())[seed % len(DESIGNS)]
    arguments = {"y_true": "label", "y_score": "score", "pos_label": "yes", "metrics": METRICS}
    arguments |= {**drawn, "pi0": 0.2, "missing": missing or "status"}
    expected = table_of(by_group(pd.DataFrame(columns), "key", **arguments))
    assert expected["key"].tolist()[-3:] == ["none"] * 3
    assert missing == "status" or expected["value"].notna().all()
    for container, rows in list(containers(columns, tmp_path))[seed % 2 :: 2]:
        found = table_of(by_group(rows, "key", **arguments))
        numbers = NUMBERS
        if name == "weights" and container in ("parquet", "duckdb"):
            numbers = [each for each in NUMBERS if each not in ("low", "high")]
            measured = found["status"][found["value"].notna()]
            assert measured.str.contains("it holds sums of weights of a table").all()
        else:
            assert found["status"].tolist() == expected["status"].tolist(), container
        assert found["key"].tolist() == expected["key"].tolist(), container
        np.testing.assert_allclose(
            found[numbers].astype(float), expected[numbers].astype(float), 1e-9, err_msg=container
        )


@pytest.mark.parametrize("seed", range(24))
def test_counts_give_the_same_values_and_limits(seed, tmp_path):
    """Those of identical rows, by group and in each container, and those of scores."""
    rng = np.random.default_rng(seed)
    columns = columns_of(rng) if seed % 3 else with_missing(columns_of(rng), rng)
    name, drawn = list(DESIGNS.items())[seed % len(DESIGNS)]
    used = ["key", "label", "score", *drawn.values()]
    arguments = {"y_true": "label", "y_score": "score", "pos_label": "yes", "metrics": METRICS}
    arguments |= {"pi0": 0.2, "missing": "drop", **drawn}
    frame = pd.DataFrame(columns)
    expected = table_of(by_group(frame, "key", **arguments))
    table = frame.groupby(used, dropna=False).size().rename("n").reset_index()
    table = {each: table[each].to_numpy() for each in table}
    table["key"] = np.where(pd.isna(table["key"]), None, table["key"])
    table["label"] = np.where(pd.isna(table["label"]), None, table["label"])
    container, rows = list(containers(table, tmp_path))[seed % 8]
    found = table_of(by_group(rows, "key", **arguments, counts="n"))
    numbers = [*NUMBERS, "n_dropped"]
    if name == "weights" and container in ("parquet", "duckdb"):
        numbers = ["n_pos", "n_neg", "prior", "pi0", "value", "n_dropped"]
    np.testing.assert_allclose(
        found[numbers].astype(float), expected[numbers].astype(float), 1e-9, err_msg=container
    )
    if not drawn and seed % 3:
        of_key = frame.query("key == 'a'")
        counts = pd.crosstab(of_key["score"], of_key["label"])
        curve = ConfusionCurve.from_counts(
            counts.index.to_numpy(), pos=counts["yes"].to_numpy(), neg=counts["no"].to_numpy()
        )
        for metric, row in zip(METRICS, expected.query("key == 'a'").itertuples(), strict=True):
            found = interval(metric, curve, pi0=0.2)
            np.testing.assert_allclose(
                [found.value, found.low, found.high], [row.value, row.low, row.high], 1e-9
            )


def test_scores_of_decimals_are_those_of_numbers(tmp_path):
    columns = columns_of(np.random.default_rng(0))
    columns["score"] = columns["score"].astype(float).round(1)
    arguments = {"y_true": "label", "y_score": "score", "pos_label": "yes", "metrics": METRICS}
    expected = table_of(by_group(columns, "key", **arguments))
    columns["score"] = np.array([Decimal(str(each)) for each in columns["score"]])
    for container, rows in containers(columns, tmp_path):
        found = table_of(by_group(rows, "key", **arguments))
        assert found["status"].tolist() == expected["status"].tolist(), container
        np.testing.assert_allclose(found["low"], expected["low"], 1e-9, err_msg=container)


def test_what_a_table_cannot_carry_is_refused(tmp_path):
    columns = columns_of(np.random.default_rng(0))
    arguments = {"y_true": "label", "y_score": "score", "pos_label": "yes", "metrics": METRICS}
    for container, rows in containers(columns, tmp_path):
        if container in ("parquet", "duckdb"):
            with pytest.raises(ValueError, match="label_sensitivity must be None for a table or a"):
                by_group(rows, "key", **arguments, label_sensitivity=0.9)
        else:
            with warnings.catch_warnings():
                by_group(rows, "key", **arguments, label_sensitivity=0.9)
