"""Overlays of the configuration: how they add up, and how a bad one stops the run."""


def test_the_later_overlay_wins_key_by_key(project):
    first = project.write("a.yaml", {"results_dir": "results/a", "pi_sweep": {"n_runs": 4}})
    second = project.write("b.yaml", {"pi_sweep": {"n_runs": 7, "runs_per_job": 3}})
    both = project.would_run("results/a/tables/pi_sweep.csv", overlays=[first, second])
    assert both["pi_sweep_block"] == 3


def test_the_downloads_of_the_paper_are_checked(project):
    """Only a table that needs data asks for them."""
    names = ("fraud_data", "openml_status", "pi_sweep")
    tables = [f"results/paper/tables/{name}.csv" for name in names]
    jobs = project.would_run(*tables, overlays=["config/paper.yaml"])
    of_data = {"check_downloads", "fraud_predictions", "openml_status"}
    assert jobs.keys() == of_data | {"pi_sweep_block", "pi_sweep"}


def test_bad_settings_stop_before_any_job(project):
    """`tests/reproduction/core/test_settings.py` has the other errors."""
    bad = {"pi_swep": {"n_runs": 2}, "kl_sweep": {"n_run": 2}, "seed": "many"}
    outcome = project.run(settings=bad)
    assert outcome.code != 0
    assert not outcome.jobs
    for words in (
        "pi_swep: unknown key (did you mean 'pi_sweep'?)",
        "kl_sweep.n_run: unknown key (did you mean 'n_runs'?)",
        "seed: Input should be a valid integer",
    ):
        assert words in outcome.output
    assert "Traceback" not in outcome.output
    assert not (project.folder / "results").exists()
