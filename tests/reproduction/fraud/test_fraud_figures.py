"""What Figures 2 and 6 and arXiv Figure 7 show of their tables."""

import functools

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_readable
from matplotlib.container import ErrorbarContainer

from reproduction.core import look
from reproduction.core.metrics import Metric
from reproduction.fraud import experiment, figure, published

METRICS = [
    *(Metric(name, pi0) for name in ("average_precision", "prg_auc") for pi0 in (None, 0.5)),
    Metric("roc_auc"),
]


def described(*, simulated=False, n_rows=20_000, n_frauds=300):
    """The table `fraud_data`."""
    sizes = {"n_rows": n_rows, "n_frauds": n_frauds}
    return pd.DataFrame({"name": ["cards.csv"], "simulated": simulated, **sizes})


@functools.cache
def tables():
    rng = np.random.default_rng(0)
    y_true = (np.arange(20_000) < 300) * 1
    predictions = pd.DataFrame({"y_true": y_true, "y_score": rng.normal(size=20_000) + 2 * y_true})
    grid = {"n_runs": 50, "n_priors": 5, "highest_prior": 0.5}
    settings = {"of_heuristic": grid, "of_prior_sweep": grid, "of_curves": {"pi0": 0.5}}
    return experiment.run(predictions, METRICS, **settings, seed=0)


@functools.cache
def drawn(name, simulated=True):
    data = described(simulated=simulated)
    heuristic, _, bands, intervals, curves = tables()
    if name == "fig2":
        return figure.draw_curves(curves, data)
    if name == "fig6":
        return figure.draw_heuristic(heuristic, data)
    return figure.draw_prior_sweep(bands, intervals, METRICS, data)


@pytest.mark.parametrize("name", ["fig2", "fig6", "figA7"])
def test_titles_say_which_data(name):
    assert drawn(name).get_suptitle().endswith("\ncards.csv, in place of Kaggle's fraud data")
    assert drawn(name, simulated=False).get_suptitle().endswith("\ncards.csv")
    assert_readable(drawn(name))


@pytest.mark.parametrize(("place", "space"), [(0, "roc"), (1, "pr"), (2, "prg")])
def test_figure_2_shows_all_curves_and_their_areas(place, space):
    axes, curves = drawn("fig2").axes[place], tables()[-1]
    entries = [text.get_text() for text in axes.get_legend().get_texts()]
    samples = ["all", "undersampled", "calibrated"]
    for drawn_line, entry, sample in zip(axes.get_lines(), entries, samples, strict=True):
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
    (top, bottom), heuristic = drawn("fig6").axes, tables()[0]
    assert top.get_xscale() == bottom.get_xscale() == "log"  # as in the paper
    lines = {line.get_label(): line.get_ydata() for line in top.get_lines()}
    np.testing.assert_array_equal(lines["undersampling, mean"], heuristic["mean"])
    np.testing.assert_array_equal(lines["closed form"], heuristic["closed_form"])
    np.testing.assert_array_equal(lines["closed form, 95 % interval"], heuristic["low"])
    shadow = {tuple(point) for point in top.collections[0].get_paths()[0].vertices}
    edges = heuristic["pi0"], heuristic["mean"] + heuristic["sd"]
    assert shadow >= set(zip(*edges, strict=True))

    random = heuristic.iloc[1:]
    gaps = random[["mean", "expected"]].sub(random["closed_form"], axis=0).div(random["sd"], axis=0)
    values, lengths = error_bars(bottom)
    np.testing.assert_allclose(values, gaps["mean"])
    np.testing.assert_allclose(lengths, 2 * 1.96 / np.sqrt(50))
    assert bottom.get_ylim()[1] > (np.abs(values) + lengths[0] / 2).max()
    (expected,) = [each for each in bottom.get_lines() if each.get_color() == "black"]
    np.testing.assert_allclose(expected.get_ydata(), gaps["expected"])


