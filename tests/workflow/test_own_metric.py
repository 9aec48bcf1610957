"""A user's metric: one function in a file of their own, named in the configuration."""

import pandas as pd

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
    }
}
FIGURES = {"pi_sweep": "fig4_pi_sweep", "kl_sweep": "fig5_kl_sweep"}


def test_own_metric_is_in_the_sweeps_and_their_figures(finished):
    (finished.folder / "my_metrics.py").write_text(PLUGIN, encoding="utf-8")
    figures = [f"results/smoke/figures/{figure}.svg" for figure in FIGURES.values()]

    outcome = finished.run(*figures, settings=SETTINGS).succeeded()

    for sweep, figure in FIGURES.items():
        table = pd.read_csv(finished.folder / "results" / "smoke" / "tables" / f"{sweep}.csv")
        own = table[table["metric"] == "share_of_positives"]
        assert len(own) > 0
        assert (own["value"] == own["n_pos"] / (own["n_pos"] + own["n_neg"])).all()
        assert (table.loc[table["metric"] == "share_of_positives@pi0=0.5", "value"] == 0.5).all()
        drawn = finished.folder / "results" / "smoke" / "figures" / f"{figure}.svg"
        assert "share of positives" in drawn.read_text(encoding="utf-8")

    assert not finished.would_run(*figures, settings=SETTINGS)
    (finished.folder / "my_metrics.py").write_text(PLUGIN + "\n\nCHANGED = 1\n")
    assert finished.would_run(*figures, settings=SETTINGS) == outcome.jobs
