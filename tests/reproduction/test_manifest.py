"""The file provenance.json, and the commit in it."""

import shutil
import subprocess

import pytest
from made_up_jobs import run_job, write

from reproduction import manifest as module
from reproduction.manifest import identity, manifest
from reproduction.records import versions
from reproduction.settings import Config

TABLE, BLOCK = "tables/sweep.csv", "intermediate/sweep/0-1.parquet"


def made(folder, configuration=None):
    results = folder / "results"
    return manifest(results, [results / TABLE], configuration or identity(Config()), "1.0")


def test_it_lists_the_jobs_behind_a_table_and_no_others(tmp_path):
    run_job(tmp_path, {BLOCK: "block"}, function="a.sweep", seed=3)
    run_job(tmp_path, {"intermediate/sweep/of_earlier.parquet": "block"}, function="a.sweep")
    run_job(tmp_path, {TABLE: "table"}, inputs=(BLOCK,))

    content = made(tmp_path)

    assert [job["function"] for job in content["jobs"]] == ["a.sweep", "reproduction.files.joined"]
    assert [job["seed"] for job in content["jobs"]] == [3, 3]
    assert content["jobs"][1]["inputs"] == content["jobs"][0]["outputs"]
    assert content["environments"] == [versions()]
    assert content["unrecorded"] == []


def test_a_configuration_is_identified_by_its_settings_without_folders():
    default = identity(Config())

    assert identity(Config(results_dir="elsewhere", resources_dir="/there")) == default
    assert identity(Config(seed=1))["sha256"] != default["sha256"]
    assert "results_dir" not in default["settings"]


# --------------------------------------------------------------------------------- the commit


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A folder that is committed to git."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    folder = tmp_path / "source"
    write(folder / "module.py", "x = 1")
    monkeypatch.setattr(module, "_PROJECT", folder)
    git(folder, "init", "--quiet")
    git(folder, "add", "module.py")
    person = ("-c", "user.name=a", "-c", "user.email=a@b")
    git(folder, *person, "commit", "--quiet", "--message", "a")
    run_job(tmp_path, {TABLE: "table"})
    return folder


def git(folder, *arguments):
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_the_commit_is_that_of_the_source(source, tmp_path):
    head = git(source, "rev-parse", "HEAD")
    assert made(tmp_path)["project"] == {
        "name": "calibrated-metrics",
        "version": "1.0",
        "commit": head,
    }

    write(source / "module.py", "x = 2")
    assert made(tmp_path)["project"]["commit"] == f"{head}-dirty"


def test_an_unpacked_archive_has_no_commit_even_within_another_checkout(
    source, tmp_path, monkeypatch
):
    (source / "unpacked").mkdir()
    monkeypatch.setattr(module, "_PROJECT", source / "unpacked")

    assert made(tmp_path)["project"]["commit"] is None


def test_without_git_there_is_no_commit(source, tmp_path, monkeypatch):
    monkeypatch.setattr(module.shutil, "which", lambda name: None)

    assert made(tmp_path)["project"]["commit"] is None
