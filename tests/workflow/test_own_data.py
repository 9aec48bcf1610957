"""Runs on a user's own labels and scores: they end well, and no claim judges them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from reproduction.core import claims, settings
from reproduction.core.metrics import read_metrics
from reproduction.fraud import data, experiment
from reproduction.fraud import figure as of_fraud
from reproduction.monitoring import experiment as monitoring
from reproduction.monitoring import figure as of_monitoring
from reproduction.monitoring import stream

ROOT = Path(__file__).parents[2]
OVERLAY = yaml.safe_load((ROOT / "config/own-data.yaml").read_text("utf-8"))
SMALL = {"n_runs": 5, "n_priors": 3}


def scored(n_pos, path):
    """Rows with times of half a year, as Excel writes them; the scores are in percent."""
    rng = np.random.default_rng(n_pos)
    n = 20 * n_pos
    y_true = np.arange(n) % 20 == 0
    y_score = 100 / (1 + np.exp(1 - rng.normal(2.0 * y_true)))
    when = pd.Timestamp("2024-01-01", tz="CET") + pd.to_timedelta(rng.uniform(0, 180, n), unit="D")
    label = np.where(y_true, "betrügt", "zahlt")
    table = pd.DataFrame({"y_true": label, "y_score": y_score, "when": when})
    table.to_csv(path, index=False, sep=";", decimal=",", encoding="cp1252")


AS_IN_EXCEL = {"decimal": ",", "encoding": "cp1252", "pos_label": "betrügt"}


def overlay(path):
    """The overlay for own data, at a small size."""
    small = {"path": path, "heuristic": SMALL, "prior_sweep": SMALL}
    dates = {"path": path, "columns": {"period": "when"}, "period": "M", "n_bootstrap": 10}
    return {
        **OVERLAY,
        "fraud": {**OVERLAY["fraud"], **small, **AS_IN_EXCEL},
        "monitoring": {**OVERLAY["monitoring"], **dates, **AS_IN_EXCEL},
    }


def test_fifteen_positives_end_well(project):
    scored(15, project.folder / "scores.csv")

    outcome = project.run(overlays=(), settings=overlay("scores.csv")).succeeded()

    assert {"fraud", "monitoring", "report"} <= outcome.jobs.keys()
    assert not {"pi_sweep", "ranking_predictions"} & outcome.jobs.keys()
    results = project.folder / "results/own-data"
    table = pd.read_csv(results / "tables/paper_vs_ours.csv")
    assert set(table["verdict"]) == {"not checked"}
    assert set(table["reason"]) == {"the data are your own"}
    figures = {path.stem for path in (results / "figures").iterdir()}
    assert figures == set(table["figure"])
    drawn = (results / "figures/figA7_fraud_prior_sweep.svg").read_text("utf-8")
    assert "without F1: its scores are not probabilities" in drawn
    assert "Main claims" not in (results / "report.html").read_text("utf-8")


def test_four_hundred_positives_end_well(tmp_path):
    path = str(tmp_path / "scores.csv")
    scored(400, path)
    chosen = settings.load(overlay(path))
    metrics = read_metrics(chosen.metrics.described("sweep"))

    predictions, described = data.scores(path, **chosen.fraud.arguments())
    options = {
        "of_heuristic": chosen.fraud.heuristic.model_dump(),
        "of_prior_sweep": chosen.fraud.prior_sweep.model_dump(exclude={"metrics"}),
        "of_curves": chosen.fraud.curves.model_dump(),
    }
    with pytest.warns(UserWarning, match="are not probabilities"):
        heuristic, _, sweep, intervals, curves = experiment.run(
            predictions, metrics, **options, seed=1
        )
    of_fraud.draw_heuristic(heuristic, described)
    of_fraud.draw_curves(curves, described)
    of_fraud.draw_prior_sweep(sweep, intervals, metrics, described)

    rows = stream.own(path, **chosen.monitoring.of_stream(seed=1))
    with pytest.warns(UserWarning, match="are not probabilities"):
        tables = monitoring.run(rows, metrics=metrics, **chosen.monitoring.of_tables(), seed=1)
    assert tables.by_period["period"].unique().tolist() == [f"2024-0{i}" for i in range(1, 7)]
    values, differences, trends, changes = tables
    of_monitoring.draw_weeks(values, path)
    of_monitoring.draw_scenarios(values, trends, differences, path)
    of_monitoring.draw_changes(changes, values, path)
    for room in chosen.rooms():
        judged = claims.judge({}, room, {}, is_own=chosen.is_own(room))
        assert judged["expected"].all()


def test_more_positives_than_half_are_refused_with_the_cure(tmp_path):
    predictions = pd.DataFrame({"y_true": [1, 1, 0], "y_score": [0.9, 0.4, 0.1]})
    grid = {"n_runs": 2, "n_priors": 2, "highest_prior": 0.5}
    options = {"of_heuristic": grid, "of_prior_sweep": grid, "of_curves": {"pi0": 0.5}}
    with pytest.raises(
        ValueError, match=r"prior of the data is 0\.667.*set fraud\.heuristic\.high"
    ):
        experiment.run(predictions, [], **options, seed=0)
