"""A column of each type, with and without NULL, gives what the frame gives, or our refusal."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import tables
from calibrated_metrics.comparison import by_group
from calibrated_metrics.engines import counting

ibis = pytest.importorskip("ibis")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pl = pytest.importorskip("polars")

pytestmark = pytest.mark.filterwarnings("ignore")  # of missing values and of packages
NUMBERS = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int64": pa.int64(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "decimal": pa.decimal128(10, 2),
}
KNOWN = re.compile(r"ok|y_score must |sample_weight must |no interval: it holds sums of weights")
NAMES = {"y_true": "y", "metrics": "roc_auc", "confidence_level": None, "pi0": 0.2}


def arrow_table(kind, n_missing):
    rng = np.random.default_rng(0)
    label = np.arange(60) % 3 == 0
    numbers = rng.integers(0, 2, 60) if kind == "bool" else rng.integers(0, 4, 60) + 2 * label
    values = [Decimal(int(each)) if kind == "decimal" else each for each in numbers.tolist()]
    values = [bool(each) for each in values] if kind == "bool" else values
    values[:n_missing] = [None] * n_missing
    columns = {"y": label.astype(int), "s": pa.array(values, NUMBERS[kind]), "x": rng.random(60)}
    return pa.table({**columns, "g": np.arange(60) % 2})


def engines(table, folder):
    parquet.write_table(table, folder / "rows.parquet")
    yield "parquet", folder / "rows.parquet"
    yield "duckdb", ibis.duckdb.connect().create_table("rows", table)
    if not pa.types.is_decimal(table.schema.field("s").type):  # SQLite has none
        yield "sqlite", ibis.sqlite.connect().create_table("rows", table)
    yield "arrow", table
    yield "polars", pl.from_arrow(table)


@pytest.mark.parametrize("n_missing", [0, 1])
@pytest.mark.parametrize("kind", NUMBERS)
def test_scores_of_each_type(kind, n_missing, tmp_path):
    table = arrow_table(kind, n_missing)
    frame = pd.DataFrame({name: table[name].to_pylist() for name in table.column_names})
    for missing in ("status", "drop")[: 1 + n_missing]:
        arguments = {**NAMES, "y_score": "s", "missing": missing}
        expected = by_group(frame, "g", **arguments)
        for engine, rows in engines(table, tmp_path):
            if (engine, kind) == ("sqlite", "uint64"):
                with pytest.raises(TypeError, match="y_score must have a type of numbers"):
                    by_group(rows, "g", **arguments)
                continue
            found = by_group(rows, "g", **arguments)
            found = found if isinstance(found, pd.DataFrame) else found.to_pandas()
            numbers = ["n_pos", "n_neg", "value"]
            np.testing.assert_allclose(found[numbers], expected[numbers], 1e-12, err_msg=engine)
            assert all(map(KNOWN.match, found["status"])), found["status"]
            assert found["status"].eq("ok").equals(expected["status"].eq("ok"))
            assert not found["status"].str.contains("NoneType|supported between").any()


@pytest.mark.parametrize("kind", ["bool", "int64", "float32", "decimal"])
def test_weights_of_each_type(kind, tmp_path):
    table = arrow_table(kind, 0)
    frame = pd.DataFrame({name: table[name].to_pylist() for name in table.column_names})
    frame["s"] = frame["s"].astype(float)
    arguments = {**NAMES, "y_score": "x", "sample_weight": "s"}
    expected = by_group(frame, "g", **arguments)["value"]
    for engine, rows in engines(table, tmp_path):
        found = by_group(rows, "g", **arguments)["value"]
        np.testing.assert_allclose(found, expected, 1e-12, err_msg=engine)


def test_a_missing_weight_is_refused_by_each_engine(tmp_path):
    """Sums of SQL leave out NULL, and SQLite has no NaN in its place."""
    for engine, rows in engines(arrow_table("float64", 1), tmp_path):
        arguments = {**NAMES, "y_score": "x", "sample_weight": "s"}
        found = by_group(rows, "g", **arguments)
        status = found["status"] if isinstance(found, pd.DataFrame) else found.to_pandas()["status"]
        assert status[0].startswith("sample_weight must be finite, got nan"), engine
        assert status[1] == "ok"


def test_a_type_that_ibis_does_not_know_is_refused_with_a_way():
    table = ibis.sqlite.connect().create_table("rows", arrow_table("uint64", 0))
    with pytest.raises(TypeError, match=r"y_score must have a type .* that of 's': cast it, such"):
        tables.curves(table, y_true="y", y_score="s")
    with pytest.raises(TypeError, match="by must have a type of numbers, text or times"):
        by_group(table, "s", y_score="x", **NAMES)
    cast = table.mutate(s=table["s"].cast("int64"))
    assert len(tables.curves(cast, y_true="y", y_score="s")) > 2


def test_postgres_gets_queries_that_it_computes():
    """Tried with PostgreSQL 15: it casts booleans and money in one way only, and groups no JSON."""
    types = {"y": "int64", "b": "boolean", "m": "decimal(19, 4)", "j": "json"}
    table = ibis.table(types, name="t")
    query = counting._grouped(
        table, ["j"], {"y_true": "y", "y_score": "b", "sample_weight": "m", "clusters": "j"},
        counting.EACH_SCORE)  # fmt: skip
    code = ibis.to_sql(query, dialect="postgres")
    assert 'CAST(CAST("t0"."b" AS INT) AS DOUBLE PRECISION)' in code
    assert 'CAST(CAST("t0"."m" AS DECIMAL(20, 4)) AS DOUBLE PRECISION)' in code
    assert code.count('CAST("t0"."j" AS VARCHAR)') == 2


def test_integers_of_128_bits_are_refused_by_name():
    """Such columns have no array, and the error of polars is no ``Exception``."""
    frame = pl.from_arrow(arrow_table("int64", 0))
    for argument, column in (("y_true", "y"), ("y_score", "s"), ("sample_weight", "g")):
        wide = frame.with_columns(pl.col(column).cast(pl.Int128), key=pl.lit(1))
        given = {"y_true": "y", "y_score": "s", argument: column}
        with pytest.raises(TypeError, match=rf"{argument} \('{column}'\) must hold integers of at"):
            by_group(wide, "key", **{**NAMES, **given})
        with pytest.raises(TypeError, match=rf"{argument} must hold integers of at most 64 bits"):
            tables_of(wide, argument, given)


def tables_of(frame, argument, given):
    from calibrated_metrics import ConfusionCurve

    columns = {name: frame[column] for name, column in given.items()}
    return ConfusionCurve.from_predictions(**columns)


def test_a_csv_path_names_the_call_that_reads_it(tmp_path):
    pd.DataFrame({"y": [0, 1] * 5, "s": range(10), "g": 1}).to_csv(tmp_path / "scores.csv")
    for path in (tmp_path / "scores.csv", tmp_path / "none.csv", tmp_path):
        with pytest.raises(ValueError, match=r"pass ibis\.duckdb\.connect\(\)\.read_csv\(path\)"):
            by_group(path, "g", y_score="s", **NAMES)
