"""Figures 1, 2, 3 and arXiv Figure 11 and that of the changes show what their tables hold.

All of it can be read.
"""

import functools
import io
import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import (
    assert_all_text_is_inside,
    assert_no_texts_overlap,
    assert_same_files_whatever_the_users_settings,
    settle,
)
from matplotlib.container import ErrorbarContainer

from calibrated_metrics import ConfusionCurve
from reproduction.fraud.fraud_data import FraudData
from reproduction.monitoring.stream import SCENARIOS
from reproduction.experiments import curves_at_priors, monitoring, prior_illustration
from reproduction.figures import (
    fig1_monitoring,
    fig2_curves,
    fig3_prior_illustration,
    figD11_monitoring_calibrated,
    monitoring_changes,
    style,
)
from reproduction.core.metrics import Metric

NAME = "simulated card transactions, in place of the paper's private stream"
F1 = Metric("fbeta", options={"threshold": 0.5})


def through_csv(table):
    """Figures are drawn from files."""
    return pd.read_csv(io.StringIO(table.to_csv(index=False)))


@functools.cache
def monitored():
    rng = np.random.default_rng(0)
    parts = []
    for period in (-1, *range(1, 13)):
        labels = np.repeat([1, 0], [200, 4000]).astype(np.int8)
        scores = 1 / (1 + np.exp(-rng.normal(2.5 * labels - 2, 1)))
        parts.append(pd.DataFrame({"period": period, "y_true": labels, "y_score": scores}))
    tables = monitoring.run(pd.concat(parts, ignore_index=True), seed=0, n_bootstrap=30)
    return monitoring.Monitoring(*map(through_csv, tables))


@functools.cache
def curves():
    rng = np.random.default_rng(0)
    labels = np.repeat([1, 0], [300, 30_000])
    curve = ConfusionCurve.from_predictions(labels, rng.normal(2.2 * labels, 1))
    return through_csv(curves_at_priors.run(curve, seed=0))


@functools.cache
def illustration():
    instances = prior_illustration.instances()
    return through_csv(instances), through_csv(prior_illustration.numbers(instances))


def fig1():
    return fig1_monitoring.draw(monitored().by_period, NAME)


def fig11(**options):
    tables = monitored()
    return figD11_monitoring_calibrated.draw(
        tables.by_period, tables.trends, tables.differences, NAME, **options
    )


def changes(**options):
    tables = monitored()
    return monitoring_changes.draw(tables.changes, tables.by_period, NAME, **options)


FIGURES = {
    "changes": changes,
    "changes both": functools.partial(changes, scenarios=["both drifts"]),
    "fig1": fig1,
    "fig2": lambda: fig2_curves.draw(curves(), FraudData("file", NAME, False, 9, 1, "", None)),
    "fig3": lambda: fig3_prior_illustration.draw(*illustration()),
    "figD11": fig11,
    "figD11 F1": functools.partial(fig11, metric=F1),
    "figD11 gain": functools.partial(fig11, metric=Metric("prg_auc")),
}
drawn = functools.cache(lambda name: FIGURES[name]())


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def legend_entries(owner):
    return [text.get_text() for text in owner.get_texts()]


# -------------------------------------------------------------------------- what all have


@pytest.mark.parametrize("name", FIGURES)
def test_all_text_lies_within_the_figure_and_none_on_another(name):
    assert_all_text_is_inside(drawn(name))
    assert_no_texts_overlap(drawn(name))


@pytest.mark.parametrize("name", FIGURES)
def test_all_data_lie_within_the_axes(name):
    figure = drawn(name)
    settle(figure)
    for axes in figure.axes:
        low, high = sorted(axes.get_ylim())
        left, right = sorted(axes.get_xlim())
        for line in axes.get_lines():
            if line.get_transform() == axes.transData:
                x, y = (np.asarray(each, dtype=float) for each in line.get_data())
                assert np.all((x >= left) & (x <= right) | np.isnan(x)), line
                assert np.all((y >= low) & (y <= high) | np.isnan(y)), line


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_as_wide_as_a_page(name):
    width, height = drawn(name).get_size_inches()
    assert width == style.FULL_WIDTH
    assert height < 6


@pytest.mark.parametrize("name", ["changes", "fig1", "fig2", "fig3", "figD11"])
def test_a_figure_drawn_again_is_the_same_whatever_the_users_settings(name, tmp_path):
    assert_same_files_whatever_the_users_settings(FIGURES[name], tmp_path)


@pytest.mark.parametrize("name", ["changes", "fig1", "fig2", "figD11"])
def test_figures_say_what_their_data_are(name):
    assert NAME in drawn(name).get_suptitle()


# ------------------------------------------------------------------------------- Figure 1


def rows_of(table, scenario, metric="average_precision"):
    return table[(table["scenario"] == scenario) & (table["metric"] == metric)]


