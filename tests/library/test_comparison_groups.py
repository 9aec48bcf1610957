"""`by_group`: a row per group and metric, with a status where a value or an interval is missing."""

import datetime
import math
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    label_errors,
    scores,
    uncertainty,
)
from calibrated_metrics.comparison import by_group
from calibrated_metrics.datasets import load_patients
from calibrated_metrics.displays import GroupsDisplay
from calibrated_metrics.uncertainty import IntervalWarning, interval

pytestmark = pytest.mark.filterwarnings("error")

AP = "average_precision"
HALF = Metric("precision", threshold=0.5)
COLUMNS = ["n_pos", "n_neg", "prior", "metric", "pi0", "value", "low", "high"]
COLUMNS += ["confidence_level", "status"]
NAMES = {"y_true": "fraud", "y_score": "score"}


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def made(request):
    """For each package, a function that builds a frame from columns."""
    package = pytest.importorskip(request.param)
    return package.table if request.param == "pyarrow" else package.DataFrame


def rows_of(n_pos, n_neg, seed=0, **keys):
    """Columns of one group."""
    rng = np.random.default_rng([seed, n_pos, n_neg])
    fraud = np.repeat([1, 0], [n_pos, n_neg])
    columns = {"fraud": fraud, "score": rng.normal(size=n_pos + n_neg) + 1.5 * fraud}
    return {**{name: np.full(n_pos + n_neg, key) for name, key in keys.items()}, **columns}


def stacked(*groups):
    return {name: np.concatenate([group[name] for group in groups]) for name in groups[0]}


THREE = stacked(rows_of(40, 400, month=2), rows_of(60, 300, month=1), rows_of(30, 600, month=3))


def cells(table, column):
    return table[column].to_pylist() if hasattr(table, "column_names") else table[column].to_list()


def names_of(table):
    return list(getattr(table, "column_names", table.columns))


# ---------------------------------------------------------------------------------- the table


def test_several_priors_have_a_row_each():
    frame, own = pd.DataFrame(THREE), Metric("roc_auc", 0.3)
    table = by_group(frame, "month", **NAMES, metrics=[AP, own], pi0=[0.01, 0.2])
    for pi0 in (0.01, 0.2):
        alone = by_group(frame, "month", **NAMES, metrics=AP, pi0=pi0)
        found = table[(table["metric"] == AP) & (table["pi0"] == pi0)]
        pd.testing.assert_frame_equal(found.reset_index(drop=True), alone)
    assert (table["metric"] == "roc_auc").sum() == 3


def test_the_table_is_of_the_kind_of_the_frame(made):
    frame = made(THREE)
    table = by_group(frame, "month", **NAMES, metrics=AP)
    assert type(table) is type(frame)
    assert names_of(table) == ["month", *COLUMNS]
    kind = "type" if "pyarrow" in type(frame).__module__ else "dtype"
    assert getattr(table["month"], kind) == getattr(frame["month"], kind)
    assert cells(table, "month") == [1, 2, 3]  # sorted, whatever the order of the rows
    assert cells(table, "n_pos") == [60, 40, 30]
    assert cells(table, "n_neg") == [300, 400, 600]
    assert cells(table, "status") == ["ok"] * 3


def test_values_and_limits_are_those_of_the_library(made):
    metrics = [AP, "roc_auc", Metric("precision", threshold=1.0)]
    table = by_group(made(THREE), "month", **NAMES, metrics=metrics, pi0=0.05)
    found = zip(*(cells(table, name) for name in ("value", "low", "high")), strict=True)
    expected = []
    for month in (1, 2, 3):
        rows = THREE["month"] == month
        for metric in metrics:
            pair = THREE["fraud"][rows], THREE["score"][rows]
            estimate = uncertainty.interval(metric, pair, pi0=0.05)
            expected.append((estimate.value, estimate.low, estimate.high))
    assert list(found) == expected
    assert cells(table, "metric") == [AP, "roc_auc", "precision(threshold=1)"] * 3


