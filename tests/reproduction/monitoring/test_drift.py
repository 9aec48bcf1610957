"""Each drift changes what its name says and nothing else."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from reproduction.monitoring.drift import DRIFTS, Drift, drifted

N_FRAUDS, N_GENUINE = 400, 3000  # in each of eight periods


@pytest.fixture(scope="module")
def stream():
    """Each score is unique and identifies the class from which it was drawn."""
    rng = np.random.default_rng(0)
    labels = np.tile(np.repeat([1, 0], [N_FRAUDS, N_GENUINE]), 8)
    scores = (labels + rng.permutation(np.linspace(0.0, 0.9, len(labels)))) / 2
    periods = np.repeat(np.arange(1, 9), N_FRAUDS + N_GENUINE)
    return pd.DataFrame({"period": periods, "y_true": labels, "y_score": scores})


def counts(table):
    """Transactions of each period (rows) and class (columns)."""
    return pd.crosstab(table["period"], table["y_true"])


@pytest.mark.parametrize("drift", [Drift(), *DRIFTS.values()])
def test_no_transaction_is_used_twice_and_all_change_their_period(stream, drift):
    table = drifted(stream, drift, seed=1)
    assert table["period"].unique().tolist() == list(range(1, 9))
    assert table["y_score"].is_unique
    assert (table.loc[table["y_true"] == 0, "y_score"] < 0.5).all()
    merged = table.merge(stream, on="y_score")
    assert len(merged) == len(table)
    assert (merged["period_x"] == merged["period_y"]).mean() == pytest.approx(1 / 8, abs=0.02)


def test_a_prior_drift_thins_out_the_frauds_by_a_constant_factor(stream):
    sizes = counts(drifted(stream, Drift(frauds_kept=0.1), seed=1))
    assert (sizes[1].iloc[0], sizes[1].iloc[-1]) == (N_FRAUDS, N_FRAUDS / 10)
    np.testing.assert_allclose(sizes[1] / sizes[1].shift(), [np.nan, *[0.1 ** (1 / 7)] * 7], 0.02)
    assert set(sizes[0]) == {N_GENUINE}
    assert counts(drifted(stream, Drift(frauds_kept=1e-6), seed=0))[1].min() == 1


@pytest.mark.parametrize("label", [0, 1])
def test_a_prior_drift_leaves_the_scores_given_the_class(stream, label):
    """A trend in the stream itself must be gone: here its scores fall from week to week."""
    trending = stream.assign(y_score=stream["y_score"] - 0.05 * stream["period"])
    table = drifted(trending, Drift(frauds_kept=0.1), seed=1).query(f"y_true == {label}")
    early, late = (table.query(when)["y_score"] for when in ("period <= 2", "period >= 6"))
    assert ks_2samp(early, late).pvalue > 0.01


@pytest.mark.parametrize("kept", [1.0, 0.5])
def test_a_likelihood_drift_disguises_ever_more_frauds(stream, kept):
    table = drifted(stream, Drift(kept, frauds_disguised=1.0), seed=1)
    frauds = table[table["y_true"] == 1]
    share = (frauds["y_score"] < 0.5).groupby(frauds["period"]).mean()
    np.testing.assert_allclose(share, np.linspace(0.0, 1.0, 8), atol=0.08)
    last = table[table["period"] == 8]
    disguised, genuine = (last.loc[last["y_true"] == label, "y_score"] for label in (1, 0))
    assert ks_2samp(disguised, genuine).pvalue > 0.01
    assert counts(table)[1].iloc[-1] == kept * N_FRAUDS


def test_a_drift_depends_on_the_seed_only(stream):
    first, again, other = (drifted(stream, DRIFTS["both drifts"], seed=seed) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(again, first, check_exact=True)
    assert not other["y_score"].equals(first["y_score"])


def test_a_stream_with_fewer_frauds_than_periods_is_refused(stream):
    few = stream[(stream["y_true"] == 0) | (stream.index < 3)]
    with pytest.raises(ValueError, match="at least one fraud per period"):
        drifted(few, Drift(), seed=0)
