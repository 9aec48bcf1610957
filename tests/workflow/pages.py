"""Pages of the documentation that say what to write and what to run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from project import ROOT

STEP = re.compile(r"^<!-- (file|run)(?:: (.*?))? -->\n```\w+\n(.*?)^```$", re.DOTALL | re.M)


def page_of(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def every_block_is_a_step(page: str) -> bool:
    return len(STEP.findall(page)) == len(re.findall(r"^```\w+$", page, re.M)) > 0


def follow(page: str, folder: Path) -> None:
    """Write the files and run the commands of a page, in its order."""
    for action, where, block in STEP.findall(page):
        if action == "run":
            _run(block, folder)
        else:
            (folder / where).write_text(block, encoding="utf-8")


def _run(command: str, folder: Path) -> None:
    programs = Path(sys.executable).parent
    ended = subprocess.run(
        ["bash", "-euc", command],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder / "src"),  # if it is a copy of the project
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, f"{command}\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