def test_a_lazy_frame_is_computed_for_the_columns_that_are_used():
    polars = pytest.importorskip("polars")

    def fails(column):
        raise AssertionError("this column is not used")

    frame = polars.LazyFrame(THREE).with_columns(
        other=polars.col("score").map_batches(fails, return_dtype=polars.Float64)
    )
    table = by_group(frame, "month", **NAMES, metrics="roc_auc")
    assert cells(table, "n_pos") == [60, 40, 30]
    with pytest.raises(ValueError, match="y_score must name a column of frame, got 'p'"):
        by_group(frame, "month", y_true="fraud", y_score="p", metrics="roc_auc")


def test_several_columns_make_a_group(made):
    columns = stacked(
        rows_of(20, 90, month=2, country="US"),
        rows_of(30, 90, month=1, country="US"),
        rows_of(25, 90, month=1, country="FR"),
    )
    table = by_group(made(columns), ["month", "country"], **NAMES, metrics="roc_auc")
    assert names_of(table) == ["month", "country", *COLUMNS]
    keys = zip(cells(table, "month"), cells(table, "country"), strict=True)
    assert list(keys) == [(1, "FR"), (1, "US"), (2, "US")]
    assert cells(table, "n_pos") == [25, 30, 20]


def test_missing_keys_are_a_group_at_the_end(made):
    day = datetime.date(2024, 5, 1)
    frame = made(
        {
            "day": [None, day, None, day] * 3,
            "fraud": [1, 0, 0, 1] * 3,
            "score": np.arange(12.0) + np.tile([3, 0, 0, 3], 3),
        }
    )
    table = by_group(frame, "day", **NAMES, metrics="roc_auc")
    assert cells(table, "n_pos") == [3, 3]
    first, last = cells(table, "day")
    assert str(first)[:10] == "2024-05-01"
    assert last is None or last is pd.NaT


@pytest.mark.parametrize(
    "dtype", ["category", "datetime64[ns, UTC]", "string", "Int64", "period[M]"]
)
def test_keys_of_pandas_keep_their_type(dtype):
    months = pd.to_datetime(pd.Series(["2024-02-01", "2024-01-01"]).repeat(200))
    keys = {
        "category": lambda: months.dt.strftime("%m"),
        "string": lambda: months.dt.strftime("%m"),
        "Int64": lambda: months.dt.month,
        "datetime64[ns, UTC]": lambda: months.dt.tz_localize("UTC"),
        "period[M]": lambda: months.dt.to_period("M"),
    }[dtype]()
    columns = stacked(rows_of(50, 150), rows_of(30, 170))
    # Neither the order nor the names of the rows matter.
    frame = pd.DataFrame(columns, index=np.zeros(400)).assign(key=keys.astype(dtype).to_numpy())
    frame["key"] = frame["key"].astype(dtype)
    table = by_group(frame.sample(frac=1, random_state=0), "key", **NAMES, metrics="roc_auc")
    assert table["key"].dtype == frame["key"].dtype
    assert table["key"].is_monotonic_increasing or dtype == "category"
    assert table["n_pos"].tolist() == [30, 50]
    assert table.index.tolist() == [0, 1]


def test_without_a_level_there_are_no_limits(made):
    table = by_group(made(THREE), "month", **NAMES, metrics=[AP], confidence_level=None)
    assert names_of(table) == [
        "month",
        *(c for c in COLUMNS if c not in ("low", "high", "confidence_level")),
    ]
    with_limits = by_group(made(THREE), "month", **NAMES, metrics=[AP])
    assert cells(table, "value") == cells(with_limits, "value")


# ------------------------------------------------------------------------------------ the prior


def test_the_mean_prior_counts_each_group_once(made):
    table = by_group(made(THREE), "month", **NAMES, metrics=AP)
    mean = (60 / 360 + 40 / 440 + 30 / 630) / 3
    assert cells(table, "pi0") == pytest.approx([mean] * 3, rel=1e-12)
    assert cells(table, "prior") == [60 / 360, 40 / 440, 30 / 630]


