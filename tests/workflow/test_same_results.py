"""Results are the same bytes for any number of cores, any blocks, and after any interruption."""

import random
import time

from leftovers import temporary_files
from runs import SMOKE


def test_tables_are_the_same_bytes_from_other_blocks(finished, reference):
    runs_per_job = {"pi_sweep": 4, "kl_sweep": 1, "fraud_prior_sweep": 20}
    tables = [f"{finished.results}/tables/{sweep}.csv" for sweep in runs_per_job]
    settings = {sweep: {"runs_per_job": runs} for sweep, runs in runs_per_job.items()}

    outcome = finished.run(*tables, settings=settings).succeeded()

    blocks = {sweep: outcome.jobs[f"{sweep}_block"] for sweep in runs_per_job}
    assert blocks == {"pi_sweep": 1, "kl_sweep": 4, "fraud_prior_sweep": 1}
    assert all(outcome.jobs[sweep] == 1 for sweep in runs_per_job)
    assert finished.contents(f"{finished.results}/tables/*") == reference.contents(
        f"{finished.results}/tables/*"
    )


def test_a_killed_run_continues_with_the_same_command_on_one_core(source, tmp_path, reference):
    """A file that has its final name right after a kill is complete.

    It and all later files are those of the undisturbed run, which used two cores. Temporary files
    of the killed runs are gone.
    """
    project = source.copy(tmp_path / "killed", SMOKE)
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    options = {"environment": {"TMPDIR": str(scratch)}}
    complete = reference.contents()
    # Random draws of each experiment, files of each format, and a figure. The tables of rankings on
    # one core are those of test_ranking_sources.py.
    tables = ["pi_sweep", "kl_sweep", "fraud_prior_sweep", "heuristic", "monitoring", "label_free"]
    targets = [f"{project.results}/tables/{name}.csv" for name in tables]
    targets.append(f"{project.results}/intermediate/ranking/local/scores/iris_virginica.parquet")
    targets.append(f"{project.results}/figures/fig4_pi_sweep.svg")
    moments = random.Random(20200427)

    for starts_with_progress in (False, True, True):
        process = project.start(*targets, **options)
        if starts_with_progress:
            _wait_for_another_file(project, process)
        time.sleep(moments.uniform(0.0, 1.2))
        assert process.poll() is None, "the run ended before it could be killed"
        project.kill(process)
        found = project.contents()
        assert found == {name: complete[name] for name in found}

    project.run(*targets, cores=1, **options).succeeded()

    assert [*temporary_files(project.folder / "results"), *scratch.iterdir()] == []
    found = project.contents()
    assert found == {name: complete[name] for name in found}
    assert found.keys() >= set(targets)


def _wait_for_another_file(project, process):
    before = len(project.files())
    while len(project.files()) == before and process.poll() is None:
        time.sleep(0.02)
