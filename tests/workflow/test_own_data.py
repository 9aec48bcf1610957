"""Runs on a user's own labels and scores: they end well, and no claim judges them."""

from pathlib import Path

import matplotlib.pyplot as plt
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
    dates = {"path": path, "columns": {"period": "when"}, "period": "M"}
    return {
        **OVERLAY,
        "fraud": {**OVERLAY["fraud"], **small},
        "monitoring": {**OVERLAY["monitoring"], **dates},
        "own_files": AS_IN_EXCEL,
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
    (project.folder / "scores.csv").touch()
    assert not project.would_run(overlays=(), settings=overlay("scores.csv"))


def drawn(path, settings_of_user):
    """All tables and figures of a user's file."""
    chosen = settings.load(settings_of_user)
    metrics = read_metrics(chosen.metrics.described("sweep"))
    written = chosen.own_files.model_dump()

    predictions, described = data.scores(path, **chosen.fraud.arguments("resources"), **written)
    options = {
        "of_heuristic": chosen.fraud.heuristic.model_dump(),
        "of_prior_sweep": chosen.fraud.prior_sweep.model_dump(exclude={"metrics"}),
        "of_curves": chosen.fraud.curves.model_dump(),
    }
    heuristic, _, sweep, intervals, curves = experiment.run(predictions, metrics, **options, seed=1)
    figures = [
        of_fraud.draw_heuristic(heuristic, described),
        of_fraud.draw_curves(curves, described),
        of_fraud.draw_prior_sweep(sweep, intervals, metrics, described),
    ]
    rows = stream.own(path, **chosen.monitoring.of_stream(seed=1), **written)
    tables = monitoring.run(rows, **chosen.monitoring.of_tables(), seed=1)
    values, differences, trends, changes = tables
    figures += [
        of_monitoring.draw_weeks(values, trends, path),
        of_monitoring.draw_scenarios(values, trends, differences, path),
        of_monitoring.draw_changes(changes, values, path),
    ]
    for room in chosen.rooms():
        judged = claims.judge({}, room, {}, is_own=chosen.is_own(room))
        assert judged["expected"].all()
    return figures, tables


@pytest.mark.filterwarnings("ignore:.* are not probabilities")
def test_four_hundred_positives_end_well(tmp_path):
    path = str(tmp_path / "scores.csv")
    scored(400, path)
    figures, tables = drawn(path, overlay(path))
    assert len(figures) == 6
    plt.close("all")
    assert tables.by_period["period"].unique().tolist() == [f"2024-0{i}" for i in range(1, 7)]


ODD = {
    "perfect": lambda table: table.assign(y_score=0.1 + 0.8 * table["y_true"]),
    "constant": lambda table: table.assign(y_score=0.3),
    "two scores": lambda table: table.assign(y_score=(table["y_score"] > 0.4) * 1),
    "one class": lambda table: table.assign(y_true=table["y_true"].where(table["month"] != 3, 0)),
    "two periods": lambda table: table.assign(y_true=table["y_true"].where(table["month"] < 2, 0)),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_scores_have_figures(tmp_path, name):
    rng = np.random.default_rng(0)
    y_true = (np.arange(400) % 20 == 0) * 1
    table = pd.DataFrame({"y_true": y_true, "y_score": (rng.random(400) + y_true) / 2})
    path = str(tmp_path / "scores.csv")
    ODD[name](table.assign(month=np.repeat(np.arange(8), 50))).to_csv(path, index=False)
    own = overlay(path)
    own["monitoring"] |= {"columns": {"period": "month"}, "period": None}
    own["own_files"] = {}
    figures, _ = drawn(path, own)
    for figure in figures:
        figure.draw_without_rendering()
        plt.close(figure)
    texts = [text.get_text() for text in figures[0].axes[1].texts]
    assert ("all draws are equal" in texts) == (name in ("perfect", "constant"))


def test_more_positives_than_half_are_refused_with_the_cure(tmp_path):
    predictions = pd.DataFrame({"y_true": [1, 1, 0], "y_score": [0.9, 0.4, 0.1]})
    grid = {"n_runs": 2, "n_priors": 2, "highest_prior": 0.5}
    options = {"of_heuristic": grid, "of_prior_sweep": grid, "of_curves": {"pi0": 0.5}}
    with pytest.raises(
        ValueError, match=r"prior of the data is 0\.667.*set fraud\.heuristic\.high"
    ):
        experiment.run(predictions, [], **options, seed=0)
