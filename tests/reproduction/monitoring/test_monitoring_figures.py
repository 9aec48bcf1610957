"""The figures of monitoring show the cells of their tables."""

import functools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_readable

from reproduction.core import look
from reproduction.monitoring import figure
from reproduction.monitoring.drift import DRIFTS
from reproduction.monitoring.experiment import run

SCENARIOS = ["as simulated", *DRIFTS]
OWN = "scores/2024.csv"
LIMITS = ("low", "high")


@functools.cache
def monitored(own=False):
    labels = np.tile(np.repeat([1, 0], [200, 4000]), 12)
    scores = np.random.default_rng(0).normal(2.5 * labels)
    periods = [f"2024-{month:02d}" if own else month for month in range(1, 13)]
    rows = {"period": np.repeat(periods, 4200), "y_true": labels, "y_score": scores}
    options = {"scenarios": ["as measured"] if own else SCENARIOS, "seed": 0}
    return run(pd.DataFrame(rows), pi0=0.04, **options)


@functools.cache
def drawn(name, own=False):
    values, differences, trends, changes = monitored(own)
    tables = {"weeks": [values, trends], "scenarios": [values, trends, differences]}
    tables["changes"] = [changes, values]
    return getattr(figure, f"draw_{name}")(*tables[name], OWN if own else None)


def of(table, scenario, calibrated=None):
    rows = table[table["scenario"] == scenario]
    return rows if calibrated is None else rows[rows["pi0"].notna() == calibrated]


def assert_shown(axes, place, rows, value="value", low="low", high="high"):
    """A line and its band."""
    line = [line for line in axes.get_lines() if len(line.get_xdata()) > 2][place]
    np.testing.assert_allclose(line.get_xydata(), rows[["period", value]])  # 1, 2, … are places
    heights = axes.collections[place].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((rows[low].min(), rows[high].max()))


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", ["weeks", "scenarios", "changes"])
def test_all_text_lies_within_the_figure_and_none_on_another(name, own):
    assert_readable(drawn(name, own))
    title = drawn(name, own).get_suptitle()
    assert title == "2024.csv" if own else "simulated card transactions" in title


def test_figure_1_shows_the_metric_with_its_band_and_the_prior():
    top, bottom = drawn("weeks").axes
    rows = of(monitored().by_period, "prior drift", calibrated=False)
    assert_shown(top, 0, rows)
    (prior,) = bottom.get_lines()
    np.testing.assert_allclose(prior.get_xydata(), rows[["period", "prior"]] * [1, 100])


@pytest.mark.parametrize("place", range(4))
def test_figure_11_shows_both_metrics_their_verdicts_and_the_prior(place):
    axes, scenario = drawn("scenarios").axes, SCENARIOS[place]
    verdicts = []
    for calibrated, style in {False: look.ORDINARY, True: look.CALIBRATED[0]}.items():
        rows = of(monitored().by_period, scenario, calibrated)
        assert_shown(axes[place], int(calibrated), rows)
        assert axes[place].get_lines()[calibrated].get_color() == style["color"]
        verdict = of(monitored().trends, scenario, calibrated)["verdict"].item()
        verdicts.append((f"{'calibrated' if calibrated else 'AUC-PR'}: {verdict}", style["color"]))
    assert [(text.get_text(), text.get_color()) for text in axes[place].texts] == verdicts
    reference, prior = axes[4 + place].get_lines()
    assert set(reference.get_ydata()) == {4.0}
    np.testing.assert_allclose(prior.get_ydata(), 100 * rows["prior"])


