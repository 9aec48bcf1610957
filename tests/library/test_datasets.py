"""Simulated data to try the library on."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import datasets, uncertainty


def test_transactions_are_those_of_their_description():
    frame = datasets.load_transactions(200_000)
    months = frame.groupby("month")["fraud"].mean()
    assert months.to_numpy() == pytest.approx(datasets._PRIORS, rel=0.2)
    assert frame["date"].is_monotonic_increasing
    assert (frame["date"].dt.strftime("%Y-%m") == frame["month"]).all()
    assert frame["reported"].notna().equals(frame["fraud"])
    assert (frame["reported"] - frame["date"]).dt.days.mean() == pytest.approx(29.5, rel=0.05)
    early = frame[frame["month"] < "2026-06"]
    weight = np.where(early["fraud"], 0.02 / early["fraud"].mean(), 0.98 / (~early["fraud"]).mean())
    for score in ("score", "challenger"):
        likely = early[score] > 0.2
        share = np.average(early["fraud"][likely], weights=weight[likely])
        assert np.average(early[score][likely], weights=weight[likely]) == pytest.approx(
            share, rel=0.05
        )


def test_patients_are_those_of_their_description():
    frame = datasets.load_patients()
    assert frame.groupby("hospital").size().to_dict() == {"city": 4_000, "village": 3_000}
    for reader, rates in (("reader", (0.80, 0.95)), ("second_reader", (0.85, 0.94))):
        for metric, rate in zip(("sensitivity", "specificity"), rates, strict=True):
            found = uncertainty.interval(metric, (frame["ill"], frame[reader]))
            assert found.low < rate < found.high


@pytest.mark.parametrize("load", [datasets.load_transactions, datasets.load_patients])
def test_each_call_gives_the_same_rows(load):
    pd.testing.assert_frame_equal(load(), load())


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="n_rows must be at least 1, got 0"):
        datasets.load_transactions(0)