@pytest.mark.parametrize("has_both", [True, False])
def test_a_group_without_positives_does_not_count_in_the_mean_prior(has_both):
    """With `y_pred`, its prior 0 counted, and the same decisions had another precision."""
    frame = pd.DataFrame(THREE)
    frame["fraud"] = np.where(frame["month"] == 3, 0, frame["fraud"] if has_both else 1)
    frame["decided"] = (frame["score"] >= 0.5).astype(int)
    asked = {"y_true": "fraud"}
    by_score = by_group(frame, "month", **asked, y_score="score", metrics=HALF)
    by_label = by_group(frame, "month", **asked, y_pred="decided", metrics=HALF.name)
    columns = ["prior", "pi0", "value"]
    pd.testing.assert_frame_equal(by_label[columns], by_score[columns])
    assert by_label["prior"][2] == 0
    assert has_both or by_label["prior"].tolist() == [1, 1, 0]
    assert by_label["status"][2] == by_score["status"][2] == "no positives among 630 rows"
    own = by_group(frame, "month", **asked, y_pred="decided", metrics="specificity", pi0=None)
    assert own[["prior", "status"]].iloc[2].tolist() == [0.0, "ok"]


def test_without_a_reference_prior_each_group_has_its_own():
    table = by_group(pd.DataFrame(THREE), "month", **NAMES, metrics=AP, pi0=None)
    assert table["pi0"].equals(table["prior"].rename("pi0"))
    rows = THREE["month"] == 2
    curve = ConfusionCurve.from_predictions(THREE["fraud"][rows], THREE["score"][rows])
    assert table["value"][1] == scores.average_precision(curve)


def test_a_metric_may_have_a_reference_prior_of_its_own():
    metrics = [AP, Metric(AP, pi0=0.1)]
    frame = pd.DataFrame(stacked(rows_of(500, 4000, month=1), rows_of(300, 4500, month=2)))
    table = by_group(frame, "month", **NAMES, metrics=metrics, pi0=0.2)
    assert table["metric"].tolist() == [AP] * 4
    assert table["pi0"].tolist() == [0.2, 0.1] * 2
    alone = by_group(frame, "month", **NAMES, metrics=AP, pi0=0.1)
    assert table["value"].tolist()[1::2] == alone["value"].tolist()


# ------------------------------------------------------------------------------------- options


def test_functions_of_a_curve_have_their_name():
    def auc_squared(curve):
        return scores.roc_auc(curve) ** 2

    asked = {**NAMES, "metrics": ["roc_auc", auc_squared], "n_resamples": 5, "rng": 0}
    table = by_group(pd.DataFrame(THREE), "month", **asked)
    assert table["metric"].tolist() == ["roc_auc", "auc_squared"] * 3
    roc_auc, squared = table["value"][0::2], table["value"][1::2]
    np.testing.assert_allclose(squared, roc_auc.to_numpy() ** 2, rtol=1e-14)
    again = by_group(pd.DataFrame(THREE), "month", **asked)
    pd.testing.assert_frame_equal(again, table, check_exact=True)


def test_weights_and_clusters(made):
    rng = np.random.default_rng(1)
    columns = {
        **THREE,
        "weight": rng.integers(1, 4, len(THREE["month"])),
        "customer": rng.integers(30, size=len(THREE["month"])),
    }
    table = by_group(
        made(columns), "month", **NAMES, metrics=AP, sample_weight="weight", clusters="customer"
    )
    rows = columns["month"] == 3
    curve = ConfusionCurve.from_predictions(
        columns["fraud"][rows],
        columns["score"][rows],
        sample_weight=columns["weight"][rows],
        clusters=columns["customer"][rows],
    )
    expected = uncertainty.interval(AP, curve, pi0=cells(table, "pi0")[2])
    found = [cells(table, name)[2] for name in ("value", "low", "high")]
    assert found == [expected.value, expected.low, expected.high]
    assert cells(table, "n_pos")[2] == 30  # rows, not weights
    weight, positive = columns["weight"][rows], columns["fraud"][rows]
    assert cells(table, "prior")[2] == pytest.approx(weight @ positive / weight.sum())


# -------------------------------------------------------------------------------- bad groups


def damaged(column, value):
    group = rows_of(40, 60, month=9)
    weight = np.ones(100)
    columns = {**group, "weight": weight, "customer": np.arange(100) % 7}
    columns[column] = columns[column].astype(object if value is None else float)
    columns[column][3] = value
    return columns


