"""Curves of tables of a Spark cluster are those of DuckDB and of the rows in memory.

The cluster and this process are in a time zone with summer time, which must not change anything.
"""

import datetime
import math
import os
import re
import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spark_cluster
from test_tables import BAD, GOOD, NAMES, ROUNDINGS, expected_error, of_groups

from calibrated_metrics import ConfusionCurve, tables

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning"),
    # Ibis and PySpark call functions of DuckDB and pandas in a former way.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

PROOF = "tables on Spark equal to DuckDB and memory"
GUIDE = Path(__file__).parents[2] / "docs/how-to/large-tables.md"


@dataclass
class Spark:
    """A session of a cluster, the URL of its master, and the folder of its files."""

    session: Any
    connection: Any
    url: str
    folder: Path

    def written(self, columns, types=None, n_files=1):
        """The columns as a folder of parquet files, and as a Spark table of them."""
        types = types or {}
        table = pa.table({name: pa.array(columns[name], types.get(name)) for name in columns})
        folder = self.folder / f"rows-{len(list(self.folder.glob('rows-*')))}"
        folder.mkdir()
        per_file = math.ceil(len(table) / n_files)
        for number in range(n_files):
            rows = table.slice(number * per_file, per_file)
            pq.write_table(rows, folder / f"{number}.parquet")
        return folder, self.connection.read_parquet(folder)

    def outcomes(self, columns, types=None, **arguments):
        """Results of `curves` for the same rows with DuckDB and with Spark."""
        return tuple(outcome(table, **arguments) for table in self.written(columns, types))

    @contextmanager
    def configured(self, settings):
        """Change settings of the session during the block."""
        before = {name: self.session.conf.get(name) for name in settings}
        for name, value in settings.items():
            self.session.conf.set(name, value)
        yield
        for name, value in before.items():
            self.session.conf.set(name, value)


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("pyspark")
    if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        pytest.skip("Spark needs Java 17 or 21, and the command java was not found")
    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TZ", "America/New_York")
        time.tzset()
        with (
            spark_cluster.cluster(folder) as url,
            spark_cluster.session(url, folder) as session,
        ):
            yield Spark(session, ibis.pyspark.connect(session), url, folder)
    time.tzset()


def outcome(table, **arguments):
    """The result or the error of `curves`, to be compared exactly."""
    try:
        found = tables.curves(table, **{**NAMES, **arguments})
    except (TypeError, ValueError) as error:
        return repr(error)
    if isinstance(found, ConfusionCurve):
        return counts(found)
    groups = found.drop(columns="curve")
    types = groups.dtypes.astype(str).to_dict()
    return types, repr(groups.to_dict("records")), [counts(curve) for curve in found["curve"]]


def counts(curve):
    return curve and [getattr(curve, name).tolist() for name in ("thresholds", "tp", "fp")]


def check(proved, pairs):
    """Count the pairs of outcomes, by name, that are equal, and expect all to be."""
    different = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    proved(PROOF, held=len(pairs) - len(different), tried=len(pairs))
    assert not different


# ---------------------------------------------------------------------------- a million rows

N_ROWS = 1_000_000
CALLS = {
    "each score": {},
    "each score of a month, weights that are whole numbers": {
        "by": "month",
        "sample_weight": "count",
    },
    "each score, weights": {"sample_weight": "amount"},
    "rounded, by country and month": {"by": ["country", "month"], "resolution": 1000},
    "rounded, weights": {"by": "month", "resolution": 300, "sample_weight": "amount"},
    "rounded, weights that are whole numbers": {
        "by": "country",
        "sample_weight": "count",
        "resolution": 100,
    },
}


