"""Faults of the file system: a clear error, nothing half-written, and then the same bytes."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

import pytest
from disks import disk
from leftovers import temporary_files
from openml_stand_in import World, openml_stand_in
from runs import Outcome, Project, openml_settings
from workers import once

pytestmark = pytest.mark.long

PROOF = "faults of the file system survived"
# Every kind of file: parquet, CSV, JSON, the three formats of figures.
TARGETS = ("tables/pi_sweep.csv", "figures/fig4_pi_sweep.svg", "intermediate/fraud/data.json")


class Faulty:
    """A project whose results are in a folder of its own, and what must come out of its runs."""

    def __init__(self, project: Project, results: Path, scratch: Path, expected: dict[str, bytes]):
        self.project, self.results, self.scratch = project, results, scratch
        self.expected = expected

    def start(self):
        return self.project.start(*self._targets, **self._options)

    def run(self) -> Outcome:
        return self.project.run(*self._targets, **self._options)

    @property
    def _targets(self):
        return [f"{self.results}/{target}" for target in TARGETS]

    @property
    def _options(self):
        settings = {"results_dir": str(self.results)}
        return {"settings": settings, "environment": {"TMPDIR": str(self.scratch)}}

    def found(self) -> dict[str, bytes]:
        """Content of each file with results by its path in the folder of results."""
        files = self.project.files(f"{os.path.relpath(self.results, self.project.folder)}/**/*")
        return {
            os.path.relpath(path.resolve(), self.results): path.read_bytes()
            for path in files.values()
        }

    def stopped_clearly(self, message: str) -> Outcome:
        """Run into the fault; everything with its final name is complete."""
        outcome = self.run()
        self.has_stopped_clearly(outcome, message)
        return outcome

    def has_stopped_clearly(self, outcome: Outcome, message: str) -> None:
        assert outcome.code != 0, outcome.output[-3000:]
        assert re.search(message, outcome.output), outcome.output[-3000:]
        assert "Traceback" not in outcome.output, outcome.output[-3000:]
        self.is_sound()

    def is_sound(self) -> None:
        """Each file with its final name is complete, and there is no temporary file."""
        found = self.found()
        assert found == {name: self.expected[name] for name in found}
        assert self.leftovers() == []

    def ends_as_expected(self) -> Outcome:
        """Run without the fault; the results are those of a run that was never disturbed."""
        outcome = self.run().succeeded()
        assert self.found() == self.expected
        assert self.leftovers() == []
        return outcome

    def leftovers(self) -> list[Path]:
        resources = self.project.folder / "resources"
        in_scratch = list(self.scratch.iterdir()) if self.scratch.is_dir() else []
        return [*temporary_files(self.results, resources), *in_scratch]


@pytest.fixture(scope="session")
def expected(source, shared_folder) -> dict[str, bytes]:
    """The results of an undisturbed run."""

    def make(folder):
        project = source.copy(folder)
        (folder / "tmp").mkdir()
        Faulty(project, folder / "results", folder / "tmp", {}).run().succeeded()

    folder = once(shared_folder / "undisturbed", make)
    return Faulty(Project(folder), folder / "results", folder / "tmp", {}).found()


@pytest.fixture
def faulty(project, tmp_path, scratch, expected) -> Faulty:
    (tmp_path / "results").mkdir()
    return Faulty(project, tmp_path / "results", scratch, expected)


@pytest.mark.parametrize("size", ["4k", "24k", "60k", "96k", "144k"])
def test_a_full_disk(faulty, proved, size):
    with disk(faulty.results, f"size={size}") as full:
        outcome = faulty.stopped_clearly(r"cannot write \S+: No space left on device; once")
        named = re.findall(r"cannot write (\S+): No space", outcome.output)
        assert all(Path(name).is_relative_to(faulty.results) for name in named)

        full.change("size=8m")
        faulty.ends_as_expected()
    proved(PROOF, held=1, tried=1)


def test_no_space_for_the_run_time_of_a_job(faulty, proved):
    """Snakemake writes it after the job has ended."""
    folder = faulty.results / "benchmarks"
    with disk(folder, "size=4k") as full:
        faulty.stopped_clearly(rf"cannot write {folder}/\S+\.tsv: No space left on device; once")
        full.change("size=8m")
        faulty.ends_as_expected()
    proved(PROOF, held=1, tried=1)


def test_a_full_disk_of_the_project(faulty, proved):
    """Snakemake cannot write to its own folder, and says so between tracebacks of its own log."""
    with disk(faulty.project.folder / ".snakemake", "size=4k") as full:
        outcome = faulty.run()
        assert outcome.code != 0
        assert re.search(r"No space left on device.*\n?.*\.snakemake", outcome.output)
        faulty.is_sound()
        full.change("size=8m")
        faulty.ends_as_expected()
    proved(PROOF, held=1, tried=1)


def test_a_full_disk_of_downloads(source, project, tmp_path, proved):
    selection = "results/intermediate/ranking/openml/selection.json"
    with openml_stand_in(World.synthetic(2, 4, 120, seed=3)) as server:
        settings = openml_settings(server, n_models=4)
        undisturbed = source.copy(tmp_path / "undisturbed")
        undisturbed.run(selection, settings=settings).succeeded()
        with disk(project.folder / "resources", "size=24k") as full:
            outcome = project.run(selection, settings=settings)
            assert outcome.code != 0
            assert re.search(r"cannot write resources/\S+: No space left on device", outcome.output)
            assert "Traceback" not in outcome.output
            assert temporary_files(project.folder / "resources") == []

            full.change("size=8m")
            project.run(selection, settings=settings).succeeded()
            assert temporary_files(project.folder / "resources") == []
            downloads_and_results = "res*/**/*.[xj]*"
            assert project.contents(downloads_and_results) == undisturbed.contents(
                downloads_and_results
            )
    proved(PROOF, held=1, tried=1)


def test_a_read_only_results_folder(faulty, proved):
    with disk(faulty.results, "ro,size=8m") as read_only:
        outcome = faulty.stopped_clearly(r"cannot lock \S+: .*Read-only file system.*writable")
        assert not outcome.jobs

        read_only.change("rw")
        faulty.ends_as_expected()
    proved(PROOF, held=1, tried=1)


def test_results_on_another_disk_than_the_project_and_temporary_files(faulty, proved):
    with disk(faulty.results, "size=8m"), disk(faulty.scratch, "size=8m"):
        folders = (faulty.project.folder, faulty.results, faulty.scratch)
        assert len({folder.stat().st_dev for folder in folders}) == 3
        faulty.ends_as_expected()
    proved(PROOF, held=1, tried=1)


@pytest.mark.parametrize("options", ["size=4k", "ro"])
def test_temporary_files_go_elsewhere_if_their_folder_is_full_or_read_only(faulty, proved, options):
    with disk(faulty.scratch, options):
        if options != "ro":
            (faulty.scratch / "large").write_bytes(bytes(4096))
        faulty.run().succeeded()
        assert faulty.found() == faulty.expected
    proved(PROOF, held=1, tried=1)


@pytest.mark.parametrize("after", ["intermediate/pi_sweep/0-1.parquet", "tables/pi_sweep.csv"])
def test_the_results_folder_is_deleted_during_the_run(faulty, proved, after):
    process = faulty.start()
    while process.poll() is None and not (faulty.results / after).exists():
        time.sleep(0.02)
    shutil.rmtree(faulty.results)
    process.wait(600)

    outcome = faulty.project.outcome(process.returncode)
    faulty.has_stopped_clearly(outcome, "was removed or replaced during the run")
    faulty.ends_as_expected()
    proved(PROOF, held=1, tried=1)


@pytest.mark.parametrize("name", ["intermediate/pi_sweep/0-1.parquet", "tables/pi_sweep.csv"])
def test_a_file_is_cut_between_runs(faulty, proved, name):
    faulty.ends_as_expected()
    cut = faulty.results / name
    cut.write_bytes(cut.read_bytes()[:-100])

    outcome = faulty.run()
    assert outcome.code != 0
    assert re.search(rf"{cut} is damaged \(.*\); delete it", outcome.output)
    assert "Traceback" not in outcome.output

    cut.unlink()
    faulty.ends_as_expected()
    proved(PROOF, held=1, tried=1)


def test_a_clock_that_was_ahead(faulty, proved):
    faulty.ends_as_expected()
    ahead = time.time() + 3600
    for path in faulty.results.rglob("intermediate/**/*"):
        os.utime(path, (ahead, ahead))

    faulty.ends_as_expected()
    proved(PROOF, held=1, tried=1)


@pytest.mark.parametrize("folder", ["logs", "benchmarks"])
def test_logs_or_benchmarks_that_cannot_be_written(faulty, proved, folder):
    with disk(faulty.results / folder, "ro"):
        faulty.stopped_clearly(rf"Read-only file system.*{folder}|{folder}.*Read-only file system")
    faulty.ends_as_expected()
    proved(PROOF, held=1, tried=1)