GOOD = {
    **rows_of(60, 300, month=1),
    "weight": np.ones(360),
    "customer": np.arange(360) % 7,
}


@pytest.mark.parametrize(
    ("bad", "n_pos", "n_neg", "status"),
    [
        (damaged("score", math.nan), 40, 60, "y_score must be finite, got nan"),
        (damaged("fraud", None), 39, 60, "y_true must not hold missing labels"),
        (damaged("weight", -1.0), 40, 60, "sample_weight must not be negative, got -1"),
        (damaged("customer", None), 40, 60, "clusters must not hold"),
        ({**damaged("weight", 1.0), "fraud": np.zeros(100)}, 0, 100, "no positives among 100 rows"),
        ({**damaged("weight", 1.0), "fraud": np.ones(100)}, 100, 0, "no negatives among 100 rows"),
    ],
)
def test_a_bad_group_is_a_row_with_a_status(bad, n_pos, n_neg, status):
    frame = pd.concat([pd.DataFrame(bad), pd.DataFrame(GOOD)])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "missing values")
        table = by_group(
            frame,
            "month",
            **NAMES,
            metrics=["roc_auc", HALF],
            sample_weight="weight",
            clusters="customer",
        )
    assert table["month"].tolist() == [1, 1, 9, 9]
    good, last = table[:2], table[2:]
    assert good["status"].tolist() == ["ok", "ok"]
    assert good[["value", "low", "high"]].notna().all(axis=None)
    for text in last["status"]:
        assert status in text
    assert last[["value", "low", "high"]].isna().all(axis=None)
    prior = {0: 0.0, 100: 1.0}.get(n_pos, math.nan)
    assert last["prior"].tolist() == pytest.approx([prior, prior], nan_ok=True)
    assert last[["n_pos", "n_neg"]].to_numpy().tolist() == [[n_pos, n_neg]] * 2
    assert (table["pi0"] == good["prior"].iloc[0]).all()


@pytest.mark.parametrize("made", ["polars", "pyarrow"], indirect=True)
def test_nulls_are_a_status(made):
    frame = made(
        {
            "month": [1] * 6 + [2] * 4,
            "fraud": [1, 1, 1, 0, 0, 0, 1, None, 0, 0],
            "score": [3.0, 2.0, 5.0, 1.0, 0.0, -1.0, None, 1.0, 2.0, 3.0],
        }
    )
    warning = r"1 of 2 groups \(month=2\) have no values .* \(2 in all\), .* audit.curve$"
    with pytest.warns(UserWarning, match=warning):
        table = by_group(frame, "month", **NAMES, metrics="roc_auc")
    assert cells(table, "status") == ["ok", "y_true must not hold NaN at index 1"]
    assert cells(table, "n_pos") == [3, 1]
    with pytest.warns(UserWarning, match=r"dropped in 1 of 2 groups \(month=2\) \(2 in all\)"):
        table = by_group(frame, "month", **NAMES, metrics="roc_auc", missing="drop")
    assert cells(table, "status")[1] == "no positives among 2 rows"
    assert cells(table, "n_dropped") == [0, 2]
    assert cells(table, "n_neg") == [3, 2]


def test_rows_with_missing_values_are_dropped():
    """Rows of weight 0 are no missing values: they are always dropped."""
    columns = {**THREE, "weight": np.ones(len(THREE["fraud"]))}
    columns["score"] = np.where(
        np.arange(len(columns["fraud"])) % 50 == 7, np.nan, columns["score"]
    )
    columns["fraud"] = np.where(np.arange(len(columns["fraud"])) % 50 == 9, None, columns["fraud"])
    columns["weight"][np.arange(len(columns["fraud"])) % 100 == 7] = 0.0
    lacks = np.isnan(columns["score"]) | np.equal(columns["fraud"], None)
    kept = ~lacks | (columns["weight"] == 0)
    arguments = {**NAMES, "metrics": ["roc_auc", HALF], "sample_weight": "weight"}
    expected = by_group(
        pd.DataFrame({name: each[kept] for name, each in columns.items()}), "month", **arguments
    )
    with pytest.warns(UserWarning, match=r"^missing values: .* in 3 of 3 groups \(month=1;"):
        found = by_group(pd.DataFrame(columns), "month", **arguments, missing="drop")
    assert found.pop("n_dropped").sum() == 2 * (~kept).sum()
    pd.testing.assert_frame_equal(found, expected)


