"""The pipeline on a real SLURM cluster of one node, with the profile of the project."""

import re
import time

import pytest
from inventory import EVERYTHING, LAST
from openml_stand_in import World, openml_stand_in
from runs import SMOKE

from reproduction import locks

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("slurm")]

PROFILE = ("--workflow-profile", "profiles/slurm")
TIMEOUT = 3600  # seconds, on a machine that is busy with other tests
ON_SLURM = {"forks_jobs": False, "timeout": TIMEOUT}
SMOKE_CLUSTER_JOBS = 8

PLUGIN = """
from calibrated_metrics import register_score


@register_score(label="share of positives")
def share_of_positives(curve):
    return curve.prior
"""

# The first attempt of either rule has too little. Each rule writes the number of its attempt.
HUNGRY_AND_SLOW = """
rule all:
    input:
        "hungry",
        "slow",

rule hungry:
    output:
        "hungry",
    resources:
        number=lambda wildcards, attempt: attempt,
    shell:
        "python3 -c 'import time; held = bytearray(1_400_000_000); time.sleep(30)'"
        " && echo {resources.number} > {output}"

rule slow:
    output:
        "slow",
    resources:
        number=lambda wildcards, attempt: attempt,
        runtime=lambda wildcards, attempt: 2 * attempt - 1,
    shell:
        "sleep 130 && echo {resources.number} > {output}"
"""

RATE = 2.0  # requests per second
N_MODELS = 30


def cluster_jobs(outcome):
    """Identifiers of the jobs that SLURM ran."""
    return re.findall(r"has been submitted with SLURM jobid (\d+)", outcome.output)


def test_the_smoke_run_gives_the_same_bytes_as_on_this_machine(project, tmp_path, proved):
    local = project.copy(tmp_path / "local", SMOKE)
    on_slurm = project.copy(tmp_path / "on_slurm", SMOKE)
    local.run("all", timeout=TIMEOUT).succeeded()

    started = time.monotonic()
    process = on_slurm.start("all", *PROFILE)
    while process.poll() is None and not on_slurm.files(f"{on_slurm.results}/tables/*"):
        time.sleep(1)
    with pytest.raises(locks.Timeout):  # a second run would stop with this
        locks.acquire(on_slurm.folder / on_slurm.results / ".lock", timeout=0)
    process.wait(TIMEOUT)
    minutes = (time.monotonic() - started) / 60
    outcome = on_slurm.outcome(process.returncode).succeeded()

    print(f"{minutes:.1f} minutes, {len(cluster_jobs(outcome))} cluster jobs")
    assert outcome.jobs == {**EVERYTHING, **LAST}
    assert len(cluster_jobs(outcome)) == SMOKE_CLUSTER_JOBS
    assert len(outcome.logs) == sum(outcome.jobs.values())
    assert all((on_slurm.folder / log).is_file() for log in outcome.logs)
    expected, found = local.contents(), on_slurm.contents()
    assert found.keys() == expected.keys()
    same = sum(found[name] == expected[name] for name in expected)
    proved("files of a SLURM run equal to those of a local run", held=same, tried=len(expected))
    assert same == len(expected)


def test_jobs_find_a_plugin_beside_the_project(project, tmp_path):
    (project.folder / "my_metrics.py").write_text(PLUGIN, encoding="utf-8")
    metrics = {"plugins": ["my_metrics.py"], "everywhere": [{"score": "share_of_positives"}]}
    on_slurm = project.copy(tmp_path / "on_slurm")
    table = "results/tables/pi_sweep.csv"

    project.run(table, settings={"metrics": metrics}).succeeded()
    outcome = on_slurm.run(table, *PROFILE, settings={"metrics": metrics}, **ON_SLURM)

    assert len(cluster_jobs(outcome.succeeded())) == 2  # the blocks, and the table
    assert on_slurm.contents(table) == project.contents(table)
    assert "share_of_positives" in (on_slurm.folder / table).read_text(encoding="utf-8")


def test_a_job_that_runs_out_of_memory_or_time_is_retried_with_more(project, proved):
    (project.folder / "Snakefile").write_text(HUNGRY_AND_SLOW, encoding="utf-8")

    outcome = project.run(*PROFILE, overlays=(), **ON_SLURM).succeeded()

    retried = [(project.folder / name).read_text() == "2\n" for name in ("hungry", "slow")]
    proved("SLURM jobs without enough memory or time retried", held=sum(retried), tried=2)
    assert all(retried)
    assert len(cluster_jobs(outcome)) == 4
    # From the log of the failed jobs, which is repeated in the output.
    assert "exceeded memory limit" in outcome.output
    assert "DUE TO TIME LIMIT" in outcome.output


def test_cluster_jobs_share_the_pace_of_requests(project, proved):
    with openml_stand_in(World.synthetic(2, N_MODELS, 120, seed=3)) as server:
        tasks = sorted(server.world.tasks_of_kind("full"))
        openml = {"server": server.url_api, "connections": 2, "requests_per_second": RATE}
        settings = {"ranking": {"source": "openml", "n_models": N_MODELS, "openml": openml}}
        folder = "results/intermediate/ranking/openml"
        project.run(f"{folder}/selection.json", settings=settings).succeeded()
        requests = []
        server.mode = lambda _, path: requests.append((time.monotonic(), path))

        files = [f"{folder}/predictions/{task}.parquet" for task in tasks]
        outcome = project.run(*files, *PROFILE, settings=settings, **ON_SLURM).succeeded()

    assert len(cluster_jobs(outcome)) == len(tasks) == 2
    of_tasks = [
        [t for t, path in requests if asks_for_a_run(path, server.world, task)] for task in tasks
    ]
    both_from, both_to = max(times[0] for times in of_tasks), min(times[-1] for times in of_tasks)
    assert both_to - both_from > 10  # seconds
    # No request comes before its turn at this rate, apart from the delay of the first one.
    early = [i / RATE - (t - requests[0][0]) for i, (t, _) in enumerate(requests)]
    in_turn = sum(seconds < 0.5 for seconds in early)
    proved("requests of two cluster jobs at the common rate", held=in_turn, tried=len(requests))
    assert in_turn == len(requests)


def asks_for_a_run(path, world, task):
    """Whether a request is for the description of a run of the task."""
    return any(path.endswith(f"/run/{run.run_id}") for run in world.runs_of(task))
