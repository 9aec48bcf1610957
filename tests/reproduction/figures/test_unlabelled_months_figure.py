"""The figure of months without labels shows its table, and can be read."""

import functools
import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_all_text_is_inside, assert_no_texts_overlap, settle

from reproduction.experiments.unlabelled_months import DRIFTS, ESTIMATORS, NO_DRIFT
from reproduction.figures import unlabelled_months

TESTING = ("maximum likelihood on bins", "labelled curve at the estimated prior")


@functools.cache
def table():
    rng = np.random.default_rng(0)
    names = itertools.product(DRIFTS, [5000, 20_000], [0.006, 0.03], ESTIMATORS.items())
    rows = [
        {
            "distribution": "normal",
            "drift": drift,
            "n_labelled": n_labelled,
            "n_pos": 0.015 * n_labelled,
            "prior": 0.015,
            "new_prior": new_prior,
            "estimator": name,
            "quantity": quantity,
        }
        for drift, n_labelled, new_prior, (name, (quantity, _)) in names
        if drift == NO_DRIFT or name in TESTING
    ]
    measured = ("bias", "withheld", "coverage", "width", "bias_error", "coverage_error")
    return pd.DataFrame(rows).assign(**{name: rng.random(len(rows)) for name in measured})


@pytest.fixture
def figure():
    yield unlabelled_months.draw(table(), "normal")
    plt.close("all")


def shown(axes):
    """Values of the markers of a panel."""
    return sorted(line.get_xdata()[0] for line in axes.lines if line.get_marker() in "os")


@pytest.mark.parametrize(
    ("panel", "drift", "estimator", "column"),
    [
        (0, NO_DRIFT, None, "bias"),
        (1, NO_DRIFT, None, "coverage"),
        (2, NO_DRIFT, None, "width"),
        (3, None, TESTING[0], "withheld"),
        (4, None, TESTING[0], "bias"),
        (5, None, TESTING[1], "bias"),
    ],
)
def test_panels_show_the_table(figure, panel, drift, estimator, column):
    rows = table()
    rows = rows[(rows["drift"] == drift) | (drift is None)]
    rows = rows[(rows["estimator"] == estimator) | (estimator is None)]
    np.testing.assert_allclose(shown(figure.axes[panel]), sorted(rows[column]))


def test_text_can_be_read(figure):
    settle(figure)
    assert_all_text_is_inside(figure)
    assert_no_texts_overlap(figure)


def test_withheld_intervals_are_named():
    rows = table()
    withheld = rows["coverage"].mask(rows["estimator"] == "EM, overconfident probabilities")
    figure = unlabelled_months.draw(rows.assign(coverage=withheld, width=withheld), "normal")
    for panel, count in ((0, 0), (1, 1), (2, 1)):
        texts = [text.get_text() for text in figure.axes[panel].texts]
        assert texts.count("withheld") == count
    plt.close("all")


def test_one_kind_of_month():
    rows = table()
    one = rows[(rows["n_labelled"] == 5000) & (rows["new_prior"] == 0.006)]
    figure = unlabelled_months.draw(one, "normal")
    (legend,) = figure.legends
    (entry,) = legend.get_texts()
    assert entry.get_text() == "5,000 labelled rows (75 positives), prior 0.015 → 0.006"
    plt.close("all")
