"""A full disk: an error that names the file, nothing half-written, and then the same bytes."""

from __future__ import annotations

import re

import pytest
from disks import disk

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