def test_titles_follow_the_tables():
    data = described()
    heuristic, _, bands, intervals, curves = tables()
    assert drawn("fig6").get_suptitle().startswith("On average, undersampling agrees")
    wrong = heuristic.assign(mean=heuristic["mean"] - 0.02)
    title = figure.draw_heuristic(wrong, data).get_suptitle()
    assert "differs from\nthe closed form by up to 0.02" in title
    title = drawn("fig2").get_suptitle()
    assert title.startswith(
        "Calibration to π$_0$ = 0.5 changes AUC-PR and AUC-PR Gain, but not AUC-ROC\n"
    )
    title = figure.draw_curves(curves.assign(area=0.5), data).get_suptitle()
    assert "changes nothing\n" in title
    flat = bands.assign(value=0.5, low=0.5, high=0.5)
    title = figure.draw_prior_sweep(flat, intervals, METRICS, data).get_suptitle()
    assert title.startswith("Ordinary metrics and calibrated metrics stay the same")


def test_figure_6_of_a_perfect_model_says_that_all_draws_are_equal():
    data = described()
    same = dict.fromkeys(("mean", "closed_form", "expected", "low", "high"), 1.0)
    bottom = figure.draw_heuristic(tables()[0].assign(sd=0.0, **same), data).axes[1]
    assert [text.get_text() for text in bottom.texts] == ["all draws are equal"]


def test_appendix_a_shows_means_and_limits():
    axes, (legend,) = drawn("figA7").axes[0], drawn("figA7").legends
    entries = [text.get_text() for text in legend.get_texts()]
    assert entries[2:] == ["± SD of a draw", "95 % interval, whole test set"]
    _, _, bands, intervals, _ = tables()
    some = intervals.assign(low=intervals["low"].where(intervals.index > 0))
    data = described()
    (legend,) = figure.draw_prior_sweep(bands, some, METRICS, data).legends
    assert legend.get_texts()[3].get_text() == f"{entries[3]}, where not withheld"
    for metric, style in zip(METRICS[:2], (look.ORDINARY, look.CALIBRATED[0]), strict=True):
        lines = [each for each in axes.get_lines() if each.get_color() == style["color"]]
        shown = [np.asarray(each.get_ydata(), dtype=float) for each in lines]
        limits = intervals[intervals["metric"] == metric.key]
        means = bands.loc[bands["metric"] == metric.key, "value"]
        for wanted in (means, limits["low"], limits["high"]):
            assert any(len(y) == 5 and np.allclose(y, wanted) for y in shown)


def labelled(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def test_published_values_are_drawn_with_the_data_of_the_paper_only():
    heuristic, _, bands, intervals, _ = tables()
    kaggle = described(n_rows=284_807, n_frauds=492)
    top = figure.draw_heuristic(heuristic, kaggle).axes[0]
    values = published.values_of("figure_6")["closed_form"]
    rings = labelled(top)["closed form, published"]
    np.testing.assert_array_equal(rings.get_xydata(), list(values.items()))
    assert len(labelled(drawn("fig6", simulated=False).axes[0])) == len(labelled(top)) - 1

    shown = figure.draw_prior_sweep(bands, intervals, METRICS, kaggle)
    assert_readable(shown)
    *_, paper = shown.axes
    assert len(shown.axes) == len(drawn("figA7", simulated=False).axes) + 1
    assert paper.get_position().y0 > max(axes.get_position().y1 for axes in shown.axes[:-1])
    assert paper.get_xscale() == "linear"
    assert paper.xaxis_inverted()
    entries = [text.get_text() for text in paper.get_legend().get_texts()]
    assert entries == [*(metric.label for metric in METRICS[:4]), "published"]
    for metric, color in zip(METRICS[:4], "bbrr", strict=True):
        line = labelled(paper)[metric.label]
        assert (line.get_color(), line.get_linestyle()) == (color, "-" if metric.pi0 else ":")
        means = bands.loc[bands["metric"] == metric.key, ["prior", "value"]]
        np.testing.assert_array_equal(line.get_xydata(), means)
        readings = published.values_of("figure_A7")[metric.key]
        markers = [each for each in paper.get_lines() if len(each.get_xdata()) == len(readings)]
        assert any(np.array_equal(each.get_ydata(), readings, equal_nan=True) for each in markers)