def test_figure_1_shows_the_metric_and_the_fraud_ratio():
    top, bottom = drawn("fig1").axes
    rows = rows_of(monitored().by_period, "prior drift")
    rows = rows[rows["pi0"].isna()]
    (line,), (ratio_line,) = top.get_lines(), bottom.get_lines()
    np.testing.assert_allclose(line.get_xydata(), rows[["period", "value"]])
    np.testing.assert_allclose(ratio_line.get_xdata(), rows["period"])
    np.testing.assert_allclose(ratio_line.get_ydata(), 100 * rows["prior"])
    assert (top.get_ylabel(), bottom.get_ylabel()) == ("AUC-PR", "fraud\nratio π [%]")


def test_figure_1_shows_the_band():
    top, _ = drawn("fig1").axes
    rows = rows_of(monitored().by_period, "prior drift")
    rows = rows[rows["pi0"].isna()]
    (band,) = top.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(rows["low"].min())
    assert heights.max() == pytest.approx(rows["high"].max())


def test_figure_1_names_all_it_shows():
    (legend,) = drawn("fig1").legends
    assert legend_entries(legend) == ["AUC-PR", "95 % bootstrap band", "fraud ratio π"]


# ------------------------------------------------------------------------- arXiv Figure 11


def test_figure_11_has_a_column_per_scenario():
    axes = drawn("figD11").axes
    assert [each.get_title() for each in axes[:8]] == [*SCENARIOS, "", "", "", ""]
    tops, bottoms = axes[:4], axes[4:8]
    for group in (tops, bottoms):
        assert len({each.get_ylim() for each in group}) == 1
    assert {each.get_xlabel() for each in bottoms} == {"week"}


@pytest.mark.parametrize("place", range(4))
def test_figure_11_shows_both_metrics_and_the_fraud_ratio(place):
    axes = drawn("figD11").axes
    rows = rows_of(monitored().by_period, list(SCENARIOS)[place])
    looks = {False: style.ORDINARY, True: style.CALIBRATED[0]}
    assert len(axes[place].get_lines()) == 2
    for line, (calibrated, look) in zip(axes[place].get_lines(), looks.items(), strict=True):
        values = rows.loc[rows["pi0"].notna() == calibrated, ["period", "value"]]
        np.testing.assert_allclose(line.get_xydata(), values)
        assert line.get_color() == look["color"]
    reference, ratio = axes[4 + place].get_lines()
    assert set(reference.get_ydata()) == {100 * rows["pi0"].max()}
    np.testing.assert_allclose(ratio.get_ydata(), 100 * rows.drop_duplicates("period")["prior"])


