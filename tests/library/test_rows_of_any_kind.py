"""However rows come, in any container and order, they give the numbers of plain arrays."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import (
    ConfusionCurve,
    Metric,
    average_precision_score,
    f1_score,
    label_free,
    uncertainty,
)
from calibrated_metrics.rows import Rows

Y_TRUE = np.array([1, 0, 1, 0, 0, 1, 0, 0])
Y_SCORE = np.array([0.7, 0.7, 0.9, 0.4, 0.3, 0.2, 0.1, 0.6])
ORDER = [3, 1, 0, 2, 7, 6, 5, 4]
FLOAT32 = {  # test_doors.py has more containers
    "numpy": lambda score: score,
    "object": lambda score: np.array(list(score), dtype=object),
    "pandas objects": lambda score: pd.Series(list(score), dtype=object),
}


# ----------------------------------------------------------------------- precision of scores


@pytest.mark.parametrize("container", FLOAT32.values(), ids=FLOAT32)
def test_a_threshold_is_compared_in_the_precision_of_the_scores(container):
    score = container(Y_SCORE.astype(np.float32))
    expected = [np.count_nonzero(Y_SCORE.astype(np.float32) >= t) for t in (0.7, 0.1)]
    pairs = [
        ConfusionCurve.from_predictions(Y_TRUE, score),
        ConfusionCurve.from_counts(score, Y_TRUE, 1 - Y_TRUE),
        ConfusionCurve.from_probabilities(score),
    ]
    for curve in pairs:
        matrix = curve.confusion_matrix([0.7, 0.1])
        np.testing.assert_allclose(matrix.tp + matrix.fp, expected, rtol=1e-12)
    recall = Metric("recall", threshold=0.7)
    found, exact = (
        label_free.expected(recall, each).value for each in (score, Y_SCORE.astype(np.float32))
    )
    assert found == exact > 0


@pytest.mark.parametrize("number", [Decimal, lambda text: np.array(float(text))])
def test_numbers_of_other_kinds_are_numbers(number):
    scores = [number(str(each)) for each in Y_SCORE]
    found = average_precision_score(Y_TRUE, scores, pi0=number("0.1"))
    assert found == average_precision_score(Y_TRUE, Y_SCORE, pi0=0.1)
    with pytest.raises(ValueError, match="distinct in float64"):
        average_precision_score([1, 0], [Decimal("0." + "1" * 29), Decimal("0." + "1" * 30)])


# ------------------------------------------------------------------------------------- index


def test_paired_samples_with_rows_in_another_order_are_refused():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y": rng.random(300) < 0.3})
    frame["a"], frame["b"] = (rng.normal(size=300) + frame["y"] for _ in range(2))
    frame["w"] = np.arange(300) % 3 / 2.0
    first, second = (frame.sort_values(["y", score]) for score in ("a", "b"))
    a, b = (first["y"], first["a"]), (second["y"], second["b"])

    def curve(pair, weight=None):
        return ConfusionCurve.from_predictions(*pair, sample_weight=weight)

    weighted = [curve(pair, each["w"]) for pair, each in ((a, first), (b, second))]
    sums = curve(a) + curve(a), curve(a) + curve(b)
    for one, other in ((a, b), (curve(a), curve(b)), weighted, sums):
        with pytest.raises(ValueError, match="a and b must have the same index"):
            uncertainty.difference("roc_auc", one, other, paired=True)
    matched = second.loc[first.index]
    found, of_arrays = (
        uncertainty.difference("roc_auc", curve(a), (labels, scores), paired=True)
        for labels, scores in (
            (matched["y"], matched["b"]),
            (matched["y"].to_numpy(), matched["b"].to_numpy()),
        )
    )
    assert (found.low, found.high) == (of_arrays.low, of_arrays.high)


# ----------------------------------------------------------------- weight 0, missing values


def test_columns_beside_the_rows_lose_the_rows_of_weight_0():
    weight = np.array([1, 0, 2, 1, 0, 0, 1, 3.0])
    columns = {"y_score": Y_SCORE, "row": np.arange(8), "rate": pd.Series(Y_SCORE)}
    sample, beside = Rows.read(pd.Series(Y_TRUE), columns, sample_weight=weight)
    kept = np.flatnonzero(weight)
    np.testing.assert_array_equal(beside["row"], kept)
    np.testing.assert_array_equal(beside["rate"], Y_SCORE[kept])
    assert sample.index.tolist() == kept.tolist()
    with pytest.raises(ValueError, match="y_true and rate must have the same index"):
        Rows.read(pd.Series(Y_TRUE), {**columns, "rate": columns["rate"].iloc[ORDER]})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y_score": pd.Series([1, 2, 3, None], dtype="Int64")}, "y_score .*, got nan at index 3"),
        ({"y_score": [1, 2, 3, pd.NA]}, "y_score must hold real numbers, got <NA> at index 3"),
        ({"y_score": pd.Series([1, 2, None, 3.0])}, "y_score must be finite, got nan at index 2"),
        ({"y_true": pd.Series([1, 0, None, 1], dtype="boolean")}, "y_true .* at index 2"),
        ({"y_true": ["1", "0", np.nan, None]}, "y_true must not hold missing labels.* at index 2"),
        ({"clusters": pd.Series(["a", "b", None, "c"])}, "clusters .* at index 2"),
        (
            {
                "clusters": np.array(
                    ["a", "b", np.nan, "c"], dtype=np.dtypes.StringDType(na_object=np.nan)
                )
            },
            "clusters must not hold missing labels at index 2",
        ),
        ({"clusters": [1, 2, 3, complex(np.nan, 1)]}, "clusters must not hold NaN.* at index 3"),
        ({"strata": [1, 1, None, 2]}, "strata must not hold missing labels at index 2"),
    ],
)
def test_missing_values_are_refused_with_their_column_and_row(columns, message):
    given = {"y_true": [1, 0, 0, 1], "y_score": [4.0, 3.0, 2.0, 1.0], **columns}
    pos_label = "1" if isinstance(given["y_true"], list) and "1" in given["y_true"] else 1
    with pytest.raises((ValueError, TypeError), match=message):
        ConfusionCurve.from_predictions(**given, pos_label=pos_label)
    # A row of weight 0 may miss anything, and the others keep their numbers.
    (missing,) = [
        np.flatnonzero(pd.isna(np.asarray(each, dtype=object))) for each in columns.values()
    ]
    weight = np.ones(4)
    weight[missing] = 0
    if len(set(np.asarray(given["y_true"], dtype=object)[weight > 0])) == 2:
        kept = ConfusionCurve.from_predictions(**given, pos_label=pos_label, sample_weight=weight)
        assert kept.n_pos + kept.n_neg == weight.sum()


def test_messages_name_the_value_at_fault():
    with pytest.raises(ValueError, match=f"got {-(2**60)}$"):
        ConfusionCurve.from_predictions([1, 0, 1], [4, -(2**60), 3])
    with pytest.raises(ValueError, match=r"no positives \(label 1\) with a weight above 0"):
        ConfusionCurve.from_predictions([1, 0, 1], [4, 2, 3], sample_weight=[0, 1, 0])
    with pytest.raises(ValueError, match=r"y_pred must hold labels like those .*\['x'\]"):
        f1_score([1, 1, 1], ["x"] * 3)
