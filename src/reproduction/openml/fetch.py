"""Fetch the predictions of the runs of one task, or the reason why it cannot be used.

A run whose file says that it cannot be used is excluded. A run that the server refuses, or sends
wrongly, is requested twice; then the next one replaces it, and a later run of the same command
asks for it once more.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from reproduction.openml import again
from reproduction.openml.checks import check, folds_of_most, one_class_folds
from reproduction.openml.client import DATASET, PREDICTIONS, Client
from reproduction.openml.reasons import ExcludedError, RefusedError, UnfinishedError
from reproduction.openml.run_predictions import read_run
from reproduction.openml.selection import STATUS, SelectedTask
from reproduction.openml.truth import Target
from reproduction.ranking.predictions import USED, describe, no_predictions


def run(
    *,
    task: Mapping[str, Any],
    server: Mapping[str, Any],
    resources: str,
    n_models: int,
    seed: int,
    refused: str,
    attempt: int,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the predictions of a task, its description, and its rows of the status table.

    There are no predictions if the task cannot be used. `task` has the fields of `SelectedTask`;
    `refused` is the file of `again`, and `attempt` its number.
    """
    selected = SelectedTask(**task)
    client, order = Client(server, resources), sampled_order(selected, seed)
    fetch = _TaskFetch(selected, client, n_models, order, again.refused(refused))
    try:
        return fetch.tables()
    finally:
        again.record(refused, attempt, fetch.refused())


def sampled_order(task: SelectedTask, seed: int) -> list[int]:
    """Return the order in which the runs of a task are tried: random, by (seed, task_id)."""
    sequence = np.random.SeedSequence(seed, spawn_key=(task.task_id,))
    return np.random.default_rng(sequence).permutation(sorted(task.runs)).tolist()


@dataclass
class _TaskFetch:
    """One attempt to fetch the runs of a task."""

    task: SelectedTask
    client: Client
    n_models: int
    order: list[int]
    refused_before: frozenset[str]  # names of files
    errors: dict[int, ExcludedError] = field(default_factory=dict)  # of runs that are not used

    def tables(self) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
        for name in self.refused_before:
            self.client.forget(name)
        used: dict[int, tuple[pd.DataFrame, str]] = {}
        try:
            used = self._used_runs()
            outcome = (USED, "", "")
            name = str(self.task.task_id)
            rows = [run.assign(task=name, run=str(run_id)) for run_id, (run, _) in used.items()]
        except ExcludedError as error:
            outcome = ("excluded", error.reason, error.detail)
            rows = [no_predictions()]
        predictions = pd.concat(rows)[[*no_predictions()]]
        task = describe(
            predictions,
            task=str(self.task.task_id),
            name=self.task.name,
            dataset=str(self.task.dataset_id),
            outcome=outcome[1] or USED,
            sizes=(self.task.n_minority, self.task.n_majority),
        )
        return predictions, task, self._status(outcome, used)

    def refused(self) -> set[str]:
        """Return the names of the files that the next run requests again."""
        names = set()
        for run_id, error in self.errors.items():
            name = PREDICTIONS.format(run_id)
            # A run that the package does not support is asked for once more, not each time.
            if error.is_doubtful or not (error.is_final or name in self.refused_before):
                names.add(name)
        return names

    def _used_runs(self) -> dict[int, tuple[pd.DataFrame, str]]:
        """Return the first `n_models` runs that agree with the dataset and the other runs.

        They are as `check` returns them.
        """
        target = self._target()

        def read(run_id: int) -> tuple[Any, pd.DataFrame]:
            read_file = partial(read_run, target=target)
            return self.client.predictions(run_id, self.task.task_id, read_file)

        readable = self._first(read)
        folds = folds_of_most([rows for _, rows in readable.values()])

        def check_one(run_id: int) -> tuple[pd.DataFrame, str]:
            described, rows = readable.pop(run_id, None) or read(run_id)
            return check(rows, folds, target, described)

        used = self._first(check_one)
        if of_one_class := one_class_folds(folds, target):
            raise ExcludedError("one_class_fold", f"folds {of_one_class}")
        return used

    def _target(self) -> Target:
        """Return the true labels; without them, the task cannot be used."""
        try:
            return self.client.dataset(self.task.dataset_id, partial(Target.read, task=self.task))
        except ExcludedError as error:
            if error.is_final:
                raise
            raise self._unfinished(f"the true labels: {error}") from error

    def _first(self, take: Callable[[int], Any]) -> dict[int, Any]:
        """Return what `take` makes of the first `n_models` runs that it accepts."""
        candidates = [run_id for run_id in self.order if run_id not in self.errors]
        taken, errors = again.first_accepted(candidates, self.n_models, take)
        self.errors |= errors
        if len(taken) < self.n_models:
            raise self._too_few(len(taken))
        return taken

    def _too_few(self, n_used: int) -> Exception:
        """Return the reason of a task with too few runs, unless the server may be the cause."""
        doubtful = [error for error in self.errors.values() if error.is_doubtful]
        n_refused = sum(isinstance(error, RefusedError) for error in doubtful)
        if not n_refused and len(doubtful) <= n_used:
            return ExcludedError("too_few_usable_runs", f"{n_used} of {self.n_models}")
        if any(error.reason == "truth_differs" for error in doubtful):
            self.client.forget(DATASET.format(self.task.dataset_id))
        return self._unfinished(
            f"{n_used} of {self.n_models} models; the server refuses {n_refused} runs and sends "
            f"{len(doubtful) - n_refused} that cannot be used; the last: {doubtful[-1]}"
        )

    def _unfinished(self, problem: str) -> UnfinishedError:
        number = self.task.task_id
        return UnfinishedError(
            f"task {number}: {problem}. What arrived is kept: run the same command again, or set "
            f"ranking.openml.skip_tasks: [{number}]"
        )

    def _status(
        self, of_task: tuple[str, str, str], used: Mapping[int, tuple[pd.DataFrame, str]]
    ) -> pd.DataFrame:
        rows = [("", *of_task)]
        for run_id in self.order:
            if run_id in used:
                rows.append((str(run_id), USED, "", used[run_id][1]))
            elif error := self.errors.get(run_id):
                outcome = "refused" if isinstance(error, RefusedError) else "excluded"
                rows.append((str(run_id), outcome, error.reason, error.detail))
        name = str(self.task.task_id)
        return pd.DataFrame([(name, *row) for row in rows], columns=STATUS)
