"""Words of the titles follow the bands of the table."""

import pandas as pd
import pytest

from reproduction.core import findings
from reproduction.core.metrics import Metric

METRICS = [Metric(name, pi0) for name in ("average_precision", "prg_auc") for pi0 in (None, 0.5)]
RISES, SAME, WIDE = (0.1, 0.3, 0.01), (0.5, 0.5, 0.01), (0.4, 0.5, 0.2)


def bands(*of_metrics):
    """Two points of each metric, given as both values and half the width of the band."""
    return pd.DataFrame(
        {"metric": metric.key, "value": value, "low": value - half, "high": value + half}
        for metric, (*values, half) in zip(METRICS, of_metrics, strict=True)
        for value in values
    )


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (
            bands(RISES, SAME, RISES, SAME),
            "Ordinary metrics change with the class prior; calibrated metrics stay the same",
        ),
        (
            bands(*[RISES] * 4),
            "Ordinary metrics and calibrated metrics change with the class prior",
        ),
        (bands(*[SAME] * 4), "Ordinary metrics and calibrated metrics stay the same"),
        (
            bands(RISES, SAME, SAME, WIDE),
            "AUC-PR changes with the class prior; AUC-P$_c$R (π$_0$=0.5) and AUC-PR Gain stay the "
            "same; the bands of AUC-P$_c$R Gain (π$_0$=0.5) are too wide to tell",
        ),
    ],
)
def test_the_title_names_what_changes(table, text):
    assert findings.of_prior(table, METRICS) == text


@pytest.mark.parametrize(("values", "expected"), [([1, 2, 2], True), ([1, 3, 2], False)])
def test_a_mean_never_falls_if_no_step_does(values, expected):
    table = pd.DataFrame({"x": [0, 1, 2], "value": values})
    assert findings.never_falls(table, "x") is expected


def test_a_sentence_on_a_cause_names_what_changes_and_what_does_not():
    assert findings.of_cause("Rain changes", ["A", "B"], ["C"]) == "Rain changes A and B, but not C"
    assert findings.of_cause("Rain changes", [], ["C"]) == "Rain changes nothing"
