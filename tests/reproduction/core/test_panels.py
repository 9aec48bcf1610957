"""A panel per metric, its calibrated forms within it."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_readable

from reproduction.core import look
from reproduction.core.metrics import Metric, TimesPrior
from reproduction.core.panels import (
    families,
    family_panels,
    look_of,
    mean_and_population,
    metric_panels,
    prior_axis,
    shared_legend,
)


def labels_of(axes):
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    labels = zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    return [label.get_text() for tick, label in labels if low <= tick <= high]


def test_families_hold_metrics_that_differ_in_their_prior_only():
    metrics = [
        Metric("prg_auc", 0.5),
        Metric("average_precision"),
        Metric("prg_auc"),
        Metric("fbeta", options={"threshold": 0.5, "beta": 2}),
        Metric("fbeta", 0.1, {"threshold": 0.5}),
        Metric("average_precision", TimesPrior(1.01)),
    ]
    grouped = families(metrics)
    assert list(grouped) == [
        "AUC-PR Gain",
        "AUC-PR",
        "F2 (threshold 0.5)",
        "F1 (threshold 0.5)",
    ]
    assert grouped["AUC-PR"] == [metrics[1], metrics[5]]
    assert grouped["AUC-PR Gain"] == [metrics[0], metrics[2]]


@pytest.mark.parametrize(
    ("n_panels", "shape"), [(1, (1, 1)), (2, (1, 2)), (3, (1, 3)), (4, (2, 3)), (7, (3, 3))]
)
def test_panels_lie_at_most_three_a_row(n_panels, shape):
    figure, panels = family_panels(n_panels)
    assert len(panels) == len(figure.axes) == n_panels
    assert panels[0].get_subplotspec().get_gridspec().get_geometry() == shape


def test_calibrated_metrics_have_a_look_each_and_then_begin_anew():
    family = [Metric("roc_auc", pi0) for pi0 in (0.1, None, 0.2, 0.3, 0.4)]
    family.append(Metric("prg_auc", 0.2))
    looks = [look_of(metric, family) for metric in family]
    first, second, third = look.CALIBRATED
    assert looks == [first, look.ORDINARY, second, third, first, second]


@pytest.mark.parametrize(
    ("priors", "decades"),
    [
        ((0.001, 0.5), {"0.001", "0.01", "0.1"}),
        ((0.0001, 0.05), {"0.0001", "0.001", "0.01"}),
        *((priors, set()) for priors in [(0.0014, 0.5), (0.0095, 0.5), (0.02, 0.08), (0.2, 0.4)]),
    ],
)
def test_priors_are_plain_numbers_within_their_range_and_near_both_ends(priors, decades):
    """Near means a factor of 3.2 (half a decade); otherwise the range of the data is unclear."""
    _, axes = plt.subplots()
    axes.plot(priors, [0, 1])
    prior_axis(axes, "class prior π")
    assert axes.get_xscale() == ("log" if priors[1] > 5 * priors[0] else "linear")
    assert axes.get_xlabel() == "class prior π"
    labels = [label for label in labels_of(axes) if label]
    assert decades <= set(labels)
    assert all(label.replace(".", "").isdigit() for label in labels)
    numbers = np.array([float(label) for label in labels])
    assert priors[0] <= numbers.min() <= numbers.max() <= priors[1]
    for end in priors:
        assert np.abs(np.log10(numbers / end)).min() < 0.5


def test_the_legend_names_each_reference_prior_once():
    metrics = [Metric(name, pi0) for name in ("roc_auc", "prg_auc") for pi0 in (None, 0.5, 0.1)]
    figure, _ = plt.subplots()
    shared_legend(figure, metrics, mean_and_population(metrics))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "ordinary metric",
        "calibrated, π$_0$=0.5",
        "calibrated, π$_0$=0.1",
        "population value",
        "95 % band of the mean",
    ]
    assert len(mean_and_population(metrics)["95 % band of the mean"]) == 3


@pytest.mark.parametrize(("lowest", "below"), [(-1.57, [0.001]), (-0.9, [])])
def test_a_mean_below_its_panel_is_an_arrow_at_the_edge(lowest, below):
    metrics = [Metric("prg_auc"), Metric("prg_auc", 0.5)]
    keys = [metric.key for metric in metrics for _ in range(3)]
    table = pd.DataFrame({"metric": keys, "prior": 2 * [0.001, 0.01, 0.1]})
    table["value"] = [lowest, 0.4, 0.3, 0.1, 0.1, 0.1]
    table = table.assign(low=table["value"] - 0.3, high=table["value"] + 0.3)
    with look.styled():
        figure, (axes,) = metric_panels(table, "prior", metrics)
        shared_legend(figure, metrics, mean_and_population(metrics))
    assert_readable(figure)
    assert axes.get_ylim()[0] == -1.0
    arrows = [line for line in axes.get_lines() if line.get_marker() == "v"]
    assert [x for line in arrows for x in line.get_xdata()] == below
    for line in arrows:  # at the lower edge, in the colour of its metric
        _, bottom = line.get_transform().transform((below[0], 0.0))
        assert bottom == pytest.approx(axes.bbox.y0)
        assert line.get_color() == look.ORDINARY["color"]
    named = [text.get_text() for text in figure.legends[0].get_texts()]
    assert ("below the panel" in named) == bool(below)