@pytest.fixture(scope="module")
def million(spark):
    """A DataFrame, the same rows as a folder of parquet files, and as a Spark table.

    The last month has no fraud, and some countries are missing.
    """
    rng = np.random.default_rng(0)
    month = rng.integers(1, 7, N_ROWS)
    fraud = (rng.random(N_ROWS) < 0.03) & (month < 6)
    columns = {
        "month": month,
        "country": rng.choice(np.array(["FR", "US", None]), N_ROWS, p=[0.5, 0.4, 0.1]),
        "fraud": fraud.astype(int),
        "score": (1 / (1 + np.exp(4 - rng.normal(3.0 * fraud)))).round(5),
        "count": rng.integers(0, 4, N_ROWS),
        "amount": rng.lognormal(3, 1, N_ROWS),
    }
    return pd.DataFrame(columns), *spark.written(columns, n_files=8)


def groups_of(frame, by):
    """The rows of each group, in the order of the result."""
    if by is None:
        return [frame]
    return [rows for _, rows in frame.groupby(by, dropna=False)]


def curves_of(found):
    return [found] if isinstance(found, ConfusionCurve) else found["curve"].tolist()


@pytest.mark.parametrize("name", CALLS)
def test_a_million_rows_have_the_curves_of_duckdb_and_of_memory(million, name, proved):
    frame, folder, table = million
    call = CALLS[name]
    of_spark, of_duckdb = (
        curves_of(tables.curves(each, **NAMES, **call)) for each in (table, folder)
    )
    of_memory = groups_of(frame, call.get("by"))
    assert len(of_spark) == len(of_duckdb) == len(of_memory)
    error = 1e-12 if call.get("sample_weight") == "amount" else 0
    held = [
        is_same(*each, call.get("sample_weight"), error)
        for each in zip(of_spark, of_duckdb, of_memory, strict=True)
    ]
    proved(PROOF, held=sum(held), tried=len(held))
    assert all(held)


def is_same(of_spark, of_duckdb, rows, weight, error):
    """Whether the thresholds are equal, and the counts with this relative error."""
    if of_spark is None:
        return of_duckdb is None and not rows["fraud"].any()
    exact = ConfusionCurve.from_predictions(
        rows["fraud"], rows["score"], sample_weight=None if weight is None else rows[weight]
    )
    thresholds = of_spark.thresholds
    if thresholds.tolist() != of_duckdb.thresholds.tolist():
        return False
    of_memory = exact.confusion_matrix(thresholds)
    return all(
        np.allclose(getattr(of_spark, name), getattr(expected, name), rtol=error, atol=0)
        for name in ("tp", "fp")
        for expected in (of_duckdb, of_memory)
    )


def test_both_workers_counted(spark, million):
    tables.curves(million[-1], **NAMES, resolution=10)
    n_tasks = spark_cluster.tasks_of_executors(spark.folder)
    assert len(n_tasks) == spark_cluster.N_WORKERS
    assert min(n_tasks) > 0


# ------------------------------------------------------------------- errors of data, as in memory


@pytest.mark.parametrize("name", BAD)
def test_data_that_cannot_be_used_have_the_error_of_the_rows_in_memory(spark, name, proved):
    columns = {**GOOD, **BAD[name]}
    weight = "weight" if "weight" in BAD[name] and len(columns["fraud"]) else None
    types = {} if columns["fraud"] else dict.fromkeys(columns, pa.float64())
    expected = expected_error(columns, weight)
    if name == "missing label":
        types["fraud"] = pa.int64()
        expected = expected.replace("NaN", "missing labels")  # pandas has no missing integers
    of_duckdb, of_spark = spark.outcomes(columns, types, sample_weight=weight)
    expected = repr(ValueError(expected))
    check(proved, {"memory": (of_spark, expected), "DuckDB": (of_spark, of_duckdb)})


@pytest.mark.parametrize("arrow", ["true", "false"])
@pytest.mark.parametrize("ansi", ["true", "false"])
def test_settings_of_spark_change_no_status(spark, ansi, arrow, proved):
    """Results pass through Arrow or not; errors of arithmetic stop a query of ANSI SQL."""
    settings = {"spark.sql.ansi.enabled": ansi, "spark.sql.execution.arrow.pyspark.enabled": arrow}
    with spark.configured(settings):
        tables_of_groups = spark.written(of_groups())
        pairs = {
            f"{weight}, {rounding}": [
                outcome(table, by="month", sample_weight=weight, **rounding)
                for table in tables_of_groups
            ]
            for weight in (None, "weight")
            for rounding in ROUNDINGS
        }
    check(proved, pairs)