def test_figure_11_shows_differences_with_their_intervals():
    axes = drawn("scenarios").axes[-1]
    rows = of(monitored().differences, "prior drift")
    (points,) = [line.get_data() for line in axes.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(points, [rows["prior"], rows["value"]])
    ends = np.array([segment[:, 1] for segment in axes.collections[0].get_segments()])
    np.testing.assert_allclose(ends, rows[["low", "high"]])


@pytest.mark.parametrize(("place", "scenario"), [(0, "prior drift"), (1, "likelihood drift")])
def test_the_figure_of_changes_shows_values_and_parts(place, scenario):
    top, bottom = drawn("changes").axes[place::2]
    values = of(monitored().by_period, scenario, calibrated=False)
    assert_shown(top, 0, values)
    assert set(top.get_lines()[1].get_ydata()) == {values["value"].iloc[0]}
    rows = of(monitored().changes, scenario)
    for which, part in enumerate(("prior_part", "model_part")):
        assert_shown(bottom, which, rows, part, f"{part}_low", f"{part}_high")


NUMBERS = [202309, 202310, 202311, 202312, *range(202401, 202409)]
TEXTS = [f"{'ab'[i // 6]} {i:02d}" for i in range(12)]


@pytest.mark.parametrize(
    ("name", "periods"),
    [
        ("weeks", range(202309, 202321)),
        ("weeks", NUMBERS),
        ("scenarios", TEXTS),
        ("changes", TEXTS),
    ],
)
def test_periods_have_equal_distances_and_their_own_names(name, periods):
    def named(table):
        return table.assign(period=[periods[int(each[-2:]) - 1] for each in table["period"]])

    values, differences, trends, changes = monitored(own=True)
    values, differences, changes = map(named, (values, differences, changes))
    tables = {"weeks": [values, trends], "scenarios": [values, trends, differences]}
    tables["changes"] = [changes, values]
    shown = getattr(figure, f"draw_{name}")(*tables[name], OWN)
    shown.canvas.draw()
    for axes, first in zip(shown.axes[:2], (1, 2 if name == "changes" else 1), strict=True):
        line = max(axes.get_lines(), key=lambda line: len(line.get_xdata()))
        assert line.get_xdata().tolist() == list(range(first, 13))
    labels = shown.axes[1].get_xticklabels()
    inside = [(int(label.get_position()[0]), label.get_text()) for label in labels]
    inside = [(place, text) for place, text in inside if 1 <= place <= 12]
    assert len(inside) >= 3
    assert [text for _, text in inside] == [str(periods[place - 1]) for place, _ in inside]
    plt.close(shown)


def test_a_value_without_an_interval_has_a_hollow_mark():
    values, differences, trends, _ = monitored(own=True)
    values, differences = (
        table.assign(**{end: table[end].mask(table["period"] == "2024-07") for end in LIMITS})
        for table in (values, differences)
    )
    shown = figure.draw_scenarios(values, trends, differences, OWN)
    title = "2024.csv\n1 of 12 periods have too few rows for an interval (hollow marks)"
    assert shown.get_suptitle() == title
    marks = [
        each.get_offsets().tolist()
        for axes in shown.axes
        for each in axes.collections
        if each.get_facecolor().tolist() == [[1, 1, 1, 1]]
    ]
    ordinary, calibrated = values["value"][values["period"] == "2024-07"]
    (difference,) = differences.query("period == '2024-07'")[["prior", "value"]].to_numpy().tolist()
    assert marks == [[[7, ordinary]], [[7, calibrated]], [difference]]
    plt.close(shown)


def test_titles_follow_the_tables():
    values, differences, trends, changes = monitored()
    rising = trends.assign(verdict="rises")
    title = figure.draw_weeks(values, rising, None).get_suptitle()
    assert title.startswith("AUC-PR of an unchanged model rises as frauds become rarer\n")
    title = figure.draw_scenarios(values, rising, differences, None).get_suptitle()
    assert "AUC-PR rises and the calibrated AUC-PR rises" in title
    parts = ("prior_part", "model_part")
    limits = {f"{part}_{end}": 0.1 for part in parts for end in ("low", "high")}
    title = figure.draw_changes(changes.assign(**limits), values, None).get_suptitle()
    assert title.startswith("Rarer frauds change the prior part and model part of AUC-PR; harder")
