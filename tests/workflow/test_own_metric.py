"""A user's metric: one function in a file of their own, named in the configuration."""

import pandas as pd
import pytest

PLUGIN = """
from calibrated_metrics import register_score


@register_score(label="share of positives")
def share_of_positives(curve):
    return curve.prior
"""
SETTINGS = {
    "metrics": {
        "plugins": ["my_metrics.py"],
        "everywhere": [
            {"score": "share_of_positives"},
            {"score": "share_of_positives", "pi0": 0.5},
        ],
    },
    "pi_sweep": {"n_samples": 2000, "n_runs": 2, "priors": [0.1, 0.5]},
    "kl_sweep": {"n_samples": 2000, "n_runs": 2, "mu0": [0.5, 1.5]},
    "fraud_prior_sweep": {"n_runs": 2, "runs_per_job": 2, "n_priors": 3},
}
SWEEPS = {"pi_sweep": "fig4", "kl_sweep": "fig5", "fraud_prior_sweep": "figA7"}


@pytest.fixture
def with_plugin(finished):
    (finished.folder / "my_metrics.py").write_text(PLUGIN, encoding="utf-8")
    return finished


def test_own_metric_is_in_every_sweep_and_figure(with_plugin):
    figures = [
        f"{with_plugin.results}/figures/{figure}_{sweep}.svg" for sweep, figure in SWEEPS.items()
    ]

    outcome = with_plugin.run(*figures, settings=SETTINGS).succeeded()

    assert not {"fraud_predictions", "heuristic"} & set(outcome.jobs)
    for sweep, figure in SWEEPS.items():
        results = with_plugin.folder / with_plugin.results
        table = pd.read_csv(results / "tables" / f"{sweep}.csv")
        own = table[table["metric"] == "share_of_positives"]
        assert len(own) > 0
        assert (own["value"] == own["n_pos"] / (own["n_pos"] + own["n_neg"])).all()
        calibrated = table[table["metric"] == "share_of_positives@pi0=0.5"]
        assert len(calibrated) == len(own)
        assert (calibrated["value"] == 0.5).all()
        drawn = results / "figures" / f"{figure}_{sweep}.svg"
        text = drawn.read_text(encoding="utf-8")
        assert "share of positives" in text
        assert "calibrated share of positives" in text

    assert not with_plugin.would_run(*figures, settings=SETTINGS)
    (with_plugin.folder / "my_metrics.py").write_text(PLUGIN + "\n\nCHANGED = 1\n")
    assert with_plugin.would_run(*figures, settings=SETTINGS) == outcome.jobs


def test_plugin_that_fails_stops_before_any_job(with_plugin):
    (with_plugin.folder / "my_metrics.py").write_text("import a_module_that_is_not_there\n")
    before = with_plugin.times()

    outcome = with_plugin.run(settings=SETTINGS)

    assert outcome.code != 0
    assert "metrics.plugins" in outcome.output
    assert "a_module_that_is_not_there" in outcome.output
    assert with_plugin.times() == before
