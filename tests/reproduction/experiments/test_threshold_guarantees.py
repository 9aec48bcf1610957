"""Simulated samples of known populations: rates, judgements and shares of misses."""

import numpy as np
import pandas as pd
import pytest

from reproduction.experiments import threshold_guarantees
from reproduction.experiments.threshold_guarantees import (
    ORDINARY,
    PLATEAUS,
    Binormal,
    Cell,
    Plateau,
)

PLATEAU = Cell(0.3, 1.0, ratio=0.999)


@pytest.mark.parametrize(
    "population", [Binormal(2.0), Plateau(40.0, 0.97, 0.0), Plateau(4.0, 0.999, 0.2)]
)
def test_samples_have_the_rates_of_the_population(population):
    n_pos = n_neg = 40_000
    scores = population.sample(n_pos, n_neg, np.random.default_rng(0))
    for threshold in np.quantile(scores, [0.01, 0.2, 0.5, 0.8, 0.99]):
        counted = scores >= threshold
        expected = population.rates(threshold)
        assert counted[:n_pos].mean() == pytest.approx(expected[0], abs=0.01)
        assert counted[n_pos:].mean() == pytest.approx(expected[1], abs=0.01)


def test_a_plateau_is_just_below_the_required_odds_after_its_head():
    population = Plateau(odds=40.0, ratio=0.999, head=0.1)
    odds = {fpr: np.divide(*population.rates(-fpr)) for fpr in (1e-5, 8e-4, 0.003, 0.01, 0.02)}
    assert odds[1e-5] == odds[8e-4] == pytest.approx(120)
    assert odds[0.003] == odds[0.01] == odds[0.02] == pytest.approx(0.999 * 40)


def test_no_row_depends_on_the_other_runs():
    cells, sizes = (ORDINARY[1], PLATEAU), (20, 30)
    together = threshold_guarantees.run(cells, sizes, seed=3, runs=range(3))
    alone = [threshold_guarantees.run(cells, sizes, seed=3, runs=[run]) for run in range(3)]
    pd.testing.assert_frame_equal(together, pd.concat(alone, ignore_index=True))
    assert not together.duplicated(["data", "goal", "prior", "method", "n_pos", "run"]).any()


def test_misses_are_those_of_the_population():
    """The chosen threshold of each kind is judged by the population's rates."""
    rows = threshold_guarantees.run(ORDINARY[1:2], (150,), seed=0, runs=range(20))
    found = rows[rows["found"]]
    precision = found[found["goal"].str.startswith("precision")]
    # A threshold that misses the precision is looser than the best one, and the other way round.
    np.testing.assert_array_equal(precision["missed"], precision["relative"] > 1)
    recall = found[found["goal"].str.startswith("recall")]
    np.testing.assert_array_equal(recall["missed"], recall["relative"] > 1)
    known = found["goal"].str.startswith("alert") & (found["prior"] == "known")
    np.testing.assert_array_equal(found[known]["missed"], found[known]["relative"] > 1)
    assert (rows[~rows["found"]]["relative"] == 0).all()


def test_certified_thresholds_keep_their_guarantee_where_others_fail():
    rows = threshold_guarantees.run((PLATEAU,), (60,), seed=0, runs=range(100))
    table = threshold_guarantees.summary([rows])
    assert set(table["n_runs"]) == {100}
    certified = ~table["method"].isin(["empirical", "pointwise"]) & (
        table["prior"] != "estimate taken as known"
    )
    allowed = 0.1 + 2 * np.sqrt(0.1 * 0.9 / 100)
    assert (table[certified]["missed"] <= allowed).all()
    by_method = table[table["prior"] == "known"].set_index("method")["missed"]
    assert by_method["empirical"] > 0.9
    assert by_method["pointwise"] > 0.25


def test_the_summary_counts_runs():
    rows = pd.DataFrame(
        {
            "data": "binormal",
            "goal": "precision >= 0.3",
            "pi0": 0.01,
            "prior": "known",
            "method": ["fixed_sequence"] * 4 + ["empirical"] * 4,
            "n_pos": 60,
            "n_neg": 6000,
            "run": [0, 1, 2, 3] * 2,
            "found": [True, True, False, True] + [True] * 4,
            "missed": [True, False, False, False] + [True] * 4,
            "relative": [1.1, 0.5, 0.0, 0.4] + [1.2] * 4,
        }
    )
    table = threshold_guarantees.summary([rows]).set_index("method")
    assert table["missed"].tolist() == [0.25, 1.0]
    assert table["standard_error"].tolist() == [pytest.approx((0.25 * 0.75 / 4) ** 0.5), 0.0]
    assert table["nothing_found"].tolist() == [0.25, 0.0]
    assert table["relative"].tolist() == pytest.approx([0.5, 1.2])


def test_cells_have_names_of_their_own():
    names = {str(cell.population(odds=1.0)) for cell in ORDINARY + PLATEAUS}
    assert len(names) == 5
    assert "plateau at 0.999 of the odds after a head of recall 0.1" in names
