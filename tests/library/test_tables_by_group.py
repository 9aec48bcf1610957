"""Metrics of the groups of a table are those of the groups of the DataFrame."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from test_tables import FLOATS, INTS, NAMES, example, of_groups, table_of, write_parts

from calibrated_metrics import Metric, tables
from calibrated_metrics.comparison import by_group
from calibrated_metrics.engines import counting

ibis = pytest.importorskip("ibis")

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),  # of intervals
    # Ibis calls a function of DuckDB 2 by its former name.
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
]


@pytest.mark.parametrize("weight", [None, "weight"])
def test_bad_groups_have_the_status_of_the_rows_in_memory(weight):
    columns = of_groups()
    frame = pa.table(columns).to_pandas()
    arguments = {**NAMES, "sample_weight": weight, "metrics": "average_precision"}
    expected = by_group(frame, "month", **arguments)
    found = by_group(table_of(columns), "month", **arguments)
    assert expected["status"].nunique() > 5
    assert found["month"].tolist() == expected["month"].tolist()
    for column in ("n_pos", "n_neg"):
        assert found[column].tolist() == expected[column].tolist()
    for column in ("prior", "pi0", "value"):
        np.testing.assert_allclose(found[column], expected[column], rtol=1e-14)
    statuses = expected["status"].str.replace(r" at index \d+", "", regex=True)
    known = ~found["status"].str.contains("sums of weights of a table")
    assert found["status"][known].tolist() == statuses[known].tolist()
    assert known.all() == (weight is None)


def test_groups_of_a_table_have_the_metrics_of_the_frame():
    columns = example(600)
    metrics = ["average_precision", Metric("precision", threshold=0.5)]
    arguments = {**NAMES, "metrics": metrics, "pi0": 0.2}
    found = by_group(table_of(columns), ["month", "country"], **arguments)
    expected = by_group(pd.DataFrame(columns), ["month", "country"], **arguments)
    assert found["country"].tolist() == expected["country"].tolist()
    numbers = ["month", "n_pos", "n_neg", "prior", "pi0", "value", "low", "high"]
    np.testing.assert_allclose(found[numbers], expected[numbers], rtol=1e-12)
    assert found["status"].tolist() == expected["status"].tolist()


@pytest.mark.parametrize("dtype", ["int64", "double"])
def test_counts_must_not_be_null(dtype):
    columns = {**example(6), "n": pa.array([1, 2, None, 1, 1, 1], dtype)}
    with pytest.raises(ValueError, match="counts must not be NULL, got NULL in column 'n'"):
        tables.curves(table_of(columns), **NAMES, counts="n")


def test_labels_without_positives_in_any_group_are_refused(tmp_path):
    columns = example(60)
    columns["fraud"] = np.where(np.equal(columns["fraud"], 1), "fraud", "ok")
    pa.parquet.write_table(pa.table(columns), tmp_path / "rows.parquet")
    metric = {"metrics": "average_precision"}
    for table in (table_of(columns), tmp_path):
        for function, more in ((by_group, metric), (tables.curves, {})):
            arguments = {"by": "month", **NAMES, **more}
            with pytest.raises(
                ValueError, match=r"pos_label=1 is not among its labels \['(fra|ok)"
            ):
                function(table, **arguments)
            with pytest.raises(ValueError, match="pos_label='Fraud' is not among its labels"):
                function(table, **arguments, pos_label="Fraud")
            assert (function(table, **arguments, pos_label="fraud")["status"] == "ok").any()


def test_files_whose_columns_differ_in_type_are_refused(tmp_path):
    write_parts(tmp_path, INTS, FLOATS)
    with pytest.raises(ValueError, match="frame must hold files in which 'score' has one type"):
        by_group(tmp_path, "score", **NAMES, metrics="roc_auc")


def test_thresholds_are_compared_in_the_precision_of_the_scores(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"month": rng.integers(1, 3, 2000), "fraud": rng.random(2000) < 0.3})
    frame["score"] = (0.4 * rng.random(2000) + 0.4 * frame["fraud"]).round(1).astype(np.float32)
    frame.to_parquet(tmp_path / "rows.parquet")
    arguments = {**NAMES, "metrics": Metric("recall", threshold=0.7), "pi0": 0.2}
    expected = by_group(frame, "month", **arguments)
    assert expected["value"][0] == np.mean(
        frame.query("month == 1 and fraud")["score"].to_numpy() >= np.float32(0.7)
    )
    columns = ["value", "low", "high"]
    for table in (tmp_path, ibis.memtable(frame)):
        found = by_group(table, "month", **arguments)
        pd.testing.assert_frame_equal(found[columns], expected[columns], rtol=1e-12)
    (curve,) = tables.curves(tmp_path, **NAMES, by="month", resolution=10)["curve"][:1]
    assert curve.confusion_matrix(0.7).tp == curve.tp[curve.thresholds >= 0.7][-1]  # of a cell


def test_keys_keep_their_order_and_time_zone(tmp_path):
    """Missing values are last, also among booleans, and local hours remain local hours."""
    frame = pd.DataFrame(example(60))
    hours = pd.date_range("2025-03-30", periods=3, freq="h", tz="Europe/Berlin", unit="us")
    frame["hour"] = hours[frame["month"] - 1]
    frame["known"] = np.array([True, None, False], dtype=object)[frame["month"] - 1]
    frame.to_parquet(tmp_path / "rows.parquet")
    arguments = {**NAMES, "metrics": "roc_auc", "confidence_level": None}
    for by in ("hour", "known", ["known", "hour"]):
        expected = by_group(frame, by, **arguments)
        found = by_group(tmp_path, by, **arguments)
        pd.testing.assert_frame_equal(found, expected, rtol=1e-12, check_column_type=False)
        assert "known" not in expected or expected["known"].tolist() == [False, True, None]


def test_identifiers_are_text_and_decimals_of_any_number_of_places_are_numbers():
    columns = example(60)
    names = np.array([f"00000000-0000-0000-0000-00000000000{each}" for each in range(4)])
    rows = table_of({**columns, "text": names[columns["month"]]})
    rows = rows.mutate(uuid=rows["text"].cast("uuid"))
    arguments = {**NAMES, "metrics": "roc_auc", "pi0": 0.3}
    numbers = ["value", "low", "high"]
    for drawn in ("clusters", "strata"):
        expected = by_group(rows, "country", **arguments, **{drawn: "text"})[numbers]
        found = by_group(rows, "country", **arguments, **{drawn: "uuid"})[numbers]
        pd.testing.assert_frame_equal(found, expected)
    assert by_group(rows, "uuid", **arguments)["uuid"].tolist() == names[1:].tolist()
    table = ibis.table({"number": "decimal", "address": "inet", "ok": "decimal(9, 2)"}, name="t")
    types = [str(counting._plain(table[name]).type()) for name in table.columns]
    assert types == ["float64", "string", "decimal(9, 2)"]


def test_missing_values_and_decisions_are_those_of_the_frame(tmp_path):
    frame = pd.DataFrame(example(600))
    frame["decided"] = np.where(frame["score"] >= 1, 1, 0)
    frame["customer"] = np.arange(600) % 40
    frame["score"] = frame["score"].where(np.arange(600) % 50 != 7)
    frame["fraud"] = frame["fraud"].where(np.arange(600) % 50 != 9)
    frame.to_parquet(tmp_path / "rows.parquet")
    for drawn in ({}, {"sample_weight": "weight"}, {"clusters": "customer"}):
        for predicted in ({"y_score": "score"}, {"y_pred": "decided"}):
            metric = Metric("recall", threshold=1) if "y_score" in predicted else "recall"
            arguments = {"y_true": "fraud", **predicted, **drawn, "metrics": metric, "pi0": 0.2}
            for missing in ("status", "drop"):
                expected = by_group(frame, "month", **arguments, missing=missing)
                expected["status"] = expected["status"].str.replace(
                    r" at index \d+", "", regex=True
                )
                found = by_group(tmp_path, "month", **arguments, missing=missing)
                if drawn == {"sample_weight": "weight"} and "y_score" in predicted:
                    found, expected = (
                        each.drop(columns=["low", "high", "status"]) for each in (found, expected)
                    )
                pd.testing.assert_frame_equal(found, expected, rtol=1e-9)
    with pytest.warns(UserWarning, match=r"score were dropped \(24\), which"):
        curve = tables.curves(tmp_path, **NAMES, missing="drop")
    assert curve.n_pos + curve.n_neg == 576
    with pytest.raises(ValueError, match="y_true must not hold NaN"):
        tables.curves(tmp_path, **NAMES)
