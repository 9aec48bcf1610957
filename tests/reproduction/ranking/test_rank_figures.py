"""The matrices and the distribution show the values of their tables legibly."""

import functools

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_readable, shown_texts

from reproduction.core import look
from reproduction.core.metrics import Metric, read_metrics
from reproduction.core.settings import Metrics
from reproduction.ranking import figure as figures
from reproduction.ranking.predictions import USED

PAPER = read_metrics(Metrics().described("paper"))
IMBALANCED = read_metrics(Metrics().described("paper_imbalanced"))
TASKS, MODELS = "Tasks of the panel", "predictions of other people's models from OpenML"
PANELS = {
    "all": "All tasks",
    "imbalanced": "Imbalanced tasks",
    "small_prior": "Tasks with a small prior",
}


def pairs(metrics, row="row", column="column"):
    keys = [metric.key for metric in metrics]
    return pd.DataFrame({row: np.repeat(keys, len(keys)), column: keys * len(keys)})


def correlations(metrics=PAPER, seed=0):
    drawn = np.random.default_rng(seed).uniform(-0.3, 1, (len(metrics), len(metrics)))
    symmetric = np.tril(drawn) + np.tril(drawn, -1).T
    np.fill_diagonal(symmetric, 1.0)
    value = symmetric.ravel()
    limits = {"low": value - 0.1, "high": np.minimum(value + 0.2, 1.0)}
    return pairs(metrics).assign(
        spearman=value, **limits, n_tasks=5, n_sources=4, n_tasks_of_panel=7
    )


def regrets(metrics=PAPER):
    drawn = np.random.default_rng(0).exponential(0.1, (2, len(metrics) ** 2))
    drawn[:, :: len(metrics) + 1] = 0
    table = pairs(metrics, "chosen_by", "judged_by")
    p90 = drawn[1] + drawn[0]
    own = {"mean": drawn[0], "median": drawn[0] / 2, "p90": p90, "largest": 2 * p90}
    return table.assign(**own, n_tasks=7)


def corrections(panels=tuple(PANELS), metrics=PAPER, imbalanced=IMBALANCED):
    parts = [pd.DataFrame(columns=["correction", "as_published", "corrected", "change"])]
    for seed, panel in enumerate(panels):
        own = imbalanced if panel == "imbalanced" else metrics
        before, after = (correlations(own, seed)["spearman"] for seed in (seed, seed + 9))
        part = pairs(own).assign(as_published=before, corrected=after, change=after - before)
        for name, share in (("all", 1), ("gain_crossing", 0.9), ("near_ties", 1e-4)):
            changed = part.assign(change=share * part["change"])
            parts.append(changed.assign(panel=panel, correction=name))
    return pd.concat(parts[1:] or parts)


def ratios():
    minority = np.sort(np.random.default_rng(0).uniform(0.01, 0.5, 60))
    return pd.DataFrame({"minority_ratio": minority, "cumulative_share": np.arange(1, 61) / 60})


def ranked(**columns):
    tasks = pd.DataFrame({"task": "a", "all": [True], "outcome": [USED], "n_pos": 32, "n_neg": 99})
    return tasks.assign(**columns)


def draw_correlations(table=None, metrics=PAPER, **sources):
    table = correlations(metrics) if table is None else table
    tasks = ranked(**sources)
    return figures.draw_rank_correlation(table, tasks, metrics, "all", TASKS, MODELS)


def draw_regret(table=None, metrics=PAPER, panel="all"):
    table = regrets(metrics) if table is None else table
    tasks = ranked(imbalanced=True)
    return figures.draw_selection_regret(table, tasks, metrics, panel, TASKS, MODELS)


def draw_corrections(table=None, metrics=PAPER, imbalanced=IMBALANCED):
    table = corrections(metrics=metrics, imbalanced=imbalanced) if table is None else table
    return figures.draw_corrections(table, metrics, imbalanced, PANELS, MODELS)


