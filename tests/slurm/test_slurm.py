"""The pipeline on a real SLURM cluster of one node, with the profile of the project."""

import re

import pytest

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("slurm")]


def test_the_smoke_run_gives_the_same_bytes_as_on_this_machine(project, smoke, proved):
    outcome = project.run("all", "--workflow-profile", "profiles/slurm").succeeded()

    assert re.findall(r"has been submitted with SLURM jobid (\d+)", outcome.output)
    expected, found = smoke.contents(), project.contents()
    assert found.keys() == expected.keys()
    same = sum(found[name] == expected[name] for name in expected)
    proved("files of a SLURM run equal to those of a local run", held=same, tried=len(expected))
    assert same == len(expected)
