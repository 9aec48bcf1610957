"""Checks of drawn tables are small for right tables and large for wrong ones."""

import pandas as pd
import pytest

from reproduction.core import checks, sweeps

RUNS = pd.DataFrame({"x": 1, "metric": "a", "value": [1.0, 2.0, 4.0]})
CURVES = pd.DataFrame(
    {
        "space": ["roc"] * 3 + ["pr"] * 2,
        "prior": 0.25,
        "x": [0, 0.5, 1, 0, 1],
        "y": [0, 1, 1, 1, 0.25],
        "area": 0.75,
    }
)


def test_bands_are_t_intervals():
    bands = sweeps.bands(RUNS.assign(pi0=None), ["x"])
    assert checks.error_of_bands(bands) < 1e-12
    assert checks.error_of_bands(bands.assign(sd=1.0)) > 0.1


def test_values_lie_between_their_limits():
    table = pd.DataFrame({"value": [1.0, 2.0], "low": [0.0, 1.0], "high": [2.0, 3.0]})
    assert checks.off_centre(table) == 0
    assert checks.off_centre(table.assign(value=2.0)) == pytest.approx(0.25)
    parts = table.add_prefix("part_").rename(columns={"part_value": "part"})
    assert checks.off_centre(parts) == 0


@pytest.mark.parametrize("column", ["x", "y", "area"])
def test_curves_end_at_their_last_points_and_have_their_areas(column):
    assert checks.error_of_curves(CURVES) == 0
    assert checks.error_of_curves(CURVES.assign(**{column: 0.9 * CURVES[column]})) > 0.05
