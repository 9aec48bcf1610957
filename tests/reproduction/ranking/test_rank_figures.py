"""The matrices and the distribution show what their tables hold, and all of it can be read."""

import functools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import (
    assert_all_text_is_inside,
    assert_no_texts_overlap,
    shown_texts,
)

from reproduction.core import look
from reproduction.core.metrics import Metric, read_metrics
from reproduction.core.settings import Metrics
from reproduction.ranking.figure import (
    draw_corrections,
    draw_correlations,
    draw_minority_ratio,
    draw_regret,
)

PAPER = read_metrics(Metrics().described("paper"))
IMBALANCED = read_metrics(Metrics().described("paper_imbalanced"))
TASKS, MODELS = "Tasks of the panel", "predictions of other people's models from OpenML"
TITLES = ("Before", "After")
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
    return pairs(metrics).assign(spearman=value, **limits, n_tasks=5, n_tasks_of_panel=7)


def regrets(metrics=PAPER):
    drawn = np.random.default_rng(0).exponential(0.1, (2, len(metrics) ** 2))
    drawn[:, :: len(metrics) + 1] = 0
    table = pairs(metrics, "chosen_by", "judged_by")
    return table.assign(mean=drawn[0], median=drawn[0], p90=drawn[1] + drawn[0], n_tasks=7)


METRICS = {"all": PAPER, "imbalanced": IMBALANCED, "small_prior": PAPER}


def corrections(panels=tuple(METRICS), metrics_of=METRICS):
    parts = []
    for seed, panel in enumerate(panels if metrics_of is METRICS else metrics_of):
        metrics = metrics_of[panel]
        before, after = (correlations(metrics, seed)["spearman"] for seed in (seed, seed + 9))
        part = pairs(metrics).assign(as_published=before, corrected=after, change=after - before)
        parts.append(part.assign(panel=panel, correction="all"))
    columns = ["panel", "correction", "row", "column", "as_published", "corrected", "change"]
    return pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)


def ratios():
    minority = np.sort(np.random.default_rng(0).uniform(0.01, 0.5, 60))
    share = np.arange(1, 61) / 60
    return pd.DataFrame({"name": "d", "minority_ratio": minority, "cumulative_share": share})


def empty_correlations():
    table = correlations()
    return table.assign(spearman=np.nan, low=np.nan, high=np.nan, n_tasks=0, n_tasks_of_panel=0)


DRAWN = {
    "all": lambda: draw_correlations(correlations(), PAPER, TASKS, MODELS),
    "imbalanced": lambda: draw_correlations(correlations(IMBALANCED), IMBALANCED, TASKS, MODELS),
    "small prior": lambda: draw_correlations(correlations(), PAPER, TASKS, MODELS),
    "regret": lambda: draw_regret(regrets(), PAPER, TASKS, MODELS),
    "corrections": lambda: draw_corrections(
        corrections(), PAPER, IMBALANCED, PANELS, MODELS, TITLES
    ),
    "corrections of stored scores": lambda: draw_corrections(
        corrections(["all", "imbalanced"]), PAPER, IMBALANCED, PANELS, MODELS, TITLES
    ),
    "cdf": lambda: draw_minority_ratio(ratios(), MODELS),
}
EMPTY = {
    "all": lambda: draw_correlations(empty_correlations(), PAPER, TASKS, MODELS),
    "regret": lambda: draw_regret(
        regrets().assign(mean=np.nan, p90=np.nan, n_tasks=0), PAPER, TASKS, MODELS
    ),
    "corrections": lambda: draw_corrections(
        corrections([]), PAPER, IMBALANCED, PANELS, MODELS, TITLES
    ),
    "cdf": lambda: draw_minority_ratio(ratios()[:0], MODELS),
}
MATRICES = ["all", "imbalanced", "small prior"]


# For looking at; what changes or saves a figure draws it anew.
@functools.cache
def drawn(name):
    return DRAWN[name]()


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def cells(axes):
    """Value of each annotated cell by (row, column)."""
    return texts(axes, lambda text: not text.startswith("["))


def intervals(axes):
    """Interval of each annotated cell by (row, column)."""
    return texts(axes, lambda text: text.startswith("["))


