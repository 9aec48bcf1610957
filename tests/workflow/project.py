"""A copy of the project, and runs of Snakemake in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config", "environment.yml", "notebooks", "profiles", "pyproject.toml", "src")
PARTS += ("workflow",)
SMOKE = "config/smoke.yaml"
TARGETS = ("default", "all", "reproduction", "tables", "figures", "notebooks")


@dataclass(frozen=True)
class Outcome:
    """How a run of Snakemake ended."""

    code: int
    output: str

    @property
    def jobs(self) -> Counter:
        """Number of jobs started, or listed by a dry run, of each rule but the targets."""
        started = Counter(re.findall(r"^ *(?:local)?rule (\w+):$", self.output, re.MULTILINE))
        return Counter({rule: n for rule, n in started.items() if rule not in TARGETS})

    @property
    def logs(self) -> list[str]:
        """Log files of the jobs, as the rules name them."""
        return re.findall(r"^ +log: (\S+)", self.output, re.MULTILINE)

    def succeeded(self) -> Outcome:
        assert self.code == 0, "\n".join(self.output.splitlines()[-60:])
        return self


class Project:
    """A copy of the project in a folder of its own."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def fresh(cls, folder: Path) -> Project:
        folder.mkdir(parents=True)
        for part in map(ROOT.joinpath, PARTS):
            if part.is_dir():
                ignored = shutil.ignore_patterns("*.egg-info", "__pycache__")
                shutil.copytree(part, folder / part.name, ignore=ignored)
            else:
                shutil.copy2(part, folder)
        return cls(folder)

    def without(self, package: str) -> Project:
        """Make the import of a package fail."""
        error = f"raise RuntimeError('{package} is imported')\n"
        (self.folder / "src" / f"{package}.py").write_text(error, encoding="utf-8")
        return self

    def copy(self, folder: Path) -> Project:
        return Project(Path(shutil.copytree(self.folder, folder)))

    def write(self, name: str, settings: dict) -> str:
        (self.folder / name).write_text(yaml.safe_dump(settings), encoding="utf-8")
        return name

    def command(
        self, *arguments: str, overlays: Sequence[str] = (SMOKE,), settings=None, cores=2
    ) -> list[str]:
        """Run Snakemake with overlays of the configuration; `settings` is the last overlay."""
        overlays = [*overlays, *([self.write("settings.yaml", settings)] if settings else [])]
        command = [sys.executable, "-m", "snakemake", *arguments, "--cores", str(cores)]
        return [*command, "--configfile", *overlays] if overlays else command

    def environment(self) -> dict[str, str]:
        """The environment without the tester's settings of Snakemake, with this copy's code."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith("SNAKEMAKE")}
        return {**kept, "PYTHONPATH": str(self.folder / "src")}

    def run(self, *arguments: str, prefix: Sequence[str] = (), **options) -> Outcome:
        """Run Snakemake to its end; for the options see `command`."""
        ended = subprocess.run(
            [*prefix, *self.command(*arguments, **options)],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Outcome(ended.returncode, ended.stdout)

    def would_run(self, *arguments: str, **options) -> Counter:
        """Jobs that a run would start."""
        return self.run(*arguments, "--dry-run", **options).succeeded().jobs

    def contents(self, pattern: str = "results/**/*") -> dict[str, bytes]:
        """Files of the results by their path in the project, without logs and hidden files."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.glob(pattern))
            if path.is_file() and path.suffix != ".log" and not path.name.startswith(".")
        }