# ------------------------------------------------------------------------------- types and values

DAY, NEXT_DAY = datetime.date(2024, 5, 1), datetime.date(2024, 5, 2)
# In New York, the first of these times does not exist, and the second exists twice.
TIMES = [datetime.datetime(2024, 3, 10, 2, 30), datetime.datetime(2024, 11, 3, 1, 30)]


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (["yes", "no"], "yes"),
        (["it's", 'it"s'], "it's"),
        (["a", "A"], "a"),
        ([True, False], 0),
        ([2, 1], 2.0),
        ([np.float32(0.1), np.float32(0)], 0.1),
        ([-0.0, 1.0], 0),
        ([DAY, NEXT_DAY], DAY),
        (TIMES, TIMES[0]),
    ],
)
def test_labels_may_be_of_any_type(spark, labels, pos_label, proved):
    columns = {"fraud": labels * 2, "score": [4.0, 3.0, 2.0, 1.0]}
    of_duckdb, of_spark = spark.outcomes(columns, pos_label=pos_label)
    expected = counts(
        ConfusionCurve.from_predictions(
            [label == pos_label for label in columns["fraud"]], columns["score"]
        )
    )
    check(proved, {"memory": (of_spark, expected), "DuckDB": (of_spark, of_duckdb)})


KEYS = {
    "text": (["a", None], None),
    "integers": ([2, None], pa.int8()),
    "large integers": ([2**53, 2**53 + 1], None),
    "a large integer and none": ([2**53, None], None),
    "NaN": ([math.nan, None], None),
    "float32": ([0.1, 0.2], pa.float32()),
    "days": ([DAY, None], None),
    "times": (TIMES, pa.timestamp("us")),
}


@pytest.mark.parametrize("name", KEYS)
def test_groups_may_have_keys_of_any_type(spark, name, proved):
    (first, second), dtype = KEYS[name]
    columns = {"fraud": [1, 0, 1, 0], "score": [0.4, 0.3, 0.2, 0.1]}
    columns["key"] = [first, first, second, second]
    check(proved, {name: spark.outcomes(columns, {"key": dtype}, by="key")})


EXTREME = [5e-324, 1e-310, 1e-17, 0.1, 0.3, 0.7, 1 - 2**-53, 1.0, 0.0]
BEYOND = [-0.0, -0.1, -5e-324, 1e15, 2.0**53, 1e300, -1e300, 1.7e308]


@pytest.mark.parametrize("resolution", [1e-300, 1e-3, 1 / 3, 10, 1000, 1e9, 1e15, 1e300])
def test_extreme_scores_have_the_cells_of_duckdb(spark, resolution, proved):
    values = [*EXTREME, *BEYOND, *np.random.default_rng(0).normal(size=20)]
    columns = {"fraud": [1, 0] * len(values), "score": np.repeat(values, 2)}
    check(proved, {"score": spark.outcomes(columns, resolution=resolution)})


# ------------------------------------------------------------------------------------- the guide


def test_the_code_of_the_guide_runs(spark, million, proved):
    *_, section = GUIDE.read_text(encoding="utf-8").partition("\n## On a Spark cluster\n")
    code = re.search(r"```{code-block} python\n(.*?)```", section, re.DOTALL)[1]
    assert "spark://master:7077" in code
    assert "hdfs:///frauds" in code
    namespace = {}
    exec(
        code.replace("spark://master:7077", spark.url).replace("hdfs:///frauds", str(million[1])),
        namespace,
    )
    held = counts(namespace["curve"]) == counts(tables.curves(million[1], **NAMES))
    proved(PROOF, held=int(held), tried=1)
    assert held