def test_figure_11_shows_differences_with_their_intervals():
    axes = drawn("figD11").axes[-1]
    rows = rows_of(monitored().differences, "prior drift")
    (bars,) = [each for each in axes.containers if isinstance(each, ErrorbarContainer)]
    (stems,) = bars[2]
    (points,) = [line for line in axes.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(points.get_xdata(), rows["prior"])
    np.testing.assert_allclose(points.get_ydata(), rows["value"] * rows["scale"])
    ends = np.array([segment[:, 1] for segment in stems.get_segments()])
    np.testing.assert_allclose(ends, rows[["low", "high"]].mul(rows["scale"], axis=0))
    assert axes.get_ylabel().startswith("AUC-PR −\nAUC-P$_c$R")
    assert [text.get_text() for text in axes.texts] == ["week 1", "week 12"]


def test_figure_11_shows_an_interval_that_does_not_reach_its_value():
    tables = monitored()
    differences = tables.differences.assign(low=tables.differences["value"] + 0.01)
    differences["high"] = differences["low"] + 0.02

    figure = figD11_monitoring_calibrated.draw(tables.by_period, tables.trends, differences, NAME)

    axes = figure.axes[-1]
    (bars,) = [each for each in axes.containers if isinstance(each, ErrorbarContainer)]
    rows = rows_of(differences, "prior drift")
    ends = np.array([segment[:, 1] for segment in bars[2][0].get_segments()])
    np.testing.assert_allclose(ends, rows[["low", "high"]].mul(rows["scale"], axis=0))


@pytest.mark.parametrize("place", range(4))
def test_figure_11_says_what_falls(place):
    trends = rows_of(monitored().trends, list(SCENARIOS)[place])
    written = [(text.get_text(), text.get_color()) for text in drawn("figD11").axes[place].texts]
    (ordinary,), (calibrated,) = (
        trends.loc[trends["pi0"].notna() == which, "verdict"] for which in (False, True)
    )
    assert written == [
        (f"AUC-PR: {ordinary}", style.ORDINARY["color"]),
        (f"calibrated: {calibrated}", style.CALIBRATED[0]["color"]),
    ]


def test_figure_11_names_all_it_shows():
    (legend,) = drawn("figD11").legends
    pi0 = monitored().by_period["pi0"].max()
    assert legend_entries(legend) == [
        "AUC-PR",
        f"AUC-P$_c$R (π$_0$={pi0:.2g})",
        "95 % bootstrap band",
        "reference prior π$_0$",
        "fraud ratio π",
    ]


def test_figure_11_shows_fewer_scenarios():
    tables = monitored()
    some = [
        table[table["scenario"] == "prior drift"]
        for table in (tables.by_period, tables.trends, tables.differences)
    ]
    figure = figD11_monitoring_calibrated.draw(*some, NAME)
    assert [axes.get_title() for axes in figure.axes[:2]] == ["prior drift", ""]


# ------------------------------------------------------------------------------- changes


@pytest.mark.parametrize(("place", "scenario"), [(0, "prior drift"), (1, "likelihood drift")])
def test_the_figure_of_changes_shows_values_and_parts(place, scenario):
    top, bottom = drawn("changes").axes[place::2]
    assert top.get_title() == scenario
    values = rows_of(monitored().by_period, scenario)
    values = values[values["pi0"].isna()]
    line, *_ = top.get_lines()
    np.testing.assert_allclose(line.get_ydata(), values["value"])
    rows = rows_of(monitored().changes, scenario)
    for part, band in zip(("prior_part", "model_part"), bottom.collections, strict=True):
        (line,) = [each for each in bottom.lines if each.get_label() == part.replace("_", " ")]
        np.testing.assert_allclose(line.get_xydata(), rows[["period", part]])
        heights = band.get_paths()[0].vertices[:, 1]
        assert heights.min() == pytest.approx(rows[f"{part}_low"].min())
        assert heights.max() == pytest.approx(rows[f"{part}_high"].max())


def test_the_figure_of_changes_names_all_it_shows():
    (legend,) = drawn("changes").legends
    expected = ["AUC-PR", "value in week 1", "prior part", "model part", "95 % interval of a week"]
    assert legend_entries(legend) == expected
    assert all(axes.get_legend() is None for axes in drawn("changes").axes)
    labels = [axes.get_ylabel() for axes in drawn("changes").axes]
    assert labels == ["AUC-PR", "", "change since week 1", ""]


# ------------------------------------------------------------------------------- Figure 2


def test_figure_2_has_a_panel_per_space():
    panels = drawn("fig2").axes
    assert [axes.get_title() for axes in panels] == [
        "ROC",
        "precision-recall",
        "precision-recall gain",
    ]
    assert [axes.get_legend().get_title().get_text() for axes in panels] == [
        "AUC-ROC",
        "AUC-PR",
        "AUC-PR Gain",
    ]


@pytest.mark.parametrize(("place", "space"), [(0, "roc"), (1, "pr"), (2, "prg")])
def test_figure_2_shows_all_curves_and_their_areas(place, space):
    axes = drawn("fig2").axes[place]
    table = curves()
    for line, entry, sample in zip(
        axes.get_lines(),
        legend_entries(axes.get_legend()),
        ["all", "undersampled", "calibrated"],
        strict=True,
    ):
        rows = table[(table["space"] == space) & (table["sample"] == sample)]
        np.testing.assert_array_equal(line.get_xydata(), rows[["x", "y"]])
        assert entry.startswith(f"{rows['area'].iloc[0]:.3f}")
        assert entry.endswith(f"= {rows['prior'].iloc[0]:.2g}")


# ------------------------------------------------------------------------------- Figure 3


def marks(axes):
    """Places of each kind of mark."""
    return {
        line.get_marker(): line.get_xdata()
        for line in axes.get_lines()
        if line.get_marker() != "None"
    }


@pytest.mark.parametrize("place", [0, 1])
def test_figure_3_shows_every_instance(place):
    instances, numbers = illustration()
    rows = instances[instances["population"] == numbers["population"][place]]
    present, positive = rows["present"], rows["y_true"] == 1
    shown = marks(drawn("fig3").axes[place])
    for marker, mask in {
        "o": present & positive,
        "s": present & ~positive,
        "x": ~present,
    }.items():
        np.testing.assert_array_equal(shown[marker], rows.loc[mask, "score"])


@pytest.mark.parametrize("place", [0, 1])
def test_figure_3_shows_the_numbers(place):
    row = illustration()[1].iloc[place]
    axes = drawn("fig3").axes[place]
    texts = [text.get_text() for text in axes.texts]
    for label, name in {
        f"recall {row['tp']} / {row['n_pos']}": "recall",
        f"FPR {row['fp']} / {row['n_neg']}": "fpr",
        f"precision {row['tp']} / {row['n_predicted']}": "precision",
        "F1": "f1",
        "precision$_c$": "precision_calibrated",
        "F1$_c$": "f1_calibrated",
    }.items():
        assert texts[texts.index(label) - 1] == f"{row[name]:.2f}"
    assert axes.get_title(loc="left") == (
        f"{row['population']}: {row['n_pos']} positives, {row['n_neg']} negatives, "
        f"π = {row['prior']:.2f}"
    )


def test_figure_3_sets_what_changes_in_bold():
    for axes in drawn("fig3").axes:
        texts = axes.texts
        bold = [
            below.get_text().split()[0]
            for text, below in itertools.pairwise(texts)
            if text.get_fontweight() == "bold"
        ]
        assert bold == ["precision", "F1"]


def test_figure_3_names_the_marks():
    (legend,) = drawn("fig3").legends
    assert legend_entries(legend) == ["positive", "negative", "removed positive", "threshold"]
