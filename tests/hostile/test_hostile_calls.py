"""Hostile arguments of the public functions of the library: refused by name, or right.

The long test makes a million calls. `hostile_calls.run` says what counts as right.
"""

from functools import partial

import pytest
from hostile_calls import FAST, SLOW, fuzz, untested
from tally import check

pytestmark = pytest.mark.filterwarnings("ignore:.*:Warning:hostile_values")
CALLS = "hostile calls of metrics and other functions answered or refused by name"
N_PARTS = 8
MOST_MEMORY = 500e6  # bytes, of the arguments and of the results that are kept


def fuzzed(proved, targets, n_calls, seed):
    tally = check(proved, CALLS, n_calls, partial(fuzz, targets, n_calls, seed), MOST_MEMORY)
    assert 0.1 < tally.refused / tally.tried < 0.9


def test_every_public_function_is_called():
    assert untested() == []


@pytest.mark.parametrize(("targets", "n_calls"), [(FAST, 4000), (SLOW, 100)], ids=["fast", "slow"])
def test_some_calls(proved, targets, n_calls):
    fuzzed(proved, targets, n_calls, seed=0)


@pytest.mark.long
@pytest.mark.parametrize("part", range(N_PARTS))
def test_a_million_calls(proved, part):
    fuzzed(proved, FAST, 1_000_000 // N_PARTS, seed=100 + part)


@pytest.mark.long
@pytest.mark.parametrize("part", range(2))
def test_thousands_of_slow_calls(proved, part):
    fuzzed(proved, SLOW, 4000, seed=200 + part)
