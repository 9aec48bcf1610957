"""What Figures 2 and 6 and arXiv Figure 7 show of their tables."""

import functools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_all_text_is_inside, assert_no_texts_overlap
from matplotlib.container import ErrorbarContainer

from reproduction.core import look
from reproduction.core.metrics import Metric
from reproduction.fraud import experiment, figure

SIMULATED = pd.DataFrame({"name": ["simulated card transactions"], "simulated": True})
FROM_FILE = pd.DataFrame({"name": ["creditcard.csv"], "simulated": False})
METRICS = [
    *(Metric(name, pi0) for name in ("average_precision", "prg_auc") for pi0 in (None, 0.5)),
    Metric("roc_auc"),
]
GRID = {"n_priors": 5, "highest_prior": 0.5, "seed": 0}


@functools.cache
def predictions():
    rng = np.random.default_rng(0)
    y_true = (np.arange(20_000) < 300) * 1
    return pd.DataFrame({"y_true": y_true, "y_score": rng.normal(size=20_000) + 2 * y_true})


@functools.cache
def table(name):
    if name == "heuristic":
        return experiment.heuristic(predictions(), n_runs=200, **GRID)
    if name == "curves":
        return experiment.curves(predictions(), pi0=0.5, seed=0)
    if name == "intervals":
        return experiment.prior_sweep_intervals(predictions(), METRICS, **GRID)
    return experiment.prior_sweep(predictions(), METRICS, runs=(0, 3), **GRID)


@functools.cache
def drawn(name, simulated=True):
    data = SIMULATED if simulated else FROM_FILE
    if name == "fig2":
        return figure.draw_curves(table("curves"), data)
    if name == "fig6":
        return figure.draw_heuristic(table("heuristic"), data)
    return figure.draw_prior_sweep(table("sweep"), table("intervals"), METRICS, data)


@pytest.fixture(scope="module", autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("name", ["fig2", "fig6", "figA7"])
def test_titles_say_which_data(name):
    title = drawn(name).get_suptitle()
    assert title.endswith("\nsimulated card transactions, in place of Kaggle's fraud data")
    assert drawn(name, simulated=False).get_suptitle().endswith("\ncreditcard.csv")
    assert_all_text_is_inside(drawn(name))
    assert_no_texts_overlap(drawn(name))


@pytest.mark.parametrize(("place", "space"), [(0, "roc"), (1, "pr"), (2, "prg")])
def test_figure_2_shows_all_curves_and_their_areas(place, space):
    axes = drawn("fig2").axes[place]
    entries = [text.get_text() for text in axes.get_legend().get_texts()]
    samples = ["all", "undersampled", "calibrated"]
    for drawn_line, entry, sample in zip(axes.get_lines(), entries, samples, strict=True):
        curves = table("curves")
        rows = curves[(curves["space"] == space) & (curves["sample"] == sample)]
        np.testing.assert_array_equal(drawn_line.get_xydata(), rows[["x", "y"]])
        assert entry.startswith(f"{rows['area'].iloc[0]:.3f}")
        assert entry.endswith(f"= {rows['prior'].iloc[0]:.2g}")


def error_bars(axes):
    """Values of the points, and the lengths of their bars."""
    (bars,) = [each for each in axes.containers if isinstance(each, ErrorbarContainer)]
    points, _, (stems,) = bars
    lengths = [np.ptp(segment[:, 1]) for segment in stems.get_segments()]
    return points.get_ydata().astype(float), lengths


def test_figure_6_shows_means_and_gaps():
    top, bottom = drawn("fig6").axes
    heuristic = table("heuristic")
    values, lengths = error_bars(top)
    np.testing.assert_allclose(values, heuristic["mean"])
    np.testing.assert_allclose(lengths, 2 * heuristic["sd"], atol=1e-12)

    random = heuristic.iloc[1:]
    gaps = random[["mean", "expected"]].sub(random["closed_form"], axis=0).div(random["sd"], axis=0)
    values, lengths = error_bars(bottom)
    np.testing.assert_allclose(values, gaps["mean"])
    np.testing.assert_allclose(lengths, 2 * 1.96 / np.sqrt(200))
    (expected,) = [each for each in bottom.get_lines() if each.get_color() == "black"]
    np.testing.assert_allclose(expected.get_ydata(), gaps["expected"])


@pytest.mark.parametrize("n_runs", [20, 1000])
def test_no_gap_of_figure_6_is_cut_off(n_runs):
    """The mean of few draws scatters by more: 1 / √n standard deviations."""
    heuristic = table("heuristic").assign(n_runs=n_runs)
    gap = np.array([0.0, 3.0, -3.0, 1.0, 0.0]) * heuristic["sd"] / np.sqrt(n_runs)
    heuristic["mean"] = heuristic["closed_form"] + gap
    _, bottom = figure.draw_heuristic(heuristic, SIMULATED).axes
    assert bottom.get_ylim()[1] > (3 + 1.96) / np.sqrt(n_runs)


def test_appendix_a_shows_means_and_limits():
    axes = drawn("figA7").axes[0]
    for metric, style in zip(METRICS[:2], (look.ORDINARY, look.CALIBRATED[0]), strict=True):
        rows = table("sweep")[table("sweep")["metric"] == metric.key]
        lines = [each for each in axes.get_lines() if each.get_color() == style["color"]]
        shown = [np.asarray(each.get_ydata(), dtype=float) for each in lines]
        limits = table("intervals")[table("intervals")["metric"] == metric.key]
        means = rows.groupby("prior")["value"].mean()
        for wanted in (means, limits["low"], limits["high"]):
            assert any(len(y) == 5 and np.allclose(y, wanted) for y in shown)
