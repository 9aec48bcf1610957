"""How the jobs of the workflow are grouped on a cluster. tests/slurm runs them on one."""

import re
from collections import Counter

import pytest
import yaml
from runs import ROOT

from reproduction.data.openml.selection import SelectedTask, Selection

N_TASKS = 25


def profile(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def with_selection(project):
    """A project whose configuration ranks the models of tasks of OpenML."""
    tasks = tuple(
        SelectedTask(task, task, "a dataset", "class", 100, 400, 500, (2 * task, 2 * task + 1))
        for task in range(1, N_TASKS + 1)
    )
    selection = Selection("https://server/api", "2026-01-01", tasks, (), ())
    selection.write(project.folder / "results/intermediate/ranking/openml/selection.json")
    return project


def test_the_profile_of_a_cluster_repeats_the_settings_of_local_runs():
    local, cluster = profile("default"), profile("slurm")
    del local["cores"], cluster["cores"]

    assert local.items() <= cluster.items()


def test_a_cluster_runs_batches_of_jobs_together(with_selection):
    settings = {"ranking": {"source": "openml"}, "pi_sweep": {"n_runs": 10, "runs_per_job": 1}}
    jobs = with_selection.would_run("all", settings=settings)
    sizes = ("--group-components", *profile("slurm")["group-components"])

    outcome = with_selection.run("all", "--dry-run", *sizes, settings=settings).succeeded()

    assert outcome.jobs == jobs
    groups = Counter(re.findall(r"Group job (\w+)_\d+ ", outcome.output))
    assert groups == {
        "blocks_of_kl_sweep": 1,
        "blocks_of_pi_sweep": 3,  # 10 blocks, at most 4 of them together
        "experiments": 1,
        "results": 1,
        "tasks": 3,  # 25 tasks, at most 10 of them together
    }
    alone = {"openml_predictions": N_TASKS, "claims_hold": 1}
    grouped = re.findall(r"^ +rule (\w+):$", outcome.output, re.MULTILINE)
    assert jobs - Counter(grouped) == alone
