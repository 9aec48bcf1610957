"""A table of counts, with one row for each label and score, gives what its rows give."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, classification_report, comparison
from calibrated_metrics.uncertainty import IntervalWarning, difference, interval, p_value

CELLS = {"ill": [1, 1, 0, 0], "test": [1, 0, 1, 0]}
TABLES = {"A": [180, 20, 30, 770], "B": [140, 60, 30, 770]}  # counts of the cells
HINT = r"sample_weight looks like numbers of rows.*counts=.*ConfusionMatrix\(tp=.*from_counts"


def matrices(**as_what):
    (name,) = as_what
    return [
        ConfusionMatrix.from_predictions(CELLS["ill"], CELLS["test"], **{name: counts})
        for counts in TABLES.values()
    ]


def test_counts_are_rows():
    a, b = matrices(counts=True)
    assert p_value("sensitivity", a, b) == pytest.approx(8.1e-7, rel=0.01)
    assert fisher_exact([[180, 20], [140, 60]]).pvalue == pytest.approx(7.1e-7, rel=0.01)
    published = ConfusionMatrix(tp=180, fn=20, fp=30, tn=770)
    for metric, pi0 in (("sensitivity", None), ("ppv", 0.1), ("mcc", None)):
        assert interval(metric, a, pi0=pi0) == interval(metric, published, pi0=pi0)


def test_weights_that_look_like_counts_are_warned_of():
    a, b = matrices(sample_weight=True)
    for call in (
        lambda: p_value("sensitivity", a, b),
        lambda: difference("sensitivity", a, b),
        lambda: interval("ppv", a, pi0=0.1),
        lambda: interval("accuracy", ConfusionMatrix.from_predictions(
            [1, 0], [1, 0], sample_weight=[200, 800])),
        lambda: interval("f1", ConfusionMatrix.from_predictions(
            [1, 0, 0], [1, 1, 0], sample_weight=[200, 30, 800])),
        lambda: classification_report(CELLS["ill"], CELLS["test"], sample_weight=TABLES["A"]),
    ):  # fmt: skip
        with pytest.warns(IntervalWarning, match=HINT):
            call()


def scored(rng, n=4000):
    label = rng.random(n) < 0.1
    return pd.DataFrame({"label": label, "score": (rng.normal(size=n) + 2 * label).round(1)})


def table_of_counts(rows, name="n"):
    return rows.value_counts(dropna=False).rename(name).reset_index()


def test_bins_of_scores_are_rows_or_warned_of():
    rows = scored(np.random.default_rng(0))
    table = table_of_counts(rows)
    expected = interval("average_precision", (rows["label"], rows["score"]))
    found = interval("average_precision", curve_of(table, "counts"))
    np.testing.assert_allclose([found.low, found.high], [expected.low, expected.high], rtol=1e-9)
    with pytest.warns(IntervalWarning, match=HINT):
        wrong = interval("average_precision", curve_of(table, "sample_weight"))
    assert wrong.value == pytest.approx(expected.value)
    assert wrong.high - wrong.low > 2 * (expected.high - expected.low)


def curve_of(table, name):
    return ConfusionCurve.from_predictions(table["label"], table["score"], **{name: table["n"]})


@pytest.mark.parametrize(
    ("what", "weight", "decimals"),
    [
        ("one per class", lambda label, rng: np.where(label, 1, 50), 9),
        ("one per class of rounded scores", lambda label, rng: np.where(label, 1, 50), 1),
        ("whole amounts", lambda label, rng: rng.integers(1, 500, len(label)), 9),
        ("whole amounts of rounded scores", lambda label, rng: rng.integers(1, 500, len(label)), 2),
        ("survey weights", lambda label, rng: rng.integers(20, 200, len(label)), 1),
        ("amounts", lambda label, rng: rng.lognormal(4, 1, len(label)), 1),
    ],
)
@pytest.mark.parametrize("n", [30, 300, 3000])
def test_weights_that_are_meant_are_not_warned_of(what, weight, decimals, n):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        label = np.arange(n) < n // 5
        score = (rng.normal(size=n) + 2 * label).round(decimals)
        drawn = {"sample_weight": weight(label, rng)}
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "sample_weight looks like")
            interval("average_precision", ConfusionCurve.from_predictions(label, score, **drawn))
            interval("ppv", ConfusionMatrix.from_predictions(label, score > 1, **drawn))


def test_tables_of_hospitals_go_in_by_one_call():
    frame = pd.concat([pd.DataFrame({**CELLS, "n": n, "site": site}) for site, n in TABLES.items()])
    names = {"y_true": "ill", "y_pred": "test", "metrics": "ppv", "pi0": 0.1}
    found = comparison.by_group(frame, "site", counts="n", **names)
    assert found["n_pos"].tolist() == [200, 200]
    for row, (tp, fn, fp, tn) in zip(found.to_dict("records"), TABLES.values(), strict=True):
        expected = interval("ppv", ConfusionMatrix(tp=tp, fn=fn, fp=fp, tn=tn), pi0=0.1)
        assert (row["value"], row["low"], row["high"]) == (
            expected.value, expected.low, expected.high)  # fmt: skip
    with pytest.warns(IntervalWarning, match="site=A, .*sample_weight looks like numbers of rows"):
        comparison.by_group(frame, "site", sample_weight="n", **names)


def test_cells_without_rows_and_missing_labels_count_as_such():
    frame = pd.DataFrame({"g": list("aaaabbb"), "y": [1, 1, 0, 0, 1, 0, None]})
    frame = frame.assign(d=[1, 0, 1, 0, 1, 0, 0], n=[8, 2, 0, 5, 3, 4, 6])
    names = {"y_true": "y", "y_pred": "d", "counts": "n", "metrics": "recall", "pi0": None}
    with pytest.warns(UserWarning, match=r"rows lack a label or a score \(6 in all\)"):
        found = comparison.by_group(frame, "g", **names)
    assert found[["n_pos", "n_neg"]].to_numpy().tolist() == [[10, 5], [3, 4]]
    assert found["value"].tolist()[0] == 0.8
    with pytest.warns(UserWarning, match=r"dropped .*\(6 in all\)"):
        dropped = comparison.by_group(frame, "g", **names, missing="drop")
    assert dropped["n_dropped"].tolist() == [0, 6]
    assert ConfusionMatrix.from_predictions(
        frame["y"][:4], frame["d"][:4], counts=frame["n"][:4]
    ).fp == 0  # fmt: skip


def test_counts_are_checked():
    for counts, message in (
        ([1.5, 2, 3, 4], r"counts must hold whole numbers of rows, got 1\.5; weights are"),
        ([-1, 2, 3, 4], "counts must not be negative"),
        ([0, 0, 0, 0], "counts must not be all zero"),
        ([1, 2, 3], "arguments must have the same length"),
    ):
        with pytest.raises(ValueError, match=message):
            ConfusionMatrix.from_predictions(CELLS["ill"], CELLS["test"], counts=counts)
    with pytest.raises(ValueError, match="sample_weight and counts must not be 0 in each row"):
        ConfusionMatrix.from_predictions(
            [1, 0], [1, 0], sample_weight=[1, 0], counts=[0, 1])  # fmt: skip
    with pytest.raises(ValueError, match="counts must be None for labels with errors"):
        comparison.by_group(
            pd.DataFrame({**CELLS, "n": 5}), "ill", y_true="ill", y_pred="test", counts="n",
            metrics="recall", label_sensitivity=0.9)  # fmt: skip