def test_a_group_without_values_is_said_to_be_left_out_of_the_mean_prior():
    frame = pd.DataFrame(THREE)
    frame.loc[0, "score"] = math.nan
    for pi0, effect in (
        ("mean", ', and pi0="mean" is the mean prior of the other groups'),
        (0.1, ""),
    ):
        with pytest.warns(UserWarning, match=rf"\(1 in all\){effect}; missing='drop'"):
            found = by_group(frame, "month", **NAMES, metrics="roc_auc", pi0=pi0)
    assert found["pi0"].tolist() == [0.1] * 3


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ({"score": np.full(len(THREE["fraud"]), "0.5")}, "y_score must hold real numbers"),
        ({"fraud": THREE["month"]}, "y_true must hold exactly two labels"),
        (
            {"fraud": np.where(np.arange(1430) % 2, THREE["fraud"], 2 * THREE["fraud"] - 1)},
            r"y_true must hold exactly two labels, in all groups together, got \[-1.*0.*1.*\]",
        ),
        ({"weight": np.full(len(THREE["fraud"]), -1.0)}, "sample_weight must not be negative"),
    ],
)
def test_an_error_of_the_whole_column_ends_the_call(column, message):
    frame = pd.DataFrame({"weight": 1.0, **THREE, **column, "group": np.arange(1430) % 2})
    with pytest.raises((TypeError, ValueError), match=message):
        by_group(frame, "group", **NAMES, metrics="roc_auc", sample_weight="weight")


def test_decisions_are_measured_by_their_labels(made):
    labels = np.where(np.equal(THREE["fraud"], 1), "yes", "no")
    decisions = np.where(THREE["score"] >= 0.5, "yes", "no")
    columns = {**THREE, "fraud": labels, "decided": decisions}
    arguments = {"y_true": "fraud", "y_pred": "decided", "pos_label": "yes", "pi0": [0.1, 0.2]}
    found = by_group(made(columns), "month", **arguments, metrics=["precision", "recall"])
    metrics = [Metric(name, threshold=0.5) for name in ("precision", "recall")]
    expected = by_group(made(THREE), "month", **NAMES, metrics=metrics, pi0=[0.1, 0.2])
    for name in ("n_pos", "pi0", "value", "low", "high"):
        assert cells(found, name) == cells(expected, name)
    with pytest.raises(ValueError, match="y_score must name a column for the metric 'roc_auc'"):
        by_group(made(columns), "month", **arguments, metrics="roc_auc")
    with pytest.raises(ValueError, match=r"must name a column.* names to ConfusionMatrix"):
        by_group(made(columns), "month", y_true="fraud", metrics="precision")


def test_a_frame_may_be_a_dict_of_arrays():
    columns = {**THREE, "country": np.array(["FR", None, "DE"], dtype=object)[THREE["month"] - 1]}
    arguments = {**NAMES, "metrics": "roc_auc"}
    found = by_group(columns, ["country", "month"], **arguments)
    expected = by_group(pd.DataFrame(columns), ["country", "month"], **arguments)
    assert {type(each) for each in found.values()} == {np.ndarray}
    assert found["country"].tolist() == ["DE", "FR", None]
    assert {name: each.tolist() for name, each in found.items() if name != "country"} == {
        name: each.tolist() for name, each in expected.items() if name != "country"
    }
    with pytest.raises(ValueError, match="arguments must have the same length: y_true has 2"):
        by_group({**columns, "fraud": [0, 1]}, "month", **arguments)


def test_a_metric_may_be_undefined_in_one_group():
    columns = {**THREE, "score": THREE["score"] - 10.0 * (THREE["month"] == 2)}
    metric = Metric("precision", threshold=1.0)
    table = by_group(pd.DataFrame(columns), "month", **NAMES, metrics=[metric, "roc_auc"])
    status = dict(
        zip(zip(table["month"], table["metric"], strict=True), table["status"], strict=True)
    )
    assert "is undefined" in status.pop((2, metric.key))
    assert set(status.values()) == {"ok"}
    assert table["value"].isna().sum() == 1
    assert len(set(table["pi0"])) == 1  # the data of the group are usable


