"""The index of the guides: its table of clusters, weights and strata is true."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, comparison, label_free, thresholds, uncertainty

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "index.md"
N = 3_000
SECTION = PAGE.read_text(encoding="utf-8").partition("## Clusters, weights and strata")[2]
HEADER, _, *LINES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in SECTION.splitlines()
    if line.startswith("|")
]


def month(seed):
    """Labels, scores, and a value per row for each line of the table: arguments of a curve."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(N) < 0.1
    return {
        "rows": (y_true, rng.normal(2 * y_true)),
        "independent": {},
        "`sample_weight`, one weight": {"sample_weight": np.where(y_true, 1.0, 50.0)},
        "`sample_weight`, other": {"sample_weight": rng.lognormal(size=N)},
        "`clusters`": {"clusters": rng.integers(200, size=N)},
        "`strata` (": {"strata": np.where(rng.random(N) < 0.5, "A", "B")},
        "`strata` that separate": {"strata": y_true},
    }


def rows_of(line, seed):
    """Labels and scores, and the arguments of a curve that a line of the table names."""
    this = month(seed)
    (given,) = (value for name, value in this.items() if line[0].startswith(name))
    return this["rows"], given


def has_interval(estimate):
    return bool(np.isfinite(estimate.low) and np.isfinite(estimate.high))


def test_the_table_has_the_lines_and_columns_that_are_tested():
    assert len(LINES) == 6
    assert re.findall(r"`(.+?)`", " ".join(HEADER)) == [
        *("interval", "difference", "by_group", "explain_change"),
        *("choose_threshold", "label_free.estimate"),
    ]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_intervals_take_every_kind_of_rows(line):
    assert line[1] == "yes"
    (y_true, y_score), given = rows_of(line, 0)
    (y_later, later_score), later = rows_of(line, 1)
    curve = ConfusionCurve.from_predictions(y_true, y_score, **given)
    after = ConfusionCurve.from_predictions(y_later, later_score, **later)
    assert has_interval(uncertainty.interval("average_precision", curve))
    assert has_interval(uncertainty.difference("average_precision", curve, after))
    assert has_interval(comparison.explain_change("average_precision", curve, after).model_part)

    frame = pd.DataFrame({"month": "May", "fraud": y_true, "score": y_score, **given})
    table = comparison.by_group(
        frame,
        "month",
        y_true="fraud",
        y_score="score",
        metrics="average_precision",
        **{name: name for name in given},
    )
    assert np.isfinite(table[["low", "high"]].to_numpy(float)).all()
    at_own_prior = uncertainty.interval("average_precision", curve, pi0=curve.prior)
    assert table["low"][0] == pytest.approx(at_own_prior.low)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_thresholds_are_certified_or_empirical_as_the_table_says(line):
    rows, given = rows_of(line, 0)
    curve = ConfusionCurve.from_predictions(*rows, **given)
    if line[2] == "certified":
        assert thresholds.choose_threshold(curve, min_recall=0.5).certified
    else:
        assert line[2] == "empirical only"
        with pytest.raises(ValueError, match="curve must count independent rows for a guarantee"):
            thresholds.choose_threshold(curve, min_recall=0.5)
        point = thresholds.choose_threshold(curve, min_recall=0.5, confidence_level=None)
        assert point.threshold is not None


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_months_without_labels_take_the_rows_that_the_table_says(line):
    rows, given = rows_of(line, 0)
    curve = ConfusionCurve.from_predictions(*rows, **given)
    (_, new), later = rows_of(line, 1)
    clusters = later.get("clusters")
    if line[3] == "yes":
        estimate = label_free.estimate("average_precision", new, curve, clusters=clusters)
        assert has_interval(estimate)
    else:
        assert line[3] == "no"
        with pytest.raises(ValueError, match="labelled must have no strata, and no weights"):
            label_free.estimate("average_precision", new, curve)
