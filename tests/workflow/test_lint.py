"""Snakemake's linter has one remark, which is made on purpose.

The rules name no conda environment, because the package `reproduction` is in no channel: pip
installs it and all other packages before a run.
"""

import re


def test_the_linter_has_no_other_remark(project):
    remarks = re.findall(r"^ +\* (.+):$", project.run("--lint", overlays=()).output, re.MULTILINE)
    assert set(remarks) == {"Specify a conda environment or container for each rule."}
