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
    average_precision_score,
    precision_score,
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