def texts(axes, is_wanted):
    return {
        (int(text.get_position()[1]), int(text.get_position()[0])): text.get_text()
        for text in axes.texts
        if is_wanted(text.get_text())
    }


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


# ------------------------------------------------------------------------------ what all have


@pytest.mark.parametrize("name", DRAWN)
def test_all_text_lies_within_the_figure(name):
    assert_all_text_is_inside(drawn(name))


@pytest.mark.parametrize("name", DRAWN)
def test_no_text_lies_on_another(name):
    assert_no_texts_overlap(drawn(name))


@pytest.mark.parametrize("name", DRAWN)
def test_figures_of_ten_metrics_fit_on_a_page(name):
    width, height = drawn(name).get_size_inches()
    assert look.SINGLE_WIDTH <= width < 1.2 * look.FULL_WIDTH
    assert height < 9


def many(n_metrics):
    """The ten metrics of imbalanced tasks and more, with long labels."""
    more = [Metric("precision_at_top", 0.5, {"alert_rate": k / 100}) for k in range(1, 20)]
    return [*IMBALANCED, *more][:n_metrics]


def draw_correlations_of(metrics):
    return draw_correlations(correlations(metrics), metrics, TASKS, MODELS)


def draw_regret_of(metrics):
    table = regrets(metrics)
    table.loc[1, ["mean", "p90"]] = 123.4, 1234.5  # AUC-PR Gain has no lower bound
    return draw_regret(table, metrics, TASKS, MODELS)


def draw_corrections_of(metrics):
    table = corrections(metrics_of={"all": metrics, "imbalanced": metrics[:-1]})
    return draw_corrections(table, metrics, metrics[:-1], PANELS, MODELS, TITLES)


@pytest.mark.parametrize("n_metrics", [3, 10, 20])
@pytest.mark.parametrize("draw", [draw_correlations_of, draw_regret_of, draw_corrections_of])
def test_any_number_of_metrics_can_be_read(draw, n_metrics):
    figure = draw(many(n_metrics))
    assert_no_texts_overlap(figure)
    assert_all_text_is_inside(figure)
    for axes in figure.axes:
        for text in axes.texts:
            assert text.get_size() >= 4.5
            in_cell = text.get_window_extent().width / axes.get_window_extent().width
            assert in_cell < 1 / len(axes.get_xticks())


@pytest.mark.parametrize("name", DRAWN)
def test_the_title_says_whose_models(name):
    assert MODELS in " ".join(drawn(name).get_suptitle().split())


@pytest.mark.parametrize("name", EMPTY)
def test_without_a_task_there_is_a_sentence(name):
    figure = EMPTY[name]()
    (axes,) = figure.axes
    (text,) = axes.texts
    assert text.get_text() == "There is no task to show here."
    assert MODELS in figure.get_suptitle()
    assert len(shown_texts(figure)) == 2


# ------------------------------------------------------------------------ rank correlations


@pytest.mark.parametrize("name", MATRICES)
def test_the_lower_triangle_is_annotated(name):
    metrics = IMBALANCED if name == "imbalanced" else PAPER
    values = correlations(metrics)["spearman"].to_numpy().reshape(10, 10)
    places = [(i, j) for i in range(10) for j in range(i + 1)]
    expected = {place: f"{values[place]:.2f}".replace("-", "−") for place in places}
    assert cells(drawn(name).axes[0]) == expected


@pytest.mark.parametrize("name", MATRICES)
def test_axes_name_the_metrics_with_their_reference_priors(name):
    metrics = IMBALANCED if name == "imbalanced" else PAPER
    axes = drawn(name).axes[0]
    expected = [metric.label for metric in metrics]
    assert labels(axes.xaxis) == labels(axes.yaxis) == expected
    assert "AUC-P$_c$R (π$_0$=10π)" in expected or name != "imbalanced"


def test_the_title_says_how_many_tasks_of_how_many():
    assert drawn("all").get_suptitle().endswith(", 5 of 7 tasks")
    table = correlations()
    table.loc[3, "n_tasks"] = 4
    figure = draw_correlations(table, PAPER, TASKS, MODELS)
    assert figure.get_suptitle().endswith(", 4 to 5 of 7 tasks")