def test_a_withheld_interval_is_a_status_and_keeps_the_value():
    table = by_group(pd.DataFrame(THREE), "month", **NAMES, metrics="prg_auc", pi0=0.06)
    assert table["value"].notna().all()
    withheld = table["status"].str.startswith("no interval: AUC-PR Gain starts at recall pi0")
    assert withheld.tolist() == [False, False, True]  # 60, 40 and 30 positives
    assert table["low"].isna().tolist() == withheld.tolist()


def test_a_metric_that_no_draw_defines_keeps_its_value():
    def without_ties(curve):
        if np.diff(curve.tp).max() > 1:
            raise ValueError("ties of positives")
        return scores.roc_auc(curve)

    table = by_group(
        pd.DataFrame(THREE), "month", **NAMES, metrics=without_ties, n_resamples=9, rng=0
    )
    assert table["value"].notna().all()
    assert table[["low", "high"]].isna().all(axis=None)
    for status in table["status"]:
        assert status.startswith("no interval: the metric is undefined on 9 of 9 draws")
        assert status.endswith("ties of positives")


def test_labels_without_positives_in_any_group_are_refused(made):
    """A mistyped `pos_label` gave a table of NaN."""
    text = {**THREE, "fraud": np.where(THREE["fraud"], "fraud", "ok")}
    arguments = {**NAMES, "metrics": AP}
    message = r"no positives: pos_label=1 is not among its labels \['(fraud|ok)', '(fraud|ok)'\]$"
    with pytest.raises(ValueError, match=message):
        by_group(made(text), "month", **arguments)
    with pytest.raises(ValueError, match="no positives: pos_label='Fraud' is not among its labels"):
        by_group(made(text), "month", **arguments, pos_label="Fraud")
    with pytest.raises(
        ValueError, match=r"no positives: pos_label=2 is not among its labels \[0\]$"
    ):
        by_group(made({**THREE, "fraud": 0 * THREE["fraud"]}), "month", **arguments, pos_label=2)


def test_a_month_without_frauds_may_be_the_only_one(made):
    """A nightly job: labels of 0 are those of a month in which nothing happened."""
    rows = made({**THREE, "month": np.full_like(THREE["month"], 3), "fraud": 0 * THREE["fraud"]})
    for label in (1, True):
        table = by_group(rows, "month", **NAMES, metrics=AP, pos_label=label)
        assert [str(each) for each in table["status"]] == [
            f"no positives among {len(THREE['fraud'])} rows"
        ]


def test_predictions_of_another_code_are_refused_in_all_groups(made):
    """A hospital without positive tests, 1 in R, had a sensitivity of 1."""
    rows = {"site": np.repeat(["A", "B"], 4), "ill": np.tile([1, 1, 0, 0], 2)}
    rows |= {"test": np.array([2, 2, 1, 1, 1, 1, 1, 1])}
    arguments = {"y_true": "ill", "y_pred": "test", "metrics": "sensitivity"}
    with pytest.raises(ValueError, match=r"y_true and y_pred must hold .* got \[(0|1|2), "):
        by_group(made(rows), "site", **arguments)
    rows |= {"ill": rows["ill"] + 1, "test": rows["test"] == 2}
    table = by_group(made(rows), "site", **arguments, pos_label=2, confidence_level=None)
    assert [float(each) for each in table["value"]] == [1, 0]


def test_missing_labels_are_not_listed_among_the_labels():
    columns = {**damaged("fraud", None), "month": np.arange(100) % 3}
    with pytest.raises(ValueError, match=r"pos_label=2 is not among its labels \[0, 1\]$"):
        by_group(pd.DataFrame(columns), "month", **NAMES, metrics=AP, pos_label=2)


def test_one_group_with_positives_keeps_the_status_of_the_others():
    text = np.where(THREE["fraud"], "fraud", "ok")
    text[THREE["month"] != THREE["month"][0]] = "ok"
    frame = pd.DataFrame({**THREE, "fraud": text})
    table = by_group(frame, "month", **NAMES, metrics=AP, pos_label="fraud")
    assert sorted(table["status"])[2] == "ok"
    assert (table["status"] != "ok").sum() == 2


