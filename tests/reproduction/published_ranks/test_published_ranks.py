"""Figure 7 as printed: the ranks of the authors' scores, the correlations, and the picture."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_readable
from scipy.stats import spearmanr

from reproduction.core.metrics import read_metrics
from reproduction.core.settings import Metrics
from reproduction.published_ranks import experiment, figure, make_ranks

DATA = Path(__file__).parents[3] / "../shared/data"
needs_stored_scores = pytest.mark.skipif(not DATA.exists(), reason="no stored scores here")
PANELS = ("all", "imbalanced")


@pytest.fixture(scope="module")
def result():
    names = ("paper", "paper_imbalanced")
    return experiment.run(*(read_metrics(Metrics().described(name)) for name in names))


@pytest.mark.parametrize("panel", range(2))
def test_all_printed_correlations_are_met(result, panel):
    table = result[panel].dropna(subset="printed")
    assert len(table) == 45
    assert (abs(table["spearman"] - table["printed"]) < 0.005).all()
    rounded = [float(f"{value:.2g}") for value in table["spearman"]]
    assert rounded == table["printed"].tolist()


def test_models_of_each_panel(result):
    models = result[2].drop(columns="mean_correlation")
    assert models.to_numpy().tolist() == [
        ["all", 602, 18_060, 1520, 283],
        ["imbalanced", 5, 150, 0, 64],
    ]


def test_an_undefined_correlation_counts_as_1_or_is_left_out_with_models_of_zeros():
    rng = np.random.default_rng(0)
    scores = rng.random((4, 9, 2))
    scores[1, :, 0] = 0.5
    scores[2, :3] = 0
    scores[3] = 0
    made = make_ranks.arrays("all", np.dstack([scores, np.zeros((4, 9, 8))]))
    zeroed = experiment._mask(made["all_zeroed"], (4, 9))
    np.testing.assert_array_equal(zeroed, (scores == 0).all(axis=-1))
    metrics = read_metrics(Metrics().described("paper"))
    table = experiment._correlations(made["all"], zeroed, metrics, "all")
    first, third = (spearmanr(*scores[task].T).statistic for task in (0, 2))
    cell = table.set_index(["row", "column"]).loc[(metrics[0].key, metrics[1].key)]
    assert cell["spearman"] == pytest.approx((first + 1 + third + 1) / 4)
    kept = spearmanr(*scores[2, 3:].T).statistic
    assert cell["corrected"] == pytest.approx((first + kept) / 2)


@needs_stored_scores
@pytest.mark.parametrize("panel", PANELS)
def test_the_ranks_follow_from_the_stored_scores(result, panel):
    table = pd.read_parquet(DATA / f"published_scores_{panel}.parquet")
    scores = table.sort_values(["task", "model"]).drop(columns=["task", "model"]).to_numpy()
    made = make_ranks.arrays(panel, scores.reshape(-1, 30, 10))
    with np.load(experiment.RANKS) as stored:
        assert {name for name in stored if name.startswith(panel)} == set(made)
        for name, values in made.items():
            np.testing.assert_array_equal(stored[name], values, strict=True)
    expected = pd.read_csv(DATA / f"published_fig7_{panel}.csv", index_col=0).to_numpy()
    found = result[PANELS.index(panel)]["spearman"].to_numpy().reshape(10, 10)
    np.testing.assert_array_equal(found.round(4), expected)


def test_another_pickle_is_not_opened(tmp_path):
    (tmp_path / "own.pkl").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    with pytest.raises(SystemExit, match=r"own\.pkl: not the authors' file: its SHA-256 is"):
        make_ranks._read(str(tmp_path / "own.pkl"), "all")


def small_texts(drawn):
    """Our value of each cell and its colour."""
    return {
        (int(text.get_position()[1]), int(text.get_position()[0])): text
        for text in drawn.axes[0].texts
        if text.get_size() < 6
    }


@pytest.mark.parametrize("panel", PANELS)
def test_each_cell_has_the_printed_value_and_ours(result, panel):
    table = result[PANELS.index(panel)]
    drawn = figure.draw(table, result[2], panel, "Some tasks")
    assert_readable(drawn)
    assert drawn.get_suptitle().startswith("Some tasks: 45 of 45 printed correlations (large)")
    large = [text.get_text() for text in drawn.axes[0].texts if text.get_size() > 6]
    printed = table["printed"].to_numpy().reshape(10, 10)
    for row, column in np.argwhere(~np.isnan(printed)):
        text = f"{printed[row, column]:.2g}"
        assert (large[10 * row + column], large[10 * column + row]) == (text, text)
    ours = table["spearman"].to_numpy().reshape(10, 10)
    for place, text in small_texts(drawn).items():
        assert text.get_text() == f"{ours[place]:.4f}"
        assert text.get_color() != "red"


def test_a_value_that_rounds_to_another_is_red_and_not_counted(result):
    table = result[0].copy()
    table.loc[[10, 1], "spearman"] = 0.9  # rows 1 and 0
    drawn = figure.draw(table, result[2], "all", "Some tasks")
    red = [place for place, text in small_texts(drawn).items() if text.get_color() == "red"]
    assert red == [(0, 1), (1, 0)]
    assert "44 of 45" in drawn.get_suptitle()
