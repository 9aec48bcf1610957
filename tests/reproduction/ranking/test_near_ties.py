"""Groups of values that differ only by rounding, against the components of a graph."""

from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
from hypothesis import given
from scipy.sparse.csgraph import connected_components

from reproduction.ranking.panels import TOLERANCE, tied


def largest_of_groups(column):
    """Of the groups of models that are linked by pairs of values within the tolerance."""
    exact = [Fraction(value) for value in column]
    linked = [
        [abs(a - b) <= Fraction(TOLERANCE) * max(1, abs(a), abs(b)) for b in exact] for a in exact
    ]
    groups = connected_components(np.array(linked), directed=False)[1]
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


def test_each_metric_has_its_own_groups():
    values = np.array([[1.0, 0.5], [np.nextafter(1.0, 0.0), 0.6], [0.9, 0.6 + 1e-15]])
    assert tied(values).tolist() == [[1.0, 0.5], [1.0, 0.6 + 1e-15], [0.9, 0.6 + 1e-15]]


def test_no_model_at_all():
    assert tied(np.empty((0, 3))).shape == (0, 3)