def scale(axes):
    (cells,) = axes.collections
    return *cells.get_clim(), cells.cmap.name


def test_negative_correlations_have_other_colours_than_small_ones():
    assert correlations()["spearman"].min() < -0.2
    scales = {scale(drawn(name).axes[0]) for name in MATRICES}
    scales |= {scale(axes) for axes in drawn("corrections").axes[:2]}
    assert scales == {(-1.0, 1.0, "RdBu")}
    positive = correlations().assign(spearman=lambda table: table["spearman"].abs())
    axes = draw_correlations(positive, PAPER, TASKS, MODELS).axes[0]
    assert scale(axes) == (0.0, 1.0, "YlGnBu")


@pytest.mark.parametrize("name", [*MATRICES, "regret", "corrections"])
def test_each_scale_has_a_labelled_colour_bar(name):
    axes = drawn(name).axes
    of_cells = {scale(each)[:2] for each in axes if each.texts}
    bars = [each for each in axes if not each.texts]
    assert {tuple(bar.get_xlim()) for bar in bars} == of_cells
    assert all(bar.get_xlabel() for bar in bars)


def test_the_title_names_the_least_correlated_pair():
    table = correlations()
    table.loc[[10, 1], "spearman"] = -0.456  # rows 1 and 0
    title = draw_correlations(table, PAPER, TASKS, MODELS).get_suptitle()
    assert title.startswith(
        "Tasks of the panel: AUC-PR and AUC-P$_c$R (π$_0$=1.01π) rank models least alike (−0.46)"
    )


def test_cells_below_the_diagonal_have_their_interval():
    table = correlations()
    table.loc[10, ["spearman", "low", "high"]] = 0.5, -0.123, 0.789  # row 1, column 0
    table.loc[20, ["low", "high"]] = np.nan  # row 2, column 0
    found = intervals(draw_correlations(table, PAPER, TASKS, MODELS).axes[0])
    assert found[1, 0] == "[−0.12, 0.79]"
    below = {(row, column) for row in range(10) for column in range(row)}
    assert set(found) == below - {(2, 0)}


def test_an_undefined_cell_is_a_dash():
    table = correlations()
    table.loc[40, ["spearman", "low", "high"]] = np.nan  # row 4, column 0
    axes = draw_correlations(table, PAPER, TASKS, MODELS).axes[0]
    assert cells(axes)[4, 0] == "–"
    assert "nan" not in cells(axes).values()


def test_zero_has_no_sign():
    table = correlations()
    table.loc[10, "spearman"] = -0.004  # row 1, column 0
    assert cells(draw_correlations(table, PAPER, TASKS, MODELS).axes[0])[1, 0] == "0.00"


def test_rows_of_the_table_have_any_order():
    shuffled = correlations().sample(frac=1, random_state=0)
    axes = draw_correlations(shuffled, PAPER, TASKS, MODELS).axes[0]
    assert cells(axes) == cells(drawn("all").axes[0])


def test_few_metrics_of_ones_own():
    metrics = [Metric("roc_auc"), Metric("pr_auc", 0.1)]
    axes = draw_correlations(correlations(metrics), metrics, TASKS, MODELS).axes[0]
    assert labels(axes.xaxis) == ["AUC-ROC", "interpolated AUC-P$_c$R (π$_0$=0.1)"]


# ---------------------------------------------------------------------------------- regret


def test_regret_has_its_mean_above_and_its_90th_percentile_below():
    figure, table = drawn("regret"), regrets()
    above, below, *_ = figure.axes
    assert above.get_title() == "Mean over tasks"
    assert below.get_title() == "90th percentile over tasks"
    for axes, column in ((above, "mean"), (below, "p90")):
        values = table[column].to_numpy().reshape(10, 10)
        texts = cells(axes)
        assert len(texts) == 100
        for place, text in texts.items():
            assert float(text) == pytest.approx(values[place], abs=0.00501)
        assert axes.get_ylabel() == "model chosen by"
        assert labels(axes.yaxis) == [metric.label for metric in PAPER]
    assert below.get_xlabel() == "judged by"
    assert scale(above) == scale(below)
    assert figure.get_suptitle().endswith(", 7 tasks")


