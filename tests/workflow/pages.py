"""Pages of the documentation that say what to write and what to run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from project import ROOT

STEP = re.compile(r"^<!-- (file|insert|run)(?:: (.*?))? -->\n```\w+\n(.*?)^```$", re.DOTALL | re.M)


def page_of(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def every_block_is_a_step(page: str) -> bool:
    return len(STEP.findall(page)) == len(re.findall(r"^```\w+$", page, re.M)) > 0


def follow(page: str, folder: Path, *, dry_run: bool = False) -> list[str]:
    """Write the files, make the insertions and run the commands of a page, in its order.

    Returns what the commands print. A dry run tells Snakemake to list its jobs only.
    """
    printed = []
    for action, where, block in STEP.findall(page):
        if action == "run":
            command = block.replace(" --cores", " --dry-run --cores") if dry_run else block
            printed.append(_run(command, folder))
        elif action == "file":
            (folder / where).write_text(block, encoding="utf-8")
        else:
            path, _, line = where.partition(" before: ")
            text = (folder / path).read_text(encoding="utf-8")
            assert text.count(f"\n{line}") == 1, f"{path} must have one line that starts {line!r}"
            distance = "\n" if block.startswith(" ") else "\n\n\n"
            text = text.replace(f"\n{line}", f"\n{block.rstrip()}{distance}{line}")
            (folder / path).write_text(text, encoding="utf-8")
    return printed


def _run(command: str, folder: Path) -> str:
    programs = Path(sys.executable).parent
    ended = subprocess.run(
        ["bash", "-euc", command],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder / "src"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, f"{command}\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
    return ended.stdout + ended.stderr
