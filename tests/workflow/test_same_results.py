"""Results are the same bytes for any number of cores, any blocks, and after any interruption."""

import random
import time

TABLES = "results/tables/*"


def test_tables_are_the_same_bytes_on_one_core(project, reference):
    project.run("tables", cores=1).succeeded()

    assert project.contents(TABLES) == reference.contents(TABLES)


def test_tables_are_the_same_bytes_from_other_blocks(finished, reference):
    runs_per_job = {"pi_sweep": 2, "kl_sweep": 1, "fraud_prior_sweep": 1}
    tables = [f"results/tables/{sweep}.csv" for sweep in runs_per_job]
    settings = {sweep: {"runs_per_job": runs} for sweep, runs in runs_per_job.items()}

    outcome = finished.run(*tables, settings=settings).succeeded()

    blocks = {sweep: outcome.jobs[f"{sweep}_block"] for sweep in runs_per_job}
    assert blocks == {"pi_sweep": 1, "kl_sweep": 2, "fraud_prior_sweep": 2}
    assert all(outcome.jobs[sweep] == 1 for sweep in runs_per_job)
    assert finished.contents(TABLES) == reference.contents(TABLES)


def test_killed_run_goes_on_with_the_same_command(project, reference):
    """Whatever has its final name right after a kill is whole: it is the undisturbed run's."""
    whole = reference.contents()
    moments = random.Random(20200427)

    for starts_with_progress in (False, True, True):
        process = project.start()
        if starts_with_progress:
            _wait_for_another_file(project, process)
        time.sleep(moments.uniform(0.0, 1.2))
        assert process.poll() is None, "the run ended before it could be killed"
        project.kill(process)
        found = project.contents()
        assert found == {name: whole[name] for name in found}

    project.run().succeeded()

    assert project.contents() == whole


def _wait_for_another_file(project, process):
    before = len(project.files())
    while len(project.files()) == before and process.poll() is None:
        time.sleep(0.02)