def test_large_regrets_have_fewer_digits():
    table = regrets()
    table.loc[1, "mean"] = 26.166
    table.loc[2, "mean"] = 1.234
    found = cells(draw_regret(table, PAPER, TASKS, MODELS).axes[0])
    assert (found[0, 1], found[0, 2]) == ("26", "1.23")


# ------------------------------------------------------------------------------ corrections


def test_repetitions_are_not_drawn():
    """The table may have them; they do not change the number of digits either."""
    table = corrections(["all"])
    table = table.assign(corrected=table["as_published"] + 0.01, change=0.01)
    repeated = table.assign(correction="repeated_models", change=0.9)

    def texts(table):
        figure = draw_corrections(table, PAPER, IMBALANCED, PANELS, MODELS, TITLES)
        return [[text.get_text() for text in axes.texts] for axes in figure.axes[:3]]

    assert texts(pd.concat([table, repeated])) == texts(table)


def test_corrections_have_a_row_per_panel():
    axes = drawn("corrections").axes[:9]
    titles = [each.get_title() for each in axes]
    assert titles[::3] == [
        "All tasks\nBefore",
        "Imbalanced tasks\nBefore",
        "Tasks with a small prior\nBefore",
    ]
    assert titles[1:3] == ["All tasks\nAfter", "All tasks\nChange"]


@pytest.mark.parametrize("row", range(3))
def test_corrections_show_both_matrices_and_their_difference(row):
    panel = ["all", "imbalanced", "small_prior"][row]
    table = corrections()
    part = table[(table["panel"] == panel) & (table["correction"] == "all")]
    axes = drawn("corrections").axes[3 * row : 3 * row + 3]
    for each, column in zip(axes, ("as_published", "corrected", "change"), strict=True):
        values = part[column].to_numpy().reshape(10, 10)
        texts = cells(each)
        assert set(texts) == {(i, j) for i in range(10) for j in range(i + 1)}
        for place, text in texts.items():
            found = float(text.replace("−", "-"))
            assert found == pytest.approx(values[place], abs=0.0051)


def test_small_changes_have_three_decimals():
    table = corrections(["all"])
    table["change"] /= 1000
    figure = draw_corrections(table, PAPER, IMBALANCED, PANELS, "models", TITLES)
    change = figure.axes[2]
    assert change.get_title() == "All tasks\nChange"
    values = table["change"].to_numpy().reshape(10, 10)
    for place, text in cells(change).items():
        assert float(text.replace("−", "-")) == pytest.approx(values[place], abs=0.00051)


def test_corrections_number_the_metrics_and_name_them_at_the_left():
    axes = drawn("corrections").axes
    for first, prior in ((0, "1.01π"), (3, "10π"), (6, "1.01π")):
        assert labels(axes[first].yaxis)[1] == f"AUC-P$_c$R (π$_0$={prior})  2"
    for each in axes[6:9]:
        assert labels(each.xaxis) == [str(number) for number in range(1, 11)]


# ------------------------------------------------------------------------------ distribution


def test_the_distribution_is_a_staircase():
    (axes,) = drawn("cdf").axes
    stairs, guide = axes.get_lines()
    np.testing.assert_array_equal(stairs.get_xdata(), [0, *ratios()["minority_ratio"], 0.5])
    np.testing.assert_array_equal(stairs.get_ydata(), [0, *ratios()["cumulative_share"], 1])
    assert stairs.get_drawstyle() == "steps-post"
    assert set(guide.get_xdata()) == {0.2}
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [guide.get_label()]
    assert axes.get_xlim() == (0, 0.5)


@pytest.mark.parametrize(
    ("minority", "share"), [([0.1, 0.2, 0.3, 0.4], "50.0%"), ([0.3], "100.0%"), ([0.1], "0.0%")]
)
def test_the_title_gives_the_share_above_the_guide(minority, share):
    n = len(minority)
    table = pd.DataFrame(
        {"name": "d", "minority_ratio": minority, "cumulative_share": np.arange(1, n + 1) / n}
    )
    title = draw_minority_ratio(table, MODELS).get_suptitle()
    assert title == f"{share} of {n} datasets have a minority ratio above 0.2\n{MODELS}"
