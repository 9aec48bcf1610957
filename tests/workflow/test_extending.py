"""The page docs/extending.md, followed step by step in a copy of the project."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
from matplotlib.image import imread
from runs import ROOT, SMOKE

PAGE = ROOT / "docs" / "extending.md"
STEP = re.compile(r"^<!-- (file|insert|run)(?:: (.*?))? -->\n```\w+\n(.*?)^```$", re.DOTALL | re.M)


def follow(page: str, folder: Path) -> list[str]:
    """Write the files, make the insertions and run the commands of a page, in its order."""
    commands = []
    for action, where, block in STEP.findall(page):
        if action == "run":
            _run(block, folder)
            commands.append(block.strip())
        elif action == "file":
            (folder / where).write_text(block, encoding="utf-8")
        else:
            path, _, line = where.partition(" before: ")
            text = (folder / path).read_text(encoding="utf-8")
            assert text.count(f"\n{line}") == 1, f"{path} must have one line that starts {line!r}"
            distance = "\n" if block.startswith(" ") else "\n\n\n"
            text = text.replace(f"\n{line}", f"\n{block.rstrip()}{distance}{line}")
            (folder / path).write_text(text, encoding="utf-8")
    return commands


def _run(command: str, folder: Path) -> None:
    programs = Path(sys.executable).parent
    ended = subprocess.run(
        ["bash", "-euc", command],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, f"{command}\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"


def test_every_block_is_a_step():
    page = PAGE.read_text(encoding="utf-8")

    assert len(STEP.findall(page)) == len(re.findall(r"^```\w+$", page, re.M)) > 0


def test_the_page_works(source, tmp_path):
    project = source.copy(tmp_path / "project", SMOKE)

    follow(PAGE.read_text(encoding="utf-8"), project.folder)

    results = project.folder / project.results
    sweep = pd.read_csv(results / "tables" / "pi_sweep.csv")
    own = sweep[sweep["metric"].str.startswith("work_saved")]
    assert set(own["metric"]) == {"work_saved", "work_saved(recall=0.8)@pi0=0.5"}
    assert own["value"].between(0, 1).all()
    missed = sweep.loc[sweep["metric"] == "miss_rate(threshold=1)", "value"]
    assert missed.between(0, 1, inclusive="neither").all()
    chance = pd.read_csv(results / "tables" / "chance_level.csv").set_index("metric")
    areas = chance.loc["average_precision"]
    assert (areas["value"] / areas["prior"]).between(0.8, 1.25).all()
    assert chance.loc["average_precision@pi0=0.5", "value"].between(0.45, 0.55).all()
    assert (chance.loc["average_precision@pi0=0.5", "pi0"] == 0.5).all()
    for suffix in ("pdf", "svg"):
        assert (results / "figures" / f"chance_level.{suffix}").stat().st_size > 1000
    assert imread(results / "figures" / "chance_level.png").shape[1] > 600
    assert "\nchance_level:\n" in (project.folder / "config" / "config.yaml").read_text("utf-8")
    # The target `all` and the report know the new table and the new figure.
    report = project.run("report", "--dry-run").succeeded().output
    for name in ("tables/chance_level.csv", "figures/chance_level.png", "chance_level.rst"):
        assert name in report