def test_warnings_name_the_group_and_are_few(made):
    groups = [rows_of(5, 40 + month, month=month) for month in range(6)]
    with pytest.warns(IntervalWarning) as caught:
        table = by_group(
            made(stacked(*groups)),
            "month",
            **NAMES,
            metrics=lambda curve: 0.5,
            n_resamples=5,
            confidence_level=0.9,
        )
    messages = [str(each.message) for each in caught]
    assert len(messages) == 4
    assert messages[0].startswith("month=0, <lambda>: the value 0.5 is the same for all draws")
    assert messages[3] == "3 more intervals are withheld or doubtful"
    assert {each.filename for each in caught} == {__file__}
    assert set(cells(table, "status")) == {"ok"}


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"by": "week"}, r"by must name a column of frame, got 'week'.*no column"),
        ({"y_true": "label"}, r"y_true must name a column of frame, got 'label'"),
        ({"by": []}, r"by must name at least one column"),
        ({"by": ["month", "month"]}, r"by must name different columns"),
        ({"by": "status"}, r"by must not name a column of the result, got 'status'"),
        ({"pi0": "median"}, r'pi0 must be "mean", numbers in \(0, 1\) or None, got \'median\''),
        ({"metrics": []}, r"metrics must name at least one metric"),
        (
            {"metrics": [AP, AP]},
            r"metrics must have different names, got 'average_precision' twice",
        ),
        ({"metrics": "precision"}, r"metric 'precision' of a curve needs a threshold"),
    ],
)
def test_wrong_arguments_end_the_call(changes, message):
    arguments = {"by": "month", **NAMES, "metrics": AP, **changes}
    frame = pd.DataFrame({**THREE, "status": 1})
    with pytest.raises(ValueError, match=message):
        by_group(frame, **arguments)


@pytest.mark.parametrize("frame", [list(THREE), np.zeros((3, 3)), None])
def test_other_objects_are_no_frames(frame):
    with pytest.raises(
        TypeError, match="frame must be a DataFrame of pandas or polars, a LazyFrame, a Table"
    ):
        by_group(frame, "month", **NAMES, metrics=AP)


def test_an_empty_frame_is_refused(made):
    with pytest.raises(ValueError, match="frame must not be empty"):
        by_group(
            made({name: column[:0] for name, column in THREE.items()}), "month", **NAMES, metrics=AP
        )


@pytest.mark.parametrize("name", ["by", "y_true", "y_score", "sample_weight", "clusters", "strata"])
@pytest.mark.parametrize("given", [np.array([1, 2]), pd.Series([1, 2])])
def test_an_array_in_place_of_a_column_name_is_named(made, name, given):
    arguments = {"by": "month", **NAMES, name: given}
    with pytest.raises(TypeError, match=f"{name} must be the name of a column of frame, got"):
        by_group(made(THREE), **arguments, metrics=AP)


def test_columns_of_several_levels_become_tuples():
    frame = pd.DataFrame(THREE)
    frame.columns = pd.MultiIndex.from_product([["data"], frame.columns])
    names = {"y_true": ("data", "fraud"), "y_score": ("data", "score")}
    table = by_group(frame, [("data", "month")], **names, metrics=AP)
    assert list(table.columns) == [("data", "month"), *COLUMNS]
    assert set(table["status"]) == {"ok"}


def test_a_value_of_one_class_with_weights_is_kept():
    frame = pd.DataFrame({"g": list("aaaabbbb"), "y": [1, 0, 1, 0, 1, 1, 1, 1]})
    frame["d"], frame["w"] = [1, 0, 0, 0, 1, 1, 1, 0], [1, 2, 3, 1, 2, 1, 1, 3.0]
    columns = {"y_true": "y", "y_pred": "d", "sample_weight": "w"}
    table = by_group(frame, "g", **columns, metrics=["recall", "specificity"], pi0=None)
    recall, specificity = table[table["g"] == "b"].to_dict("records")
    assert recall["value"] == pytest.approx(4 / 7)
    assert math.isnan(recall["low"])
    assert recall["status"].startswith("no interval: ")
    assert math.isnan(specificity["value"])  # there is no negative
    assert not specificity["status"].startswith("no interval")


