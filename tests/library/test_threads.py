"""Threads share nothing: the same numbers as one thread, and the same warnings."""

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from samples import curve_of, matrix_of

from calibrated_metrics import uncertainty


@pytest.fixture
def frequent_switches():
    """Threads that switch often enough to disturb each other."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def limits(metric, data):
    found = uncertainty.interval(metric, data, pi0=0.3, n_resamples=4, rng=0)
    return found.low, found.high


@pytest.mark.usefixtures("frequent_switches")
def test_intervals_in_threads_are_those_of_one_thread_and_leave_the_warning_filters():
    rng = np.random.default_rng(0)
    asked = [("precision", matrix_of(*map(int, each))) for each in rng.integers(1, 4, (100, 4))]
    curve = curve_of(n_pos=10, n_neg=20)  # whose cached properties are computed in threads
    asked += [(metric, curve) for metric in ("ap", "roc_auc", "pr_auc", "best_fbeta")] * 2
    asked += [("ap", curve_of(seed, n_pos=5, n_neg=9, decimals=0)) for seed in range(20)]
    before = list(warnings.filters)
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(limits, *zip(*asked * 2, strict=True)))
    assert warnings.filters == before
    assert found == [limits(*each) for each in asked] * 2
