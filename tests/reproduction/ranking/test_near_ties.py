"""Groups of values that differ only by rounding, against the components of a graph."""

from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
from hypothesis import given
from scipy.sparse.csgraph import connected_components

from reproduction.ranking.near_ties import TOLERANCE, tied


def groups_of(column):
    """Labels of the groups: two models are linked if their values are within the tolerance."""
    exact = [Fraction(value) for value in column]
    linked = [
        [abs(a - b) <= Fraction(TOLERANCE) * max(1, abs(a), abs(b)) for b in exact] for a in exact
    ]
    return connected_components(np.array(linked), directed=False)[1]


def largest_of_groups(column):
    groups = groups_of(column)
    return np.array([max(column[groups == group]) for group in groups])


# Values near a few others: rounding errors, gaps around the tolerance, and gaps between models.
BASES = st.sampled_from([0.0, 1.0, 29 / 40, 1 / 3, -0.2, -41.7, -3e5, -2e12])
STEPS = st.sampled_from([0, 1e-16, 3e-16, 0.3e-11, 0.6e-11, 0.99e-11, 1.01e-11, 2e-11, 1e-9])
SHIFTS = st.tuples(STEPS, st.integers(-3, 3)).map(lambda step: step[0] * step[1])
VALUES = st.tuples(BASES, SHIFTS).map(lambda pair: pair[0] + pair[1] * max(1.0, abs(pair[0])))


@given(st.lists(VALUES, min_size=1, max_size=20))
def test_groups_are_those_of_the_pairs_within_the_tolerance(column):
    column = np.array(column)
    np.testing.assert_array_equal(tied(column[:, np.newaxis])[:, 0], largest_of_groups(column))


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=15), st.randoms())
def test_the_order_of_the_models_does_not_matter(rows, random):
    values = np.array(rows)
    order = random.sample(range(len(rows)), len(rows))
    np.testing.assert_array_equal(tied(values[order]), tied(values)[order])
    np.testing.assert_array_equal(tied(tied(values)), tied(values))


def test_each_metric_has_its_own_groups():
    values = [[1.0, 0.5], [np.nextafter(1.0, 0.0), 0.6], [0.9, 0.6 + 1e-15]]
    assert tied(values).tolist() == [[1.0, 0.5], [1.0, 0.6 + 1e-15], [0.9, 0.6 + 1e-15]]


def test_a_mean_of_29_40ths_is_one_value():
    folds = np.repeat([0.6, 0.7, 0.75, 0.8], [1, 4, 3, 2])
    means = [[np.cumsum(each)[-1] / 10] for each in (folds, folds[::-1])]
    assert means[0] != means[1]
    assert len(np.unique(tied(means))) == 1


def test_a_chain_of_small_gaps_is_one_group():
    chain = 0.5 + 0.9e-11 * np.arange(10.0)
    np.testing.assert_array_equal(tied(chain[:, np.newaxis]), np.full((10, 1), chain[-1]))


def test_the_tolerance_is_relative_to_large_values():
    far = [[-1e6], [-1e6 - 0.5e-5], [-1e6 - 2e-5]]
    assert tied(far).ravel().tolist() == [-1e6, -1e6, -1e6 - 2e-5]
    small = [[1e-6], [1e-6 + 0.5e-11], [1e-6 + 2e-11]]
    assert tied(small).ravel().tolist() == [1e-6 + 0.5e-11, 1e-6 + 0.5e-11, 1e-6 + 2e-11]


def test_no_model_at_all():
    assert tied(np.empty((0, 3))).shape == (0, 3)