DRAWN = {
    "all": draw_correlations,
    "imbalanced": lambda: draw_correlations(metrics=IMBALANCED),
    "regret": draw_regret,
    "corrections": draw_corrections,
    "cdf": lambda: figures.draw_minority_ratio(ratios(), MODELS),
}
EMPTY = {
    "no correlation is defined, because all models are alike": lambda: draw_correlations(
        correlations().assign(n_tasks=0)
    ),
    "at least 5 tasks are needed (here: 1)": lambda: draw_regret(
        regrets().assign(n_tasks=0), panel="imbalanced"
    ),
    "there are no tasks": lambda: draw_corrections(corrections([])),
    "there are no tasks ": lambda: figures.draw_minority_ratio(ratios()[:0], MODELS),
}


# For looking at; what changes or saves a figure draws it anew.
@functools.cache
def drawn(name):
    return DRAWN[name]()


def cells(axes, *, intervals=False):
    """Value or interval of each annotated cell by (row, column)."""
    return {
        (int(text.get_position()[1]), int(text.get_position()[0])): text.get_text()
        for text in axes.texts
        if text.get_text().startswith("[") == intervals
    }


def number(text):
    return float(text.replace("−", "-"))


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def numbered(metrics):
    return [f"{metric.label}  {i}" for i, metric in enumerate(metrics, start=1)]


def scale(axes):
    (cells,) = axes.collections
    return *cells.get_clim(), cells.cmap.name


# ------------------------------------------------------------------------------ what all have


@pytest.mark.parametrize("name", DRAWN)
def test_figures_of_ten_metrics_can_be_read_on_a_page(name):
    figure = drawn(name)
    assert_readable(figure)
    width, height = figure.get_size_inches()
    assert look.SINGLE_WIDTH <= width < 1.2 * look.FULL_WIDTH
    assert height < 9
    assert MODELS in " ".join(figure.get_suptitle().split())


def draw_large_regret(metrics):
    table = regrets(metrics)
    table.loc[1, ["mean", "p90", "largest"]] = 123.4, 456.7, 789.0  # without a lower bound
    return draw_regret(table, metrics)


def draw_two_panels(metrics):
    table = corrections(["all", "imbalanced"], metrics, metrics[:-1])
    return draw_corrections(table, metrics, metrics[:-1])


@pytest.mark.parametrize(
    ("draw", "n_metrics"),
    [
        (lambda metrics: draw_correlations(metrics=metrics), 3),
        (draw_two_panels, 3),
        (draw_large_regret, 20),
    ],
)
def test_any_number_of_metrics_can_be_read(draw, n_metrics):
    more = [Metric("precision_at_top", 0.5, {"alert_rate": k / 100}) for k in range(1, 20)]
    figure = draw([*IMBALANCED, *more][:n_metrics])
    assert_readable(figure)
    for axes in figure.axes:
        for text in axes.texts:
            assert text.get_size() >= 4.5
            in_cell = text.get_window_extent().width / axes.get_window_extent().width
            assert in_cell < 1 / len(axes.get_xticks())


@pytest.mark.parametrize("reason", EMPTY)
def test_without_enough_tasks_there_is_a_sentence(reason):
    figure = EMPTY[reason]()
    assert figure.axes == []
    *_, models, sentence = figure.get_suptitle().split("\n")
    assert (models, sentence) == (MODELS, f"Not drawn: {reason.strip()}.")
    assert len(shown_texts(figure)) == 1


# ------------------------------------------------------------------------ rank correlations


@pytest.mark.parametrize(("name", "metrics"), [("all", PAPER), ("imbalanced", IMBALANCED)])
def test_the_lower_triangle_is_annotated(name, metrics):
    values = correlations(metrics)["spearman"].to_numpy().reshape(10, 10)
    places = [(i, j) for i in range(10) for j in range(i + 1)]
    expected = {place: f"{values[place]:.2f}".replace("-", "−") for place in places}
    axes = drawn(name).axes[0]
    assert cells(axes) == expected
    assert labels(axes.yaxis) == numbered(metrics)
    assert labels(axes.xaxis) == [str(i) for i in range(1, 11)]


