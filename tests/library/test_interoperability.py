"""The functions in other libraries: polars, Arrow, fairlearn.

`test_scorers.py` and `test_threshold_classifiers.py` have the tests with scikit-learn.
"""

from functools import partial

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

from calibrated_metrics import (
    ConfusionCurve,
    average_precision_score,
    label_free,
    precision_score,
    probabilities,
    uncertainty,
)


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(0)
    y_true = rng.random(400) < 0.2
    return {
        "site": ["a", "b"] * 200,
        "y_true": y_true.tolist(),
        "score": rng.normal(2 * y_true).tolist(),
        "weight": rng.uniform(0.5, 2, 400).tolist(),
    }


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas of Arrow": lambda columns: pyarrow.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": polars.DataFrame,
    "Arrow": pyarrow.table,
}


@pytest.mark.parametrize("frame_of", FRAMES.values(), ids=FRAMES)
def test_columns_of_a_frame_are_arguments(frame_of, columns):
    frame = frame_of(columns)
    of_frame, of_lists = (
        average_precision_score(
            data["y_true"], data["score"], pi0=[0.01, 0.5], sample_weight=data["weight"]
        )
        for data in (frame, columns)
    )
    assert of_frame.tolist() == of_lists.tolist()
    found, expected = (
        uncertainty.interval("average_precision", (data["y_true"], data["score"]), pi0=0.5)
        for data in (frame, columns)
    )
    assert (found.value, found.low) == (expected.value, expected.low)
    words = ["ill" if each else "well" for each in columns["y_true"]]
    frame = frame_of({**columns, "y_true": words})
    value = average_precision_score(frame["y_true"], frame["score"], pos_label="ill", pi0=0.1)
    assert value == average_precision_score(columns["y_true"], columns["score"], pi0=0.1)


def test_a_metric_frame_of_fairlearn(columns):
    from fairlearn.metrics import MetricFrame

    at_prior = partial(average_precision_score, pi0=0.1)
    frame = MetricFrame(
        metrics={"AP": at_prior, "PPV": lambda y, score: precision_score(y, score >= 1, pi0=0.1)},
        y_true=columns["y_true"],
        y_pred=np.array(columns["score"]),
        sensitive_features=columns["site"],
    )
    table = pd.DataFrame(columns)
    for site, rows in table.groupby("site"):
        assert frame.by_group.loc[site, "AP"] == at_prior(rows["y_true"], rows["score"])
    assert frame.overall["AP"] == at_prior(table["y_true"], table["score"])
    assert 0 < frame.difference()["PPV"] < 1
    weight = {"sample_weight": np.array(columns["weight"])}
    rows = {"y_true": columns["y_true"], "y_pred": np.array(columns["score"])}
    weighted = MetricFrame(
        metrics=at_prior, **rows, sensitive_features=columns["site"], sample_params=weight
    )
    assert weighted.overall == at_prior(columns["y_true"], columns["score"], **weight)


def test_series_of_different_rows_are_refused():
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "s": [0.9, 0.8, 0.7, 0.1], "w": [1.0, 2, 3, 4]})
    by_score = frame.sort_values("s")
    for call in (
        lambda: average_precision_score(frame.y, by_score.s),
        lambda: average_precision_score(frame.y, frame.s, sample_weight=by_score.w),
        lambda: precision_score(frame.y, by_score.s > 0.5),
        lambda: ConfusionCurve.from_predictions(frame.y, frame.s, clusters=by_score.w),
        lambda: uncertainty.interval("roc_auc", (frame.y, by_score.s)),
        lambda: label_free.estimate_prior(frame.s, (frame.y, by_score.s)),
    ):
        with pytest.raises(ValueError, match=r"must have the same index, row by row"):
            call()
    for function in (
        partial(probabilities.check_calibration, rng=0),
        probabilities.brier_score,
        probabilities.log_loss,
    ):
        with pytest.raises(ValueError, match=r"y_true and y_prob must have the same index, row by"):
            function(frame.y, by_score.s)
        assert function(frame.y, frame.s) == function(frame.y, frame.s.to_numpy())
    with pytest.raises(ValueError, match=r"y_true and sample_weight must have the same index"):
        probabilities.brier_score(frame.y, frame.s, sample_weight=by_score.w)
    assert average_precision_score(by_score.y, by_score.s) == average_precision_score(
        by_score.y.to_numpy(), by_score.s
    )
