"""Each documented command of Snakemake starts, as a dry run; tests of some pages run theirs."""

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
    """Documented commands. The number of cores does not count."""
    found = {}
    for page in PAGES:
        for texts in COMMAND.findall(page.read_text("utf-8")):
            words = shlex.split(" ".join(texts))
            is_command = len(words) > 1 and not words[1][0].isdigit()
            if is_command:
                found[re.sub(r" --cores \w+", "", " ".join(words))] = words
    return found


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


def run(words, folder):
    project = Project(folder / "COPY")
    ended = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout[-3000:]


def test_the_pages_have_commands():
    assert len(commands()) > 15


@pytest.mark.parametrize("command", commands())
def test_a_documented_command_starts(folder, command):
    if "slurm" in command:
        pytest.importorskip("snakemake_executor_plugin_slurm")
    run([*commands()[command], "--dry-run", "--quiet"], folder)


def test_a_read_only_copy_writes_to_another_folder(folder):
    """The command as printed, for a figure that takes seconds."""
    (printed,) = (words for words in commands().values() if "-s" in words)
    run([*printed, "dg_fig6"], folder)
    assert (folder / "FOLDER/results/figures/dg_fig6.png").stat().st_size > 10_000
    assert not (folder / "COPY/results").exists()


def test_the_rule_that_others_extend_can_be_called(folder):
    run(["snakemake", "job", "--cores", "1"], folder)