def test_negative_correlations_have_other_colours_than_small_ones():
    assert correlations()["spearman"].min() < -0.2
    assert scale(drawn("all").axes[0]) == (-1.0, 1.0, "RdBu")
    positive = correlations().assign(spearman=lambda table: table["spearman"].abs())
    assert scale(draw_correlations(positive).axes[0]) == (0.0, 1.0, "YlGnBu")


def test_the_title_has_the_number_of_tasks():
    table = correlations()
    table.loc[3, "n_tasks"] = 4
    title = draw_correlations(table).get_suptitle()
    sizes = "the smallest class has 32 rows, all folds together"
    assert title.endswith(f"\n4 to 5 of 7 tasks, from 4 sources; {sizes}")
    assert "\n5 of 7 tasks, from 4 sources; " in drawn("all").get_suptitle()
    many = draw_correlations(n_pos=50).get_suptitle()
    assert many.endswith("\n5 of 7 tasks, from 4 sources")


def least_alike(**of_another_pair):
    """The line of the title on the least correlated metrics, which are rows 1 and 0."""
    table = correlations().assign(spearman=0.9, low=0.8, high=0.95)
    table.loc[[10, 1], ["spearman", "low", "high"]] = 0.456, 0.3, 0.7
    table.loc[[20, 2], list(of_another_pair)] = list(of_another_pair.values())
    return draw_correlations(table).get_suptitle().split("\n")[1]


def test_the_title_names_the_least_correlated_pair_if_no_other_can_be_it():
    named = "AUC-PR and AUC-P$_c$R (π$_0$=1.01π) rank models least alike (0.46)"
    assert least_alike() == least_alike(low=0.71) == named


@pytest.mark.parametrize(
    "other", [{"low": 0.69}, {"spearman": 0.456, "low": 0.3, "high": 0.7}, {"low": np.nan}]
)
def test_the_title_names_no_pair_if_another_can_be_as_low(other):
    assert (
        least_alike(**other)
        == "Lowest correlation: 0.46 (pairs whose intervals overlap its own: 1)"
    )


def test_the_title_of_a_single_task_compares_no_intervals():
    table = correlations().assign(spearman=0.9, low=np.nan, high=np.nan)
    table.loc[[10, 1], "spearman"] = 0.456
    assert draw_correlations(table).get_suptitle().split("\n")[1] == "Lowest correlation: 0.46"


def test_cells_below_the_diagonal_have_their_interval():
    table = correlations()
    table.loc[10, ["spearman", "low", "high"]] = -0.004, -0.123, 0.789  # row 1, column 0
    table.loc[20, ["low", "high"]] = np.nan  # row 2, column 0
    table.loc[40, ["spearman", "low", "high"]] = np.nan  # row 4, column 0
    axes = draw_correlations(table.sample(frac=1, random_state=0)).axes[0]
    found = cells(axes, intervals=True)
    assert found[1, 0] == "[−0.12, 0.79]"
    below = {(row, column) for row in range(10) for column in range(row)}
    assert set(found) == below - {(2, 0), (4, 0)}
    assert (cells(axes)[1, 0], cells(axes)[4, 0]) == ("0.00", "–")


# ---------------------------------------------------------------------------------- regret


def test_regret_has_its_mean_above_and_its_90th_percentile_below():
    table = regrets()
    table.loc[1, ["mean", "median", "largest"]] = 26.166, 0.0009, 91.581
    table.loc[2, "mean"] = 0.004
    figure = draw_regret(table)
    above, below, *_ = figure.axes
    assert above.get_title() == "Mean over tasks"
    assert below.get_title() == "90th percentile over tasks"
    assert [cells(above)[0, column] for column in range(3)] == ["0", "26", "0.00"]
    for axes, column in ((above, "mean"), (below, "p90")):
        values = table[column].to_numpy().reshape(10, 10)
        texts = cells(axes)
        assert len(texts) == 100
        for place, text in texts.items():
            assert number(text) == pytest.approx(values[place], abs=0.00501, rel=0.01)
        assert axes.get_ylabel() == "model chosen by"
        assert labels(axes.yaxis) == numbered(PAPER)
    assert below.get_xlabel() == "judged by"
    assert scale(above) == scale(below)
    tasks, *finding, subtitle = figure.get_suptitle().split("\n")
    assert (tasks, subtitle) == (TASKS, f"{MODELS}, 7 tasks")
    assert " ".join(finding) == (
        "Choosing by AUC-PR loses 26 of AUC-P$_c$R (π$_0$=1.01π) on average; "
        "the median is below 0.005, and one task has 50 % of the sum"
    )
    assert "the median is 0, and" in draw_regret(table.assign(median=0.0)).get_suptitle()
    assert draw_regret(table.assign(mean=0.0)).get_suptitle() == f"{TASKS}\n{MODELS}, 7 tasks"


