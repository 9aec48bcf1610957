"""Every figure shows what its table holds, and all of it can be read."""

import functools
from dataclasses import dataclass

import matplotlib as mpl
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
from matplotlib.figure import Figure

from calibrated_metrics import ConfusionCurve
from reproduction.fraud.fraud_data import FraudData
from reproduction.experiments import fraud_prior_sweep, heuristic, kl_sweep, pi_sweep
from reproduction.figures import (
    fig4_pi_sweep,
    fig5_kl_sweep,
    fig6_heuristic_vs_formula,
    figA7_fraud_prior_sweep,
    style,
)
from reproduction.core.panels import mean_and_population
from reproduction.core.metrics import Metric, TimesPrior
from reproduction.settings import (
    Config,
    FraudPriorSweep,
    Heuristic,
    KlSweep,
    PiSweep,
    read_metrics,
)

SWEEP = tuple(read_metrics(Config().metrics_of("pi_sweep")))
MORE = (  # a fourth family, three calibrated ones in a family, a long label
    *SWEEP,
    Metric("achievable_pr_auc"),
    Metric("achievable_pr_auc", TimesPrior(1.01)),
    Metric("achievable_pr_auc", 0.5),
    Metric("achievable_pr_auc", 0.25),
)
SIMULATED = FraudData("simulated", "simulated card transactions", True, 9, 1, "", None)


@functools.cache
def curve():
    rng = np.random.default_rng(0)
    y_score = rng.beta(0.05, 1.5, 4000)
    return ConfusionCurve.from_predictions(rng.random(4000) < y_score, y_score)


def by_keys(table):
    """Metrics hash by their options, which no dictionary does: remember tables by the keys."""
    tables = {}

    @functools.wraps(table)
    def remembered(metrics=SWEEP):
        keys = tuple(metric.key for metric in metrics)
        if keys not in tables:
            tables[keys] = table(metrics)
        return tables[keys]

    return remembered


@by_keys
def pi_table(metrics):
    settings = PiSweep(n_samples=2000, priors=[0.002, 0.02, 0.2, 0.5])
    return pi_sweep.run(settings, metrics, seed=0, runs=range(3))


@by_keys
def kl_table(metrics):
    settings = KlSweep(n_samples=2000, mu0=[0.0, 0.5, 1.5, 2.0], lowest_prior=0.05)
    return kl_sweep.run(settings, metrics, seed=0, runs=range(3))


@by_keys
def fraud_table(metrics):
    return fraud_prior_sweep.run(
        FraudPriorSweep(n_priors=4), metrics, curve(), seed=0, runs=range(3)
    )


def draw_fraud_sweep(table, metrics, data):
    settings = FraudPriorSweep(n_priors=4)
    intervals = fraud_prior_sweep.intervals(settings, metrics, curve(), seed=0)
    return figA7_fraud_prior_sweep.draw(table, intervals, metrics, data)


@functools.cache
def heuristic_table():
    return heuristic.run(Heuristic(n_runs=200, n_priors=5), curve(), seed=0)


@dataclass(frozen=True)
class Sweep:
    """A figure with a panel per family of metrics."""

    name: str
    table: object
    draw: object
    x: str
    label: str
    log: bool
    population: bool
    title: str | None = None

    def __call__(self, metrics=SWEEP, table=None):
        table = self.table(metrics) if table is None else table
        titles = [] if self.title is None else [self.title]
        return self.draw(table, metrics, *titles)


SWEEPS = [
    Sweep("fig4", pi_table, fig4_pi_sweep.draw, "prior", "class prior π", True, True),
    Sweep("fig5", kl_table, fig5_kl_sweep.draw, "kl", "KL divergence", False, True),
    Sweep(
        "figA7",
        fraud_table,
        draw_fraud_sweep,
        "prior",
        "class prior π",
        True,
        False,
        SIMULATED,
    ),
]
DRAWN = {sweep.name: sweep for sweep in SWEEPS}
DRAWN["fig6"] = lambda: fig6_heuristic_vs_formula.draw(heuristic_table(), SIMULATED)
EVERY = [*DRAWN, "fig4 more", "fig5 more", "figA7 more"]


def drawn_anew(name):
    figure, _, more = name.partition(" ")
    return DRAWN[figure](MORE) if more else DRAWN[figure]()


# For looking at; what changes or saves a figure draws it anew.
drawn = functools.cache(drawn_anew)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(params=SWEEPS, ids=lambda sweep: sweep.name)
def sweep(request):
    return request.param


