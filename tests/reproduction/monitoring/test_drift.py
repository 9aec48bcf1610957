"""A drift changes what it says and nothing else."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from reproduction.monitoring.drift import DRIFTS, Drift, drifted

N_FRAUDS, N_GENUINE = 400, 3000  # in each of eight periods


@pytest.fixture(scope="module")
def stream():
    """Every score occurs once, and tells the class that it was drawn from."""
    rng = np.random.default_rng(0)
    labels = np.tile(np.repeat([1, 0], [N_FRAUDS, N_GENUINE]), 8)
    return pd.DataFrame(
        {
            "period": np.repeat(np.arange(1, 9), N_FRAUDS + N_GENUINE),
            "y_true": labels,
            "y_score": (labels + rng.permutation(np.linspace(0.0, 0.9, len(labels)))) / 2,
        }
    )


def counts(table):
    """Transactions of each period (rows) and class (columns)."""
    return pd.crosstab(table["period"], table["y_true"])


@pytest.mark.parametrize("drift", [Drift(), *DRIFTS.values()])
def test_no_transaction_is_used_twice(stream, drift):
    table = drifted(stream, drift, seed=1)
    assert table["period"].unique().tolist() == list(range(1, 9))
    assert table["y_score"].is_unique
    assert set(table["y_score"]) <= set(stream["y_score"])
    assert (table.loc[table["y_true"] == 0, "y_score"] < 0.5).all()


def test_without_drift_every_transaction_keeps_its_class_and_changes_its_period(stream):
    table = drifted(stream, Drift(), seed=1)
    merged = table.merge(stream, on=["y_true", "y_score"])
    assert len(merged) == len(stream)
    assert (merged["period_x"] == merged["period_y"]).mean() == pytest.approx(1 / 8, abs=0.02)


def test_a_prior_drift_thins_out_the_frauds_by_a_constant_factor(stream):
    sizes = counts(drifted(stream, Drift(frauds_kept=0.1), seed=1))
    assert (sizes[1].iloc[0], sizes[1].iloc[-1]) == (N_FRAUDS, N_FRAUDS / 10)
    factors = sizes[1].to_numpy()[1:] / sizes[1].to_numpy()[:-1]
    np.testing.assert_allclose(factors, 0.1 ** (1 / 7), atol=0.02)
    assert set(sizes[0]) == {N_GENUINE}
    assert counts(drifted(stream, Drift(frauds_kept=1e-6), seed=0))[1].min() == 1


def test_a_prior_drift_leaves_the_scores_given_the_class(stream):
    """A trend in the stream itself must be gone: here its scores fall from week to week."""
    trending = stream.assign(y_score=stream["y_score"] - 0.05 * stream["period"])
    table = drifted(trending, Drift(frauds_kept=0.1), seed=1)
    for label in (0, 1):
        of_class = table[table["y_true"] == label]
        early, late = (
            of_class.loc[of_class["period"].isin(periods), "y_score"]
            for periods in ((1, 2), (6, 7, 8))
        )
        assert ks_2samp(early, late).pvalue > 0.01


def test_a_likelihood_drift_disguises_ever_more_frauds_and_leaves_the_prior(stream):
    table = drifted(stream, Drift(frauds_disguised=1.0), seed=1)
    frauds = table[table["y_true"] == 1]
    share = (frauds["y_score"] < 0.5).groupby(frauds["period"]).mean()
    np.testing.assert_allclose(share, np.linspace(0.0, 1.0, 8), atol=0.08)
    assert share.iloc[0] == 0
    last = table[table["period"] == 8]
    disguised, genuine = (last.loc[last["y_true"] == label, "y_score"] for label in (1, 0))
    assert ks_2samp(disguised, genuine).pvalue > 0.01
    assert set(counts(table)[1]) == {N_FRAUDS}
    assert len(set(counts(table)[0])) == 1


def test_both_drifts_are_both(stream):
    table = drifted(stream, DRIFTS["both drifts"], seed=1)
    alone = counts(drifted(stream, DRIFTS["prior drift"], seed=1))
    assert counts(table)[1].tolist() == alone[1].tolist()
    frauds = table[table["y_true"] == 1]
    assert (frauds["y_score"] < 0.5).sum() > 50


def test_a_drift_depends_on_the_seed_only(stream):
    first, again, other = (drifted(stream, DRIFTS["both drifts"], seed=seed) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(again, first, check_exact=True)
    assert not other["y_score"].equals(first["y_score"])


def test_a_stream_with_fewer_frauds_than_periods_is_refused(stream):
    few = stream[(stream["y_true"] == 0) | (stream.index < 3)]
    with pytest.raises(ValueError, match="at least one fraud per period"):
        drifted(few, Drift(), seed=0)
