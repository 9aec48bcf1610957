"""Overlays of the configuration: how they add up, and how a bad one stops the run."""

import pandas as pd
import pytest


def blocks(outcome):
    """Blocks of the prior sweep that a dry run lists."""
    lines = (line.strip() for line in outcome.output.splitlines())
    return sorted(
        line.removeprefix("output: ")
        for line in lines
        if line.startswith("output: ") and "/intermediate/pi_sweep/" in line
    )


def test_later_overlay_wins_key_by_key(project):
    first = project.write_settings(
        "first.yaml", {"results_dir": "results/a", "pi_sweep": {"n_runs": 4, "runs_per_job": 3}}
    )
    second = project.write_settings("second.yaml", {"pi_sweep": {"n_runs": 7}})

    both = project.run("tables", "--dry-run", overlays=[first, second]).succeeded()
    turned = project.run("tables", "--dry-run", overlays=[second, first]).succeeded()

    at = "results/a/intermediate/pi_sweep"
    assert blocks(both) == [f"{at}/0-3.parquet", f"{at}/3-6.parquet", f"{at}/6-7.parquet"]
    assert blocks(turned) == [f"{at}/0-3.parquet", f"{at}/3-4.parquet"]


def test_results_folder_may_end_with_a_slash(project):
    settings = {"results_dir": "results/mine/"}

    project.run("results/mine/tables/heuristic.csv", "--dry-run", settings=settings).succeeded()


def test_one_run_gives_tables_but_no_verdict(project):
    table = "results/tables/pi_sweep_agreement.csv"
    settings = {"pi_sweep": {"n_samples": 50_000, "n_runs": 1, "priors": [0.5]}}

    project.run(table, settings=settings).succeeded()

    agreement = pd.read_csv(project.folder / table)
    assert len(agreement) == 6
    assert agreement[["value", "population", "gap"]].notna().all(axis=None)
    # A single run has no standard error, and without one nothing is known to differ.
    assert agreement["standard_error"].isna().all()
    assert not agreement["verdict"].isin(["agrees", "differs"]).any()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        pytest.param(
            {
                "pi_swep": {"n_runs": 2},
                "heuristic": {"n_run": 2},
                "fraud": {"simulator": {"n_customer": 2}},
                "seed": "many",
            },
            [
                "pi_swep: unknown key (did you mean 'pi_sweep'?)",
                "heuristic.n_run: unknown key (did you mean 'n_runs'?)",
                "fraud.simulator.n_customer: unknown key (did you mean 'n_customers'?)",
                "seed: Input should be a valid integer",
                "got 'many'",
            ],
            id="unknown keys and a wrong type, all at once",
        ),
        pytest.param(
            {"metrics": {"everywhere": [{"score": "averag_precision"}]}},
            ["metrics.everywhere.0", "averag_precision", "did you mean 'average_precision'"],
            id="unknown score",
        ),
        pytest.param(
            {"kl_sweep": {"metrics": "swep"}},
            ["kl_sweep.metrics", "'swep'", "did you mean 'sweep'"],
            id="unknown set of metrics",
        ),
        pytest.param(
            {"metrics": {"plugins": ["gone.py"]}},
            ["metrics.plugins", "gone.py"],
            id="missing plug-in",
        ),
        pytest.param(
            {"fraud": {"source": "file"}}, ["fraud:", "needs path"], id="file without path"
        ),
    ],
)
def test_bad_settings_stop_before_any_job(project, settings, named):
    outcome = project.run(settings=settings, timeout=30)

    assert outcome.code != 0
    assert not outcome.jobs
    for words in named:
        assert words in outcome.output
    assert not (project.folder / "results").exists()
