"""Threads share nothing: the same numbers as one thread, and the same warnings."""

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from calibrated_metrics import ConfusionMatrix, uncertainty


@pytest.fixture
def frequent_switches():
    """Threads that take turns often enough to disturb each other."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("frequent_switches")
def test_intervals_in_threads_are_those_of_one_thread_and_leave_the_warning_filters():
    rng = np.random.default_rng(0)
    matrices = [ConfusionMatrix(*map(int, each)) for each in rng.integers(1, 4, size=(400, 4))]

    def limits(matrix):
        found = uncertainty.interval("precision", matrix, pi0=0.01)
        return found.low, found.high

    before = list(warnings.filters)
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(limits, matrices * 10))
    assert warnings.filters == before
    assert found == [limits(matrix) for matrix in matrices] * 10
