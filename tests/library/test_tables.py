"""Curves of tables are those of the same rows in memory, with the same errors and statuses."""

import datetime
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from calibrated_metrics import ConfusionCurve, Metric, scores, tables, uncertainty
from calibrated_metrics.comparison import by_group
from calibrated_metrics.engines import counting, reading

ibis = pytest.importorskip("ibis")

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning"),
    # Ibis calls a function of DuckDB 2 by its former name.
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
]

NAMES = {"y_true": "fraud", "y_score": "score"}
WEIGHTED = {**NAMES, "sample_weight": "weight"}


def table_of(columns, **types):
    return ibis.memtable(
        pa.table({name: pa.array(columns[name], types.get(name)) for name in columns})
    )


def example(n=60, seed=0):
    """Rows of three months with ties, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < 0.4
    return {
        "month": rng.integers(1, 4, n),
        "country": rng.choice(["FR", "US"], n),
        "fraud": fraud.astype(int),
        "score": (rng.normal(size=n) + fraud).round(1),
        "weight": rng.integers(0, 9, n) / 4,
    }


def in_memory(columns, weight=None, **arguments):
    weights = None if weight is None else columns[weight]
    return ConfusionCurve.from_predictions(
        columns["fraud"], columns["score"], sample_weight=weights, **arguments
    )


def assert_same_rows(curve, expected, at):
    """Both curves count the same rows at these thresholds."""
    assert (curve.n_pos, curve.n_neg) == (expected.n_pos, expected.n_neg)
    found, known = (each.confusion_matrix(at) for each in (curve, expected))
    for outcome in ("tp", "fp", "fn", "tn"):
        assert getattr(found, outcome).tolist() == getattr(known, outcome).tolist()


# ---------------------------------------------------------------------------------- one curve


@pytest.mark.parametrize("weight", [None, "weight"])
def test_the_curve_is_that_of_the_rows_in_memory(weight):
    columns = example()
    curve = tables.curves(table_of(columns), **NAMES, sample_weight=weight)
    assert_same_rows(curve, in_memory(columns, weight), at=np.unique(columns["score"]))


@pytest.mark.parametrize(
    ("labels", "pos_label", "dtype"),
    [
        (["yes", "no", "yes", "no"], "yes", None),
        ([True, False, True, False], 1, None),
        ([False, True, False, True], 0, None),
        ([2, 1, 2, 1], 2.0, None),
        ([1, -1, 1, -1], np.int64(1), pa.int8()),
        ([0.1, 0.0, 0.1, 0.0], 0.1, pa.float32()),
        (
            [datetime.date(2024, 5, 1), datetime.date(2024, 5, 2)] * 2,
            datetime.date(2024, 5, 1),
            None,
        ),
    ],
)
def test_labels_may_be_of_any_type(labels, pos_label, dtype):
    columns = {"fraud": labels, "score": [4.0, 3.0, 2.0, 1.0]}
    curve = tables.curves(table_of(columns, fraud=dtype), **NAMES, pos_label=pos_label)
    assert curve.tp.tolist() == [0, 1, 1, 2, 2]
    assert curve.fp.tolist() == [0, 0, 1, 1, 2]


@pytest.mark.parametrize("dtype", [pa.float32(), pa.int16(), pa.decimal128(25, 2), pa.bool_()])
def test_scores_may_be_of_any_real_type(dtype):
    score = pa.array([1, 1, 0, 0]).cast(dtype)
    rows = ibis.memtable(pa.table({"fraud": [1, 0, 1, 0], "score": score}))
    curve = tables.curves(rows, **NAMES)
    assert curve.thresholds.tolist() == [math.inf, 1, 0]


@pytest.fixture
def folder(tmp_path):
    """A folder with a name that is a pattern, and files in folders within it."""
    columns = example()
    for part in range(3):
        of_part = tmp_path / "rows [1]" / f"part={part}"
        of_part.mkdir(parents=True)
        rows = slice(20 * part, 20 * part + 20)
        pq.write_table(
            pa.table({name: values[rows] for name, values in columns.items()}),
            of_part / "rows.parquet",
        )
    return tmp_path / "rows [1]"


def test_paths_may_name_a_folder_a_file_or_many(folder):
    columns = example()
    at = np.unique(columns["score"])
    for path in (folder, str(folder), f"{folder.parent}/rows*/*/*.parquet"):
        assert_same_rows(tables.curves(path, **NAMES), in_memory(columns), at)
    first = {name: values[:20] for name, values in columns.items()}
    curve = tables.curves(folder / "part=0" / "rows.parquet", **NAMES)
    assert_same_rows(curve, in_memory(first), at)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"table names no parquet file: nothing found at '.*none"):
        tables.curves(str(tmp_path / "none"), **NAMES)
    with pytest.raises(ValueError, match="table names no parquet file"):
        tables.curves(tmp_path, **NAMES)
    (tmp_path / "text.parquet").write_text("month,fraud,score")
    with pytest.raises(ValueError, match=r"table must be readable parquet, got '.*text\.parquet'"):
        tables.curves(tmp_path / "text.parquet", **NAMES)


def test_a_table_may_be_one_of_a_connection_and_computed():
    columns = example()
    connection = ibis.duckdb.connect()
    rows = connection.create_table("rows", pa.table(columns))
    curve = tables.curves(rows.filter(rows.month > 1).mutate(score=2 * rows.score), **NAMES)
    connection.disconnect()
    later = {name: values[columns["month"] > 1] for name, values in columns.items()}
    later["score"] = 2 * later["score"]
    assert_same_rows(curve, in_memory(later), at=np.unique(later["score"]))


# ------------------------------------------------------------------- errors of data, as in memory

GOOD = {"fraud": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.1], "weight": [1.0, 2.0, 0.5, 1.0]}
NAN, INF = math.nan, math.inf
BAD = {
    "missing label": {"fraud": [1, None, 1, 0]},
    "missing text": {"fraud": ["a", None, "b", "b"]},
    "NaN label": {"fraud": [1.0, NAN, 1.0, 0.0]},
    "missing score": {"score": [0.9, None, 0.7, 0.1]},
    "NaN score": {"score": [0.9, NAN, 0.7, 0.1]},
    "infinite score": {"score": [0.9, -INF, 0.7, 0.1]},
    "huge score": {"score": [2**53 + 2, 3, 2, 1]},
    "no positive": {"fraud": [0, 0, 0, 0]},
    "no negative": {"fraud": [1, 1, 1, 1]},
    "text for a number": {"fraud": ["1", "1", "1", "1"]},
    "three labels": {"fraud": [1, 0, 2, 0]},
    "missing weight": {"weight": [1.0, None, 1.0, 1.0]},
    "NaN weight": {"weight": [1.0, NAN, 1.0, 1.0]},
    "negative weight": {"weight": [1.0, -2.0, 1.0, 1.0]},
    "no weight": {"weight": [0.0] * 4},
    "subnormal weight": {"weight": [1e-310, 1.0, 1.0, 1.0]},
    "sum of weights": {"weight": [1e308, 1e308, 1e308, 1.0]},
    "positives without weight": {"weight": [0.0, 1.0, 0.0, 1.0]},
    "negatives without weight": {"weight": [1.0, 0.0, 1.0, 0.0]},
    "no rows": {"fraud": [], "score": [], "weight": []},
}


def expected_error(columns, weight):
    """The message for the rows in memory, without parts that need rows or all labels."""
    frame = columns if isinstance(columns, pd.DataFrame) else pa.table(columns).to_pandas()
    weights = None if weight is None else frame[weight]
    with pytest.raises(ValueError, match=r"must|holds") as caught:
        ConfusionCurve.from_predictions(frame["fraud"], frame["score"], sample_weight=weights)
    message = re.sub(r" at index \d+", "", str(caught.value))
    return message.replace("y_true must not be empty", "table must not be empty")


@pytest.mark.parametrize("name", BAD)
def test_data_that_cannot_be_used_have_the_error_of_the_rows_in_memory(name):
    columns = {**GOOD, **BAD[name]}
    weight = "weight" if "weight" in BAD[name] and len(columns["fraud"]) else None
    of_fraud = pa.int64() if name == "missing label" else None
    types = {} if columns["fraud"] else {"score": pa.float64()}
    expected = expected_error(columns, weight)
    if of_fraud:  # pandas has no missing integers
        expected = expected.replace("NaN", "missing labels")
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        tables.curves(table_of(columns, fraud=of_fraud, **types), **NAMES, sample_weight=weight)


CLOSE = [Decimal("0.12345678901234567890"), Decimal("0.12345678901234567891")]


@pytest.mark.parametrize(
    ("refused", "named", "rounding"),
    [
        ([2**53, 2**53 + 1, 2, -1], 2**53 + 1, {}),
        ([2**53, 2**53 + 1, 2, -1], 2**53 + 1, {"resolution": 10}),
        ([*CLOSE, Decimal("0.1"), Decimal("0.2")], CLOSE[1], {}),
    ],
)
def test_scores_that_float64_does_not_tell_apart_are_refused(refused, named, rounding):
    columns = {**GOOD, "score": refused}
    with pytest.raises(ValueError, match=f"that float64 represents exactly, got {named}"):
        tables.curves(table_of(columns), **NAMES, **rounding)


@pytest.mark.parametrize(
    ("accepted", "rounding"),
    [([2**53, 3, 2, -(2**53)], {}), ([*CLOSE, Decimal("0.1"), Decimal("0.2")], {"resolution": 10})],
)
def test_scores_that_float64_or_a_cell_represents_are_taken(accepted, rounding):
    tables.curves(table_of({**GOOD, "score": accepted}), **NAMES, **rounding)


def test_a_connection_that_another_thread_uses_is_named():
    connection = ibis.duckdb.connect()
    n = 200_000
    rows = pa.table({"fraud": np.arange(n) % 2, "score": np.random.default_rng(0).random(n)})
    table = connection.create_table("rows", rows)
    errors = []

    def work():
        for _ in range(15):
            try:
                tables.curves(table, **NAMES, resolution=100)
            except RuntimeError as error:
                errors.append(str(error))

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(work) for _ in range(4)]:
            each.result()
    assert set(errors) <= {
        "another thread uses the DuckDB connection of this table: give each thread its own"
    }
    setting = connection.raw_sql("SELECT current_setting('disabled_optimizers')").fetchone()
    assert setting == ("",)


def test_an_engine_that_fails_is_named():
    """Such as PostgreSQL after its connection was lost."""
    lost = type("OperationalError", (Exception,), {})("the connection is closed")

    class Query:
        name = "postgres"

        def get_backend(self):
            return self

        def to_pyarrow(self):
            raise lost

    message = "could not be read by postgres: OperationalError: the connection is closed"
    with pytest.raises(RuntimeError, match=message) as caught:
        reading.result_of(Query())
    assert caught.value.__cause__ is lost


ROUNDINGS = ({}, {"resolution": 10})


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"fraud": [1.0, NAN, 1.0, 0.0]}, "y_true must not hold NaN"),
        ({"score": [0.9, NAN, 0.7, 0.1]}, "y_score must be finite, got nan"),
        ({"weight": [1.0, NAN, 1.0, 1.0]}, "sample_weight must be finite, got nan"),
    ],
)
def test_nan_is_found_in_parquet_whose_statistics_leave_it_out(tmp_path, bad, message, rounding):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({**GOOD, **bad}), path)
    arguments = {**(WEIGHTED if "weight" in bad else NAMES), **rounding}
    connection = ibis.duckdb.connect()
    for table in (path, connection.read_parquet(path)):
        with pytest.raises(ValueError, match=message):
            tables.curves(table, **arguments)
    setting = connection.raw_sql("SELECT current_setting('disabled_optimizers')").fetchone()
    assert setting == ("",)


def test_rows_without_weight_are_dropped():
    columns = {**GOOD, "fraud": [1, 0, 1, 7], "score": [0.9, 0.8, 0.7, NAN]}
    columns["weight"] = [1.0, 2.0, 0.5, 0.0]
    curve = tables.curves(table_of(columns), **WEIGHTED)
    assert_same_rows(curve, in_memory(columns, "weight"), at=[0.9, 0.8, 0.7])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"y_true": "label"},
            ValueError,
            "y_true must name a column of table, got 'label'; it has no column",
        ),
        ({"y_score": "text"}, TypeError, "y_score must hold real numbers, got dtype string"),
        ({"by": ["month", 3]}, TypeError, "by must be the name of a column of table, got 3"),
        ({"by": "status"}, ValueError, "by must not name a column of the result, got 'status'"),
        ({"pos_label": [1]}, TypeError, r"pos_label must be a single label, got \[1\]"),
        ({"resolution": 0}, ValueError, "resolution must be above 0, got 0"),
    ],
)
def test_arguments_outside_their_range_are_refused(arguments, error, message):
    columns = {**GOOD, "text": list("abcd"), "month": [1, 1, 2, 2], "status": [1, 1, 1, 1]}
    with pytest.raises(error, match=message):
        tables.curves(table_of(columns), **{**NAMES, **arguments})


# -------------------------------------------------------------------------------------- groups


@pytest.mark.parametrize("weight", [None, "weight"])
def test_groups_have_a_curve_or_a_status(weight):
    columns = example()
    by = ["month", "country"]
    found = tables.curves(table_of(columns), **NAMES, by=by, sample_weight=weight)
    assert list(found.columns) == [
        *("month", "country", "n_pos", "n_neg", "prior", "curve", "status")
    ]
    frame = pd.DataFrame(columns)
    for row, (key, rows) in zip(found.itertuples(), frame.groupby(by), strict=True):
        assert (row.month, row.country) == key
        assert row.status == "ok"
        assert (row.n_pos, row.n_neg) == (rows["fraud"].sum(), (1 - rows["fraud"]).sum())
        exact = in_memory(rows, weight)
        assert row.prior == row.curve.prior == pytest.approx(exact.prior)
        assert_same_rows(row.curve, exact, at=np.unique(columns["score"]))


def of_groups():
    """One group for each kind of bad data with numeric labels, and two good groups."""
    months, columns = [], {"fraud": [], "score": [], "weight": []}
    for name, bad in [("good", {}), *BAD.items(), ("zz", {})]:
        rows = {**GOOD, **bad}
        of_numbers = all(isinstance(label, int | float | None) for label in rows["fraud"])
        if of_numbers and name not in ("huge score", "three labels"):
            months += [name] * len(rows["fraud"])
            for column, values in columns.items():
                values += rows[column]
    types = {"fraud": pa.float64(), "score": pa.float64()}
    columns = {name: pa.array(values, types.get(name)) for name, values in columns.items()}
    return {"month": months, **columns}


def test_missing_keys_are_a_group_at_the_end():
    columns = {**{name: 3 * values for name, values in GOOD.items()}}
    columns["day"] = [None] * 4 + [datetime.date(2024, 5, 1)] * 8
    found = tables.curves(table_of(columns), **NAMES, by="day")
    assert found["n_pos"].tolist() == [4, 2]
    assert found["day"].isna().tolist() == [False, True]


def test_large_integer_keys_are_refused_if_some_are_missing():
    columns = {name: 2 * values for name, values in GOOD.items()}
    columns["id"] = [2**53] * 4 + [2**53 + 1] * 4
    found = tables.curves(table_of(columns), **NAMES, by="id")
    assert found["id"].tolist() == [2**53, 2**53 + 1]
    columns["id"][0] = None  # pandas would round the others to float64, which merges them
    with pytest.raises(ValueError, match=f"by must hold integers .*, got 'id' with {2**53}"):
        tables.curves(table_of(columns), **NAMES, by="id")


# ----------------------------------------------------------------------------------- intervals


def test_several_paths_name_what_reads_them():
    with pytest.raises(TypeError, match=r"got builtins.list; several files: a glob, or ibis.read_"):
        tables.curves(["a.parquet", "b.parquet"], **NAMES)


def test_intervals_of_weights_are_refused():
    columns = example()
    with pytest.raises(ValueError, match=r"data must count rows, but it holds .*, and an"):
        uncertainty.interval("roc_auc", tables.curves(table_of(columns), **WEIGHTED))
    whole = columns | {"weight": np.round(columns["weight"] + 1)}
    with pytest.raises(ValueError, match="sums of weights"):
        uncertainty.interval("roc_auc", tables.curves(table_of(whole), **WEIGHTED))


def drawn_example():
    """Rows of customers, and of strata by score whose rows have equal weights."""
    columns = example(600)
    columns["customer"] = np.random.default_rng(1).integers(0, 150, 600)
    columns["stratum"] = np.where(columns["score"] > 1, "high", "low")
    columns["weight"] = np.where(columns["score"] > 1, 1.0, 5.0)
    columns["of_class"] = np.where(columns["fraud"] == 1, 0.5, 100.0)
    return columns


@pytest.mark.parametrize("rounding", [{}, {"resolution": 1000}])
@pytest.mark.parametrize(
    "drawn",
    [
        {},
        {"sample_weight": "of_class"},
        {"clusters": "customer"},
        {"strata": "stratum"},
        {"strata": "stratum", "sample_weight": "weight"},
        {"clusters": "customer", "sample_weight": "amount"},
        {"clusters": "customer", "strata": "stratum"},
    ],
)
def test_intervals_are_those_of_the_rows_in_memory(drawn, rounding):
    columns = drawn_example() | {"amount": np.random.default_rng(2).integers(0, 5, 600)}
    if {"clusters", "strata"} <= drawn.keys():  # a cluster lies within one stratum
        columns["customer"] = columns["customer"] + 1000 * (columns["stratum"] == "high")
    curve = tables.curves(table_of(columns), **NAMES, **drawn, **rounding)
    of_rows = {name: columns[column] for name, column in drawn.items()}
    exact = ConfusionCurve.from_predictions(columns["fraud"], columns["score"], **of_rows)
    assert not curve.prior_is_known
    for metric in ("average_precision", "roc_auc", "prg_auc", Metric("precision", threshold=0.5)):
        if isinstance(metric, Metric) and {"clusters", "strata"} <= drawn.keys():
            continue  # decisions with both have no interval
        found, expected = (uncertainty.interval(metric, each, rng=0) for each in (curve, exact))
        for name in ("value", "low", "high"):
            limit = pytest.approx(getattr(expected, name), rel=1e-9, nan_ok=True)
            assert getattr(found, name) == limit


@pytest.mark.parametrize(
    ("drawn", "bad", "message"),
    [
        ("clusters", {"unit": [1, None, 2, 2]}, "clusters must not hold"),
        ("strata", {"unit": ["a", None, "b", "b"]}, "strata must not hold missing labels"),
        ("strata", {"unit": [1, 1, 2, 2], "weight": [1, 2, 3, 3]}, "must be equal within each str"),
        ("strata", {"unit": [[1], [1], [2], [2]]}, "strata must hold one value per row, got dtype"),
    ],
)
def test_clusters_and_strata_that_cannot_be_used_are_refused(drawn, bad, message):
    columns = {**GOOD, "unit": [1, 1, 2, 2], **bad}
    weight = "weight" if "weight" in bad else None
    with pytest.raises((ValueError, TypeError), match=message):
        tables.curves(table_of(columns), **NAMES, **{drawn: "unit"}, sample_weight=weight)


# ------------------------------------------------------------------------------------ rounding

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-10, 10),
    st.integers(-1000, 1000).map(lambda thousandths: thousandths / 1000),
)
RESOLUTIONS = st.one_of(st.sampled_from([0.01, 3, 10, 100, 1000, 2**20]), st.floats(1e-3, 1e9))


@given(st.lists(NUMBERS, min_size=1, max_size=30), RESOLUTIONS)
def test_cells_of_scores_hold_exactly_the_scores_from_their_edges_on(values, resolution):
    columns = {"fraud": [1, 0] * len(values), "score": np.repeat(values, 2)}
    curve = tables.curves(table_of(columns), **NAMES, resolution=resolution)
    edges = curve.thresholds[1:]
    tp = curve.confusion_matrix(edges).tp
    assert tp.tolist() == [np.sum(np.array(values) >= edge) for edge in edges]
    near = edges[np.abs(edges) < 2.0**50 / resolution]
    assert (near == np.round(near * resolution) / resolution).all()
    # A cell is at most 1 / resolution wide.
    with_cell = np.array(values)[np.abs(values) < 2.0**50 / resolution]
    beyond = with_cell - (edges[np.searchsorted(-edges, -with_cell)] + 1 / resolution)
    assert (beyond <= np.spacing(np.abs(with_cell))).all()


def test_curves_of_one_resolution_can_be_merged():
    columns = example(600)
    table = table_of(columns)
    found = tables.curves(table, **NAMES, by="month", resolution=7)
    merged = found["curve"][0] + found["curve"][1] + found["curve"][2]
    whole = tables.curves(table, **NAMES, resolution=7)
    assert merged.thresholds.tolist() == whole.thresholds.tolist()
    assert merged.tp.tolist() == whole.tp.tolist()
    other = tables.curves(table_of(GOOD), **NAMES, resolution=8)
    with pytest.raises(ValueError, match="only be added if their scores were rounded alike"):
        whole + other


# ------------------------------------------------------------------- several files, killed queries

INTS, FLOATS = ([1, 0], [1, 0]), ([1, 0, 0], [0.4, 0.45, 0.2])


def write_parts(folder, *parts, **more):
    for number, (labels, numbers) in enumerate(parts):
        rows = pa.table({"fraud": labels, "score": numbers} | more)
        pq.write_table(rows, folder / f"{number}.parquet")


@pytest.mark.parametrize(
    ("column", "second"),
    [
        ("score", FLOATS),
        ("fraud", ([-1.0, 1.0, 2.0], [4, 5, 6])),
        ("score", ([1, 0, 0], pa.array([0.1, 0.2, 0.3], pa.float32()))),
    ],
)
def test_files_whose_columns_differ_in_type_are_refused(tmp_path, column, second):
    write_parts(tmp_path, INTS, second)
    with pytest.raises(ValueError, match=f"must hold files in which '{column}' has one type"):
        tables.curves(tmp_path, **NAMES)


def test_unused_columns_may_differ_in_type(tmp_path):
    pq.write_table(pa.table({"fraud": [1], "score": [0.5], "note": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"fraud": [0], "score": [0.4], "note": ["a"]}), tmp_path / "2.parquet")
    assert scores.roc_auc(tables.curves(tmp_path, **NAMES)) == 1


def test_names_of_folders_do_not_replace_columns(tmp_path):
    folder = tmp_path / "month=5" / "fraud=1" / "score=0.5"
    folder.mkdir(parents=True)
    write_parts(folder, ([1, 0, 1, 0], [0.9, 0.5, 0.1, 0.2]), month=[7, 7, 8, 8])
    found = tables.curves(tmp_path, **NAMES, by="month")
    assert found["month"].tolist() == [7, 8]
    assert scores.roc_auc(tables.curves(tmp_path, **NAMES)) == 0.5


@pytest.mark.parametrize("folders", ["w=3/month=5", "W=3/month=5"])
def test_a_column_of_the_files_and_of_their_folders_is_refused(tmp_path, folders):
    """DuckDB replaces the column of the files as soon as one column of the folders is used."""
    folder = tmp_path / folders
    folder.mkdir(parents=True)
    write_parts(folder, ([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), w=[1.0, 2.0, 3.0, 4.0])
    weighted = tables.curves(tmp_path, **NAMES, sample_weight="w")
    assert weighted.n_neg == 6
    with pytest.raises(
        ValueError, match=r"'w' either in its files or .* folders, got both, in '.*[wW]=3"
    ):
        tables.curves(tmp_path, **NAMES, sample_weight="w", by="month")
    assert tables.curves(tmp_path, **NAMES, by="month")["month"].tolist() == [5]


def test_labels_of_the_files_and_of_their_folders_are_refused(tmp_path):
    for label in (0, 1):
        folder = tmp_path / f"fraud={label}" / "month=5"
        folder.mkdir(parents=True)
        write_parts(folder, ([1, 0], [0.9 - label, 0.1]))
    with pytest.raises(ValueError, match="'fraud' either in its files or in the names"):
        by_group(tmp_path, "month", **NAMES, metrics="average_precision")
    assert len(tables.curves(tmp_path, **NAMES)) > 2


def test_files_of_an_address_are_checked_alike(tmp_path):
    write_parts(tmp_path, INTS, FLOATS)
    address = f"file://{tmp_path}"
    with pytest.raises(ValueError, match="must hold files in which 'score' has one type"):
        tables.curves(f"{address}/*.parquet", **NAMES)
    with pytest.raises(ValueError, match=f"nothing found at '{address}/none"):
        tables.curves(f"{address}/none*.parquet", **NAMES)
    (tmp_path / "1.parquet").rename(tmp_path / "[0].parquet")
    found = tables.curves(f"{address}/[[]0].parquet", **NAMES)
    assert (found.n_pos, found.n_neg) == (1, 2)


def test_an_interrupt_ends_a_query_at_once_and_leaves_no_files(tmp_path):
    n = 3_000_000
    rows = {"fraud": np.arange(n) % 2, "score": np.random.default_rng(0).random(n)}
    pq.write_table(pa.table(rows), tmp_path / "rows.parquet")
    code = f"""
