"""Kill a run of Snakemake again and again, and continue it with the same command."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from inventory import FIGURE_RULES, LAST
from leftovers import end_within, processes_in, temporary_files
from runs import Project

# Whom a signal is sent to: the process group, Snakemake alone, or a single job.
KINDS = [
    (number, whom)
    for whom in ("the process group", "Snakemake alone", "a single job")
    for number in (signal.SIGKILL, signal.SIGTERM)
]
_STARTED = re.compile(
    r"^(?:local)?(?:rule|checkpoint) (\w+):\n(?:    .*\n)*?    jobid: (\d+)$", re.MULTILINE
)
_FINISHED = re.compile(r"^Finished jobid: (\d+) ", re.MULTILINE)
_AT_WORK = {"openml_selection": "selection of OpenML tasks", "openml_predictions": "OpenML fetch"}
# Files that differ from run to run: the requests with their times, and the time of the last one.
_OF_THE_MOMENT = re.compile(r"/ledger/|/pace$")
LONGEST = 3600.0  # seconds of a run, on a busy machine
_SOON = 120.0  # seconds in which processes end after a kill, on a busy machine


def contents(project: Project, pattern: str) -> dict[str, bytes]:
    """Return the content of each file that is the same in every run, by its path."""
    found = project.contents(pattern)
    return {name: body for name, body in found.items() if not _OF_THE_MOMENT.search(name)}


class Chain:
    """A run that is killed again and again, and started again with the same command.

    Parameters
    ----------
    project : Project
    targets : sequence of str
    options : mapping
        Options of `Project.start`, with the variable TMPDIR in its `environment`.
    complete : mapping of str to bytes
        Files of an undisturbed run, by path in the project. A file that is found is one of them.
    pattern : str
        Glob of the files that are compared.
    seconds : float
        Run time of an undisturbed run.
    seed : int
    """

    def __init__(self, project: Project, targets, options, complete, *, pattern, seconds, seed):
        self.project, self.targets, self.options = project, targets, options
        self.complete, self.pattern = complete, pattern
        self.seconds_per_file = seconds / len(complete)
        self.moments = random.Random(seed)
        self.scratch = Path(options["environment"]["TMPDIR"])
        self.kills: list[tuple[str, str]] = []  # kind and stage of each kill

    def run(self, n_kills: int) -> None:
        """Kill the run at `n_kills` random moments of its progress, then let it end.

        The moments are shares of all files; the last one is before the last file. If a run ends
        before its kill, the next one starts from nothing. After each kill, files with their final
        names are complete; at the end all are there, and nothing else.
        """
        kinds = cycle(KINDS)
        while missing := n_kills - len(self.kills):
            shares = sorted(self.moments.random() for _ in range(missing - 1))
            for share in [*shares, 1 - 1 / len(self.complete)]:
                if not self._kill(share, *next(kinds)):
                    break
            self._ends_as_undisturbed()
            for folder in self._folders:
                shutil.rmtree(folder, ignore_errors=True)

    def _ends_as_undisturbed(self) -> None:
        self.project.run(*self.targets, timeout=LONGEST, **self.options).succeeded()
        assert self._found() == self.complete
        assert self.left_behind() == []
        assert self.project.run(*self.targets, timeout=LONGEST, **self.options).nothing_to_do
        assert self.left_behind() == []

    def counts(self) -> Iterator[tuple[str, int]]:
        """Yield how many kills there were in total, of each kind, and in each stage."""
        yield "kills survived", len(self.kills)
        for place, text in enumerate(("kills survived, {}", "kills survived during: {}")):
            for name, count in Counter(kill[place] for kill in self.kills).items():
                yield text.format(name), count

    def left_behind(self) -> list[Path]:
        """Return temporary files in the project's folders of files and in TMPDIR."""
        return [*temporary_files(*self._folders), *self.scratch.iterdir()]

    @property
    def _folders(self) -> tuple[Path, Path]:
        """Where the project's results and downloads are."""
        return self.project.folder / "results", self.project.folder / "resources"

    def _kill(self, share: float, number: signal.Signals, whom: str) -> bool:
        """Start the run, and kill it when it has a share of the files; False if it ends before."""
        process = self.project.start(*self.targets, **self.options)
        wanted = share * len(self.complete)
        while process.poll() is None and len(self.project.files(self.pattern)) < wanted:
            time.sleep(0.1)
        # Within a job, or, if the files were there already, in the start of the run.
        time.sleep(self.moments.uniform(0, 2 * self.seconds_per_file))
        stage = self._stop(process, number, whom)
        if stage is None:
            assert process.wait() == 0, self._output()
            return False
        code = process.wait(LONGEST)
        self.kills.append((f"{number.name} to {whom}", stage))
        assert end_within(_SOON, self.project.folder), self._output()
        found = self._found()
        assert found == {name: self.complete[name] for name in found}
        # A single job may have ended just before the signal; any other run is stopped by it.
        assert code != 0 or whom == "a single job", self._output()
        return True

    def _stop(self, process, number: signal.Signals, whom: str) -> str | None:
        """Send the signal, and return what the run did then; None if it has ended."""
        while process.poll() is None:
            stage = self._stage()
            try:
                if whom == "the process group":
                    os.killpg(process.pid, number)
                elif whom == "Snakemake alone":
                    os.kill(process.pid, number)
                else:
                    os.kill(self.moments.choice(self._jobs(process)), number)
                return stage
            except (IndexError, ProcessLookupError):  # there is no job, or it has just ended
                time.sleep(0.02)
        return None

    def _jobs(self, process) -> list[int]:
        return [pid for pid in processes_in(self.project.folder) if pid != process.pid]

    def _stage(self) -> str:
        """Return what the run does now."""
        output = self._output()
        started = [(rule, job) for rule, job in _STARTED.findall(output)]
        finished = set(_FINISHED.findall(output))
        running = [rule for rule, job in started if job not in finished]
        if not started:
            return "start"
        if not running:
            return "between jobs"
        rule = running[-1]
        if rule in _AT_WORK:
            return _AT_WORK[rule]
        if rule in FIGURE_RULES:
            return "figures"
        if rule in LAST or rule == "paper_vs_ours":
            return "claims and report"
        if rule.endswith("_block") or rule in ("fraud_predictions", "local_predictions"):
            return "simulations and models"
        return "tables"

    def _found(self) -> dict[str, bytes]:
        return contents(self.project, self.pattern)

    def _output(self) -> str:
        return self.project.outcome(0).output