def test_a_mapping_of_matrices_or_curves_is_a_table_of_groups():
    hospitals = {
        "West": ConfusionMatrix(tp=12, fn=1, fp=30, tn=170),
        "East": ConfusionMatrix(tp=58, fn=7, fp=10, tn=190),
    }
    found = by_group(hospitals, "hospital", metrics=["ppv", "f1"], pi0=0.1, missing="drop")
    assert found["hospital"].tolist() == ["West", "West", "East", "East"]
    assert found["metric"].tolist() == ["ppv", "f1"] * 2  # the names that were given
    assert found["n_pos"].tolist() == [13, 13, 65, 65]
    for row in found.to_dict("records"):
        same = interval(row["metric"], hospitals[row["hospital"]], pi0=0.1)
        assert (row["value"], row["low"], row["high"]) == (same.value, same.low, same.high)
    mean = by_group(hospitals, "hospital", metrics="ppv")["pi0"][0]
    assert mean == pytest.approx((13 / 213 + 65 / 265) / 2)
    display = GroupsDisplay.from_values(found, by="hospital", metric="precision")
    assert (list(display.groups), display.ax_.get_xlabel()[:3]) == (["West", "East"], "ppv")
    plt.close(display.figure_)
    curve = ConfusionCurve.from_predictions(["a", "b", "a", "b"], [4, 2, 3, 1], pos_label="a")
    labels = label_errors.from_predictions([1, 0, 1, 0], [4, 2, 3, 1], label_sensitivity=0.9)
    for data, value in ((curve, 1.0), (labels, labels.value("roc_auc"))):
        table = by_group({1: data}, "g", metrics="roc_auc", pi0=None, confidence_level=None)
        assert table["value"].tolist() == [value]
    with pytest.raises(ValueError, match=r"pos_label must be None or 'a', with which frame\['x'\]"):
        by_group({"x": curve}, "g", metrics="roc_auc", pos_label=1)
    for arguments, message in (
        ({"y_true": "y"}, "y_true must be None for a mapping of groups"),
        ({"population": {"a": 1}}, "population must be None for a mapping of groups"),
        ({"by": ["a", "b"]}, "by must be one name for a mapping of groups"),
        ({"metrics": "roc_auc"}, "y_score must name a column for the metric 'roc_auc', got deci"),
    ):
        with pytest.raises(ValueError, match=message):
            by_group(hospitals, **{"by": "hospital", "metrics": "ppv", **arguments})
    with pytest.raises(ValueError, match="y_true must name a column, got None"):
        by_group(pd.DataFrame({"s": [1]}), "s", y_score="s", metrics="roc_auc")


def test_several_columns_of_scores_are_models():
    frame = load_patients()
    for names, metric in (
        ({"y_score": ["biomarker", "other_biomarker"]}, "roc_auc"),
        ({"y_pred": ["reader", "second_reader"]}, "ppv"),
    ):
        ((argument, models),) = names.items()
        same = {"y_true": "ill", "metrics": [metric, Metric(metric, pi0=0.2)], "pi0": 0.05}
        found = by_group(frame, "hospital", **names, **same)
        assert found.columns[:2].tolist() == ["hospital", "model"]
        assert found["model"].tolist() == [models[0], models[0], models[1], models[1]] * 2
        for model in models:
            one = by_group(frame, "hospital", **{argument: model}, **same)
            of_model = found[found["model"] == model].drop(columns="model").reset_index(drop=True)
            pd.testing.assert_frame_equal(of_model, one)
        again = by_group(pl.from_pandas(frame), "hospital", **names, **same)["value"]
        np.testing.assert_allclose(again, found["value"], rtol=1e-12)
    with pytest.raises(ValueError, match="must list different columns"):
        by_group(frame, "hospital", y_true="ill", y_pred=["reader"] * 2, metrics="ppv")
    with pytest.raises(ValueError, match="by must not name a column of the result, got 'model'"):
        by_group(frame, "model", y_true="ill", y_pred=["reader"], metrics="ppv")