import signal, threading
from calibrated_metrics import tables
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(2, signal.raise_signal, [signal.SIGINT]).start()
while True:
    tables.curves({str(tmp_path)!r}, y_true="fraud", y_score="score")
"""
    spilled = tmp_path / "spilled"
    spilled.mkdir()
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(spilled)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.stderr.strip().endswith("KeyboardInterrupt")
    assert list(spilled.iterdir()) == []


def test_folders_of_the_user_in_the_temporary_directory_survive(tmp_path, monkeypatch):
    """A source distribution unpacks to calibrated_metrics-0.2.0."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    folder = tmp_path / "temporary" / "calibrated_metrics-0.2.0"
    folder.mkdir(parents=True)
    (folder / "results.csv").write_text("mine")
    two_days_ago = time.time() - 2 * 86_400
    for each in (folder / "results.csv", folder):
        os.utime(each, (two_days_ago, two_days_ago))
    write_parts(tmp_path, FLOATS)
    tables.curves(tmp_path / "0.parquet", **NAMES)
    by_group(tmp_path / "0.parquet", "score", **NAMES, metrics="roc_auc")
    assert (folder / "results.csv").read_text() == "mine"
    assert list((tmp_path / "temporary").iterdir()) == [folder]


def test_a_full_disk_is_not_called_memory(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")

    def fail(query):
        raise duckdb.OutOfMemoryException("failed to offload data block of size 256.0 KiB")

    monkeypatch.setattr(counting, "result_of", fail)
    write_parts(tmp_path, FLOATS)
    with pytest.raises(OSError, match=r"no space left in .* set TMPDIR"):
        tables.curves(tmp_path, **NAMES)