# ------------------------------------------------------------------------------ corrections


@pytest.mark.parametrize("row", range(3))
def test_corrections_show_the_matrix_of_the_authors_and_its_change(row):
    panel, title = list(PANELS.items())[row]
    metrics = IMBALANCED if panel == "imbalanced" else PAPER
    table = corrections().query("correction == 'all'")
    axes = drawn("corrections").axes[2 * row : 2 * row + 2]
    columns = {"as_published": "Authors' conventions", "change": "Change by the corrections"}
    for each, (column, of_column) in zip(axes, columns.items(), strict=True):
        values = table.loc[table["panel"] == panel, column].to_numpy().reshape(10, 10)
        texts = cells(each)
        assert set(texts) == {(i, j) for i in range(10) for j in range(i + 1)}
        for place, text in texts.items():
            assert number(text) == pytest.approx(values[place], abs=0.0051)
        assert each.get_title() == f"{title}\n{of_column}"
    assert labels(axes[0].yaxis) == numbered(metrics)
    assert all(labels(each.xaxis) == [str(i) for i in range(1, 11)] for each in axes)


@pytest.mark.parametrize(
    ("strongest", "words"),
    [
        ("gain_crossing", "exact axis crossings of AUC-P$_c$R Gain"),
        ("near_ties", "tying values that differ only by rounding"),
    ],
)
def test_the_title_has_the_largest_change_of_each_panel_by_the_strongest_correction(
    strongest, words
):
    table = corrections(["all", "imbalanced"])
    is_zero = (table["correction"] != strongest) & (table["correction"] != "all")
    table["change"] = table["change"].mask(is_zero, 0.0).mask(table["correction"] == strongest, 0.5)
    table.loc[table["panel"] == "imbalanced", "change"] *= -2
    title = " ".join(draw_corrections(table).get_suptitle().split())
    assert title == (
        f"Largest change of a rank correlation by {words}: 0.50 (all tasks), "
        f"1.00 (imbalanced tasks); by another correction: below 0.001 {MODELS}"
    )
    table["change"] = table["change"].mask(is_zero, 0.0123)
    assert "by another correction: 0.012\n" in draw_corrections(table).get_suptitle()


def test_small_changes_have_three_decimals():
    table = corrections(["all"])
    table["change"] /= 1000
    figure = draw_corrections(table)
    table = table[table["correction"] == "all"]
    most = 0.9 * table["change"].abs().max()
    assert f"AUC-P$_c$R Gain: {most:.3f} (all tasks)" in figure.get_suptitle()
    change = figure.axes[1]
    values = table["change"].to_numpy().reshape(10, 10)
    for place, text in cells(change).items():
        assert number(text) == pytest.approx(values[place], abs=0.00051)


# ------------------------------------------------------------------------------ distribution


def test_the_distribution_is_a_staircase():
    (axes,) = drawn("cdf").axes
    stairs, guide = axes.get_lines()
    np.testing.assert_array_equal(stairs.get_xdata(), [0, *ratios()["minority_ratio"], 0.5])
    np.testing.assert_array_equal(stairs.get_ydata(), [0, *ratios()["cumulative_share"], 1])
    assert stairs.get_drawstyle() == "steps-post"
    assert set(guide.get_xdata()) == {0.2}
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [guide.get_label()]
    above = (ratios()["minority_ratio"] > 0.2).mean()
    title = f"{100 * above:.1f} % of 60 minority ratios are above 0.2\n{MODELS}"
    assert drawn("cdf").get_suptitle() == title
