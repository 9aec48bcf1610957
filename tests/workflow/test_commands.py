"""Each documented command of Snakemake starts, as a dry run; tests of some pages run theirs."""

import itertools
import re
import shlex
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from project import ROOT, Project

FOLLOWED = ("extending.md", "one-figure.md")  # by tests of their own
PAGES = [path for path in ROOT.glob("docs/**/*.md") if path.name not in FOLLOWED]
PAGES += [ROOT / "README.md", ROOT / "config/README.md", *ROOT.glob("config/*.yaml")]
COMMAND = re.compile(r"`(snakemake -?[^`.]*[^`]+)`|(?:^|^#  |: )(snakemake .*)$", re.MULTILINE)


def commands():
    """Targets of the documented commands, by the options. The number of cores does not count."""
    found = {}
    for page in PAGES:
        for texts in COMMAND.findall(page.read_text("utf-8")):
            words = shlex.split(re.sub(r" --cores \w+", "", " ".join(texts)))
            is_command = len(words) > 1 and not words[1][0].isdigit()
            if is_command:
                targets = list(itertools.takewhile(lambda word: word[0] != "-", words[1:]))
                options = " ".join(words[1 + len(targets) :])
                found.setdefault(options, set()).update(targets)
    return found


OF_A_READ_ONLY_COPY = "-s COPY/Snakefile -d FOLDER"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a copy of the project, which has the files that the pages name as examples."""
    folder = tmp_path_factory.mktemp("commands")
    project = Project.fresh(folder / "COPY")
    shutil.copytree(ROOT / "validation", project.folder / "validation")
    (folder / "FOLDER").mkdir()
    (folder / "COPY/COPY").symlink_to(folder / "COPY")
    (folder / "COPY/FOLDER").symlink_to(folder / "FOLDER")
    project.write("my.yaml", {"seed": 1})
    table = pd.DataFrame({"y_true": [0, 1], "y_score": [0.1, 0.2], "month": 1})
    table.to_csv(project.folder / "scores.csv")
    table.to_csv(project.folder / "first.csv")
    table.to_parquet(project.folder / "second.parquet")
    return folder


def run(folder, targets, options):
    project = Project(folder / "COPY")
    ended = subprocess.run(
        [sys.executable, "-m", "snakemake", *sorted(targets), "--cores", "1", *options],
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout[-3000:]


def test_the_pages_have_commands():
    assert sum(map(len, commands().values())) > 12
    assert OF_A_READ_ONLY_COPY in commands()


@pytest.mark.parametrize("options", sorted(commands().keys() - {OF_A_READ_ONLY_COPY}))
def test_documented_commands_start(folder, options):
    if "slurm" in options:
        pytest.importorskip("snakemake_executor_plugin_slurm")
    run(folder, commands()[options], [*options.split(), "--dry-run", "--quiet"])


def test_a_read_only_copy_writes_to_another_folder(folder):
    """For a figure that takes seconds; the rule `job`, which others extend, can be called, too."""
    run(folder, ["dg_fig6", "job"], OF_A_READ_ONLY_COPY.split())
    assert (folder / "FOLDER/results/figures/dg_fig6.png").stat().st_size > 10_000
    assert not (folder / "COPY/results").exists()
