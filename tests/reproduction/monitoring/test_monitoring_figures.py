"""The figures of monitoring show the cells of their tables."""

import functools
import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_all_text_is_inside, assert_no_texts_overlap

from reproduction.core import look
from reproduction.core.metrics import Metric
from reproduction.monitoring import figure
from reproduction.monitoring.experiment import Tables, run
from reproduction.monitoring.settings import Settings

SCENARIOS = Settings().scenarios()
OWN = "scores/2024.csv"


def through_csv(table):
    """Figures are drawn from files."""
    return pd.read_csv(io.StringIO(table.to_csv(index=False)))


@functools.cache
def monitored(own=False):
    rng = np.random.default_rng(0)
    labels = np.tile(np.repeat([1, 0], [200, 4000]), 12)
    rows = pd.DataFrame({"y_true": labels, "y_score": rng.normal(2.5 * labels)})
    rows.insert(0, "period", np.repeat(np.arange(1, 13), 4200))
    if own:
        rows["period"] = rows["period"].map("2024-{:02d}".format)
    scenarios = Settings(path=OWN if own else None).scenarios()
    tables = run(
        rows, metrics=[Metric("prg_auc")], scenarios=scenarios, n_bootstrap=30, seed=0, pi0=0.04
    )
    return Tables(*map(through_csv, tables))


@functools.cache
def drawn(name, own=False):
    tables, path = monitored(own), OWN if own else None
    if name == "weeks":
        return figure.draw_weeks(tables.by_period, path)
    if name == "scenarios":
        return figure.draw_scenarios(tables.by_period, tables.trends, tables.differences, path)
    return figure.draw_changes(tables.changes, tables.by_period, path)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def of(table, scenario, calibrated=None):
    rows = table[(table["scenario"] == scenario) & (table["metric"] == "average_precision")]
    return rows if calibrated is None else rows[rows["pi0"].notna() == calibrated]


def assert_band(axes, place, rows, low="low", high="high"):
    heights = axes.collections[place].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((rows[low].min(), rows[high].max()))


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", ["weeks", "scenarios", "changes"])
def test_all_text_lies_within_the_figure_and_none_on_another(name, own):
    assert_all_text_is_inside(drawn(name, own))
    assert_no_texts_overlap(drawn(name, own))
    title = drawn(name, own).get_suptitle()
    assert title == OWN if own else "simulated card transactions" in title


def test_figure_1_shows_the_metric_with_its_band_and_the_prior():
    top, bottom = drawn("weeks").axes
    rows = of(monitored().by_period, "prior drift", calibrated=False)
    (line,), (prior,) = top.get_lines(), bottom.get_lines()
    np.testing.assert_allclose(line.get_xydata(), rows[["period", "value"]])
    np.testing.assert_allclose(prior.get_xdata(), rows["period"])
    np.testing.assert_allclose(prior.get_ydata(), 100 * rows["prior"])
    assert_band(top, 0, rows)


@pytest.mark.parametrize("place", range(4))
def test_figure_11_shows_both_metrics_their_verdicts_and_the_prior(place):
    axes, scenario = drawn("scenarios").axes, SCENARIOS[place]
    looks = {False: look.ORDINARY, True: look.CALIBRATED[0]}
    verdicts = []
    for which, (calibrated, style) in enumerate(looks.items()):
        rows = of(monitored().by_period, scenario, calibrated)
        line = axes[place].get_lines()[which]
        np.testing.assert_allclose(line.get_xydata(), rows[["period", "value"]])
        assert line.get_color() == style["color"]
        assert_band(axes[place], which, rows)
        verdict = of(monitored().trends, scenario, calibrated)["verdict"].item()
        verdicts.append((f"{'calibrated' if calibrated else 'AUC-PR'}: {verdict}", style["color"]))
    assert [(text.get_text(), text.get_color()) for text in axes[place].texts] == verdicts
    reference, prior = axes[4 + place].get_lines()
    assert set(reference.get_ydata()) == {4.0}
    np.testing.assert_allclose(prior.get_ydata(), 100 * rows["prior"])


def test_figure_11_shows_differences_with_their_intervals():
    axes = drawn("scenarios").axes[-1]
    rows = of(monitored().differences, "prior drift")
    (points,) = [line for line in axes.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(points.get_xdata(), rows["prior"])
    np.testing.assert_allclose(points.get_ydata(), rows["value"] * rows["scale"])
    ends = np.array([segment[:, 1] for segment in axes.collections[0].get_segments()])
    np.testing.assert_allclose(ends, rows[["low", "high"]].mul(rows["scale"], axis=0))
    assert [text.get_text() for text in axes.texts] == ["week 1", "week 12"]


@pytest.mark.parametrize(("place", "scenario"), [(0, "prior drift"), (1, "likelihood drift")])
def test_the_figure_of_changes_shows_values_and_parts(place, scenario):
    top, bottom = drawn("changes").axes[place::2]
    values = of(monitored().by_period, scenario, calibrated=False)
    line, start = top.get_lines()
    np.testing.assert_allclose(line.get_ydata(), values["value"])
    assert set(start.get_ydata()) == {values["value"].iloc[0]}
    rows = of(monitored().changes, scenario)
    for which, part in enumerate(("prior_part", "model_part")):
        np.testing.assert_allclose(bottom.get_lines()[1 + which].get_ydata(), rows[part])
        assert_band(bottom, which, rows, f"{part}_low", f"{part}_high")