def panels(figure):
    return [axes for axes in figure.axes if axes.get_title()]


def legend_entries(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def lines_like(axes, look):
    """Lines of this colour, without the dotted limits of intervals."""
    return [
        line
        for line in axes.get_lines()
        if line.get_color() == look["color"]
        and len(line.get_xdata()) > 1
        and line.get_linestyle() != ":"
    ]


# -------------------------------------------------------------------------- what all have


@pytest.mark.parametrize("name", EVERY)
def test_all_text_lies_within_the_figure(name):
    assert_all_text_is_inside(drawn(name))


@pytest.mark.parametrize("name", EVERY)
def test_no_text_lies_on_another(name):
    assert_no_texts_overlap(drawn(name))


@pytest.mark.parametrize("name", EVERY)
def test_all_data_lie_within_the_axes(name):
    figure = drawn(name)
    settle(figure)
    for axes in figure.axes:
        low, high = sorted(axes.get_ylim())
        left, right = sorted(axes.get_xlim())
        for line in axes.get_lines():
            if line.get_transform() == axes.transData:
                x, y = line.get_data()
                assert np.all((np.asarray(x) >= left) & (np.asarray(x) <= right)), line
                assert np.all((np.asarray(y) >= low) & (np.asarray(y) <= high)), line


def numbers_along(axes):
    """Numbers that are drawn at the lower axis."""
    settle(axes.figure)
    low, high = sorted(axes.get_xlim())
    ticks = axes.xaxis.get_major_ticks()
    labels = [tick.label1 for tick in ticks if low <= tick.get_loc() <= high]
    return [label.get_text() for label in labels if label.get_visible() and label.get_text()]


@pytest.mark.parametrize("name", EVERY)
def test_every_axis_has_numbers(name):
    for axes in drawn(name).axes:
        if axes.get_xlabel():  # the upper one of two has those of the lower
            assert len(numbers_along(axes)) >= 2


def test_a_narrow_range_of_priors_has_numbers_too():
    settings = PiSweep(n_samples=2000, priors=[0.2, 0.25, 0.3])
    table = pi_sweep.run(settings, SWEEP, seed=0, runs=range(2))
    for axes in panels(fig4_pi_sweep.draw(table, SWEEP)):
        assert len(numbers_along(axes)) >= 2


@pytest.mark.parametrize("name", EVERY)
def test_figures_are_as_wide_as_a_page_or_a_column(name):
    width, height = drawn(name).get_size_inches()
    assert width in (style.SINGLE_WIDTH, style.FULL_WIDTH)
    assert height < 9


@pytest.mark.parametrize(
    ("name", "suffixes"),
    [
        ("fig4", ["svg"]),
        ("fig5", ["pdf", "png", "svg"]),
        ("fig6", ["pdf", "png", "svg"]),
        ("figA7", ["svg"]),
    ],
)
def test_a_figure_drawn_again_is_the_same_whatever_the_users_settings(name, suffixes, tmp_path):
    draw = functools.partial(drawn_anew, name)
    assert_same_files_whatever_the_users_settings(draw, tmp_path, suffixes)


# ---------------------------------------------------------------------- a panel per metric


def test_a_figure_has_a_panel_per_family(sweep):
    figure = drawn(sweep.name)
    assert isinstance(figure, Figure)
    assert [axes.get_title() for axes in panels(figure)] == [
        "AUC-PR",
        "AUC-PR Gain",
        "F1 (threshold 0.5)",
    ]


def test_axes_are_labelled(sweep):
    for axes in panels(drawn(sweep.name)):
        assert axes.get_xlabel().startswith(sweep.label)
        assert axes.get_xscale() == ("log" if sweep.log else "linear")
        assert axes.get_yscale() == "linear"


def test_one_legend_names_what_the_panels_share(sweep):
    means = ["population value", "95 % band of the mean"]
    others = means if sweep.population else ["95 % interval from all data"]
    figure = drawn(sweep.name)
    assert legend_entries(figure) == ["ordinary metric", "calibrated, π$_0$=0.5", *others]
    assert all(axes.get_legend() is None for axes in figure.axes)


def test_the_entry_of_the_bands_has_their_colours():
    entries = mean_and_population(SWEEP)
    colours = [patch.get_facecolor()[:3] for patch in entries["95 % band of the mean"]]
    looks = (style.ORDINARY, style.CALIBRATED[0])
    assert colours == [mpl.colors.to_rgb(look["color"]) for look in looks]


def test_lines_are_means_over_the_runs(sweep):
    table = sweep.table()
    looks = [style.ORDINARY, style.CALIBRATED[0]]
    for index, axes in enumerate(panels(drawn(sweep.name))):
        for metric, look in zip(SWEEP[2 * index : 2 * index + 2], looks, strict=True):
            means = table[table["metric"] == metric.key].groupby(sweep.x)["value"].mean()
            (line,) = lines_like(axes, look)
            np.testing.assert_allclose(line.get_xdata(), means.index)
            np.testing.assert_allclose(line.get_ydata(), means)


def test_every_line_has_a_band(sweep):
    for axes in panels(drawn(sweep.name)):
        assert len(axes.collections) == 2


def test_bands_of_draws_are_one_standard_deviation():
    table = fraud_table()
    axes = panels(drawn("figA7"))[0]
    values = table[table["metric"] == "average_precision"].groupby("prior")["value"]
    vertices = axes.collections[0].get_paths()[0].vertices
    for prior, spread in values.std().items():
        at_prior = vertices[np.isclose(vertices[:, 0], prior), 1]
        assert np.ptp(at_prior) == pytest.approx(2 * spread, abs=1e-12)


def test_population_values_are_a_thin_black_line(sweep):
    table = sweep.table()
    for index, axes in enumerate(panels(drawn(sweep.name))):
        lines = lines_like(axes, style.POPULATION)
        assert len(lines) == (2 if sweep.population else 0)
        for metric, line in zip(SWEEP[2 * index :], lines, strict=False):
            values = table[table["metric"] == metric.key].groupby(sweep.x)["population"].mean()
            np.testing.assert_allclose(line.get_ydata(), values)
            assert line.get_linewidth() < 1


def test_a_fourth_family_gives_a_second_row(sweep):
    figure = drawn(f"{sweep.name} more")
    tops = [axes.get_subplotspec().rowspan.start for axes in panels(figure)]
    assert tops == [0, 0, 0, 1]
    assert figure.get_figheight() > 1.5 * drawn(sweep.name).get_figheight()
    last = panels(figure)[-1]
    assert last.get_title() == "achievable AUC-PR"
    priors = ["π$_0$=0.5", "π$_0$=1.01π", "π$_0$=0.25"]
    entries = ["ordinary metric", *(f"calibrated, {prior}" for prior in priors)]
    assert legend_entries(figure)[:4] == entries


def test_members_of_a_family_look_different(sweep):
    last = panels(drawn(f"{sweep.name} more"))[-1]
    lines = [
        line
        for line in last.get_lines()
        if len(line.get_xdata()) > 1 and line.get_marker() != "None"
    ]
    for look in ("get_color", "get_linestyle", "get_marker"):
        assert len({getattr(line, look)() for line in lines[:4]}) >= 3
    assert len({(line.get_color(), line.get_marker()) for line in lines[:4]}) == 4


@pytest.mark.parametrize("more", ["", " more"])
def test_the_legend_stands_clear_of_the_axis_label(sweep, more):
    figure = drawn(sweep.name + more)
    settle(figure)
    first, *_ = figure.legends[0].get_texts()
    for axes in panels(figure):
        label = axes.xaxis.label.get_window_extent()
        gap = (label.y0 - first.get_window_extent().y1) * 72 / figure.dpi
        assert gap > 2, f"{gap:.1f} points"  # a third of the height of a letter


def test_one_metric_is_one_panel(sweep):
    (axes,) = panels(sweep([Metric("roc_auc")]))
    assert axes.get_title() == "AUC-ROC"


def test_a_metric_with_only_calibrated_forms_is_drawn(sweep):
    metrics = [Metric("average_precision", pi0) for pi0 in (0.1, 0.5)]
    entries = legend_entries(sweep(metrics))
    assert entries[:2] == ["calibrated, π$_0$=0.1", "calibrated, π$_0$=0.5"]


def test_values_outside_0_and_1_are_shown(sweep):
    """A score of one's own has any range, and AUC-PR Gain goes below 0."""
    metrics = [Metric("roc_auc")]
    table = sweep.table(metrics)
    for factor, shift in ((3.0, 0.0), (1.0, -1.0)):
        columns = table.columns.intersection(["value", "population"])
        changed = table.assign(**{name: factor * table[name] + shift for name in columns})
        (axes,) = panels(sweep(metrics, changed))
        low, high = axes.get_ylim()
        assert low <= changed["value"].min()
        assert changed["value"].max() <= high


def test_figure_5_has_the_squared_distance_above():
    axes = panels(drawn("fig5"))[0]
    settle(axes.figure)
    (upper,) = axes.child_axes
    assert upper.get_xlabel() == "(μ$_1$ − μ$_0$)²"
    assert upper.get_xlim()[1] == pytest.approx(2 * axes.get_xlim()[1])


@pytest.mark.parametrize("name", ["figA7", "fig6"])
def test_figures_on_fraud_data_say_which(name):
    title = drawn(name).get_suptitle()
    assert title.endswith(SIMULATED.title)
    assert "simulated" in title


# ------------------------------------------------------------------------------- Figure 6


@pytest.fixture
def comparison():
    return heuristic_table()


def test_figure_6_has_areas_above_and_gaps_below():
    top, bottom = drawn("fig6").axes
    assert top.get_ylabel() == "AUC-P$_c$R"
    assert bottom.get_ylabel() == "(mean − closed\nform) / SD"
    assert bottom.get_xlabel() == "reference prior π$_0$"
    assert top.get_xscale() == bottom.get_xscale() == "log"
    assert top.get_xlim() == bottom.get_xlim()


def test_figure_6_legends():
    top, _ = drawn("fig6").axes
    entries = sorted(text.get_text() for text in top.get_legend().get_texts())
    assert entries == ["95 % interval (closed form)", "closed form", "undersampling, mean ± SD"]
    assert legend_entries(top.figure) == ["exact expectation", "mean, with 95 % interval"]


def test_figure_6_shows_means_with_their_deviations(comparison):
    top, _ = drawn("fig6").axes
    (bars,) = [each for each in top.containers if isinstance(each, ErrorbarContainer)]
    points, _, (stems,) = bars
    np.testing.assert_allclose(points.get_ydata().astype(float), comparison["mean"])
    lengths = [np.ptp(segment[:, 1]) for segment in stems.get_segments()]
    np.testing.assert_allclose(lengths, 2 * comparison["sd"], atol=1e-12)


def test_figure_6_shows_gaps_in_standard_deviations(comparison):
    _, bottom = drawn("fig6").axes
    random = comparison.iloc[1:]
    lines = [
        line
        for line in bottom.get_lines()
        if len(line.get_xdata()) == len(random) and line.get_marker() not in ("_", 2, 3)
    ]
    shown = {line.get_color(): np.asarray(line.get_ydata(), dtype=float) for line in lines}
    gap = random[["mean", "expected"]].sub(random["closed_form"], axis=0)
    for color, name in ((style.UNDERSAMPLED["color"], "mean"), ("black", "expected")):
        np.testing.assert_allclose(shown[color], gap[name] / random["sd"])


def test_gaps_of_figure_6_have_intervals_of_the_mean():
    _, bottom = drawn("fig6").axes
    (bars,) = [each for each in bottom.containers if isinstance(each, ErrorbarContainer)]
    (stems,) = bars[2]
    lengths = [np.ptp(segment[:, 1]) for segment in stems.get_segments()]
    np.testing.assert_allclose(lengths, 2 * 1.96 / np.sqrt(200))


@pytest.mark.parametrize("n_runs", [20, 50, 1000])
def test_no_gap_of_figure_6_is_cut_off(n_runs):
    """The mean of few draws scatters by more: 1 / √n standard deviations."""
    table = pd.DataFrame(
        {
            "pi0": [0.01, 0.05, 0.2, 0.5],
            "n_pos": 100,
            "n_neg_kept": [9900, 1900, 400, 100],
            "n_runs": n_runs,
            "closed_form": [0.6, 0.7, 0.8, 0.9],
            "sd": [0.0, 0.02, 0.02, 0.02],
            "low": [0.5, 0.6, 0.7, 0.8],
            "high": [0.7, 0.8, 0.9, 0.95],
        }
    )
    gap = np.array([0.0, 3.0, -3.0, 1.0]) / np.sqrt(n_runs)
    close, far = table["closed_form"], table["closed_form"] + gap * table["sd"]
    for mean, expected in ((far, close), (close, far)):
        drawn = table.assign(mean=mean, expected=expected)
        _, bottom = fig6_heuristic_vs_formula.draw(drawn, SIMULATED).axes
        low, high = bottom.get_ylim()
        assert low <= gap.min()
        assert gap.max() <= high
