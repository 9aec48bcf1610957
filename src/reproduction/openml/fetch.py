"""Fetch the predictions of the runs of one task, or the reason why it cannot be used.

A run whose file says that it cannot be used is excluded. A run that the server refuses, or sends
wrongly, is requested three times, spread over a minute. If it is still refused while other runs
arrive, the next one replaces it, and a later run of the same command asks for it once more.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from reproduction.openml import again, dataset
from reproduction.openml.documents import RunDescription, run_description
from reproduction.openml.reasons import ExcludedError, RefusedError, UnfinishedError
from reproduction.openml.run_predictions import N_FOLDS, RunPredictions
from reproduction.openml.selection import SelectedTask
from reproduction.openml.server import PAUSES, Server, patiently
from reproduction.openml.truth import CheckedRun, Reference, reference_of
from reproduction.ranking.predictions import USED, describe, no_predictions

MOST_IN_A_ROW = 10  # refused runs without a good one in between; then a pause is due
_DATASET = "dataset"  # its name among what is refused; the others are the ids of runs

logger = logging.getLogger(__name__)
_Taken = TypeVar("_Taken")


@dataclass(frozen=True)
class FetchedTask:
    """Predictions of the models of a task, or the reason why it cannot be used."""

    # task, run, repeat, fold, row_id, y_true (int8, 1 is the minority class), y_score; no rows if
    # the task cannot be used
    predictions: pd.DataFrame
    # one row, the output of `describe`
    task: pd.DataFrame
    # task, run, outcome (`used`, `repaired`, `excluded`, `refused`), reason, detail; for used runs
    # auc_check (`checked`, `partly checked`, `not checked` against the server's AUC of the folds)
    # and model (flow and setup); the row with an empty run is the status of the task
    status: pd.DataFrame
    refused: frozenset[str]  # what to ask for once more


def run(
    *,
    task: Mapping[str, Any],
    server: Mapping[str, Any],
    resources: str,
    refused: str,
    attempt: int,
    **options: Any,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the tables of `fetch_task`; `server` has the arguments of `Server`.

    `refused` is the file of `again`, and `attempt` its number.
    """
    fetched = fetch_task(
        SelectedTask(**task),
        Server(resources=resources, **server),
        refused_before=again.refused(refused),
        **options,
    )
    again.record(refused, attempt, fetched.refused)
    return fetched.predictions, fetched.task, fetched.status


def fetch_task(
    task: SelectedTask,
    server: Server,
    *,
    n_models: int,
    seed: int,
    refused_before: frozenset[str] = frozenset(),
) -> FetchedTask:
    """Fetch and check the predictions of `n_models` runs of a task.

    Runs are tried in a random order that depends on (seed, task_id).
    """
    fetch = _TaskFetch(task, server, n_models, sampled_order(task, seed), refused_before)
    try:
        return fetch.run()
    except UnfinishedError as error:
        if any(each.reason == "truth_differs" for each in fetch.excluded.values()):
            dataset.forget(server, task.dataset_id)
        raise UnfinishedError(
            f"task {task.task_id}: {error}. What arrived is kept: run the same command again, or "
            f"set ranking.openml.skip_tasks: [{task.task_id}]"
        ) from error


def sampled_order(task: SelectedTask, seed: int) -> list[int]:
    """Return the order in which the runs of a task are tried."""
    sequence = np.random.SeedSequence(seed, spawn_key=(task.task_id,))
    return np.random.default_rng(sequence).permutation(sorted(task.runs)).tolist()


@dataclass
class _TaskFetch:
    """One attempt to fetch the runs of a task."""

    task: SelectedTask
    server: Server
    n_models: int
    order: list[int]
    refused_before: frozenset[str]
    excluded: dict[int, ExcludedError] = field(default_factory=dict)  # also what is refused so far
    lacks_dataset: bool = False

    def run(self) -> FetchedTask:
        try:
            reference, used = self._used_runs()
            outcome = (USED, "", f"truth from {reference.source}")
            rows = [self._rows(run_id, reference, run) for run_id, run in used.items()]
        except ExcludedError as error:
            logger.warning("task %d is not used: %s", self.task.task_id, error)
            used, outcome = {}, ("excluded", error.reason, error.detail)
            rows = [no_predictions()]
        predictions = pd.concat(rows)
        task = describe(
            predictions,
            task=str(self.task.task_id),
            name=self.task.name,
            dataset=str(self.task.dataset_id),
            outcome=outcome[1] or USED,
            sizes=(self.task.n_minority, self.task.n_majority),
        )
        refused = {str(run) for run, error in self.excluded.items() if not error.is_final}
        if self.lacks_dataset:
            refused.add(_DATASET)
        return FetchedTask(predictions, task, self._status(outcome, used), frozenset(refused))

    def _used_runs(self) -> tuple[Reference, dict[int, CheckedRun]]:
        """Return the reference, and the first `n_models` runs that agree with it."""
        target = self._target()
        if target is not None and target.nunique() != 2:
            labels = target.dropna().unique()[:5].tolist()
            raise ExcludedError("not_binary", f"{target.nunique()} labels in the data: {labels}")
        read = partial(self._read, n_rows=self._row_counts(target))
        readable = self._first(read)
        try:
            reference = reference_of([*readable.values()], target)
        except ExcludedError as error:  # their files may be those of other runs
            for run_id in readable:
                self._exclude(run_id, error)
            raise

        def check(run_id: int) -> CheckedRun:
            predictions = readable.pop(run_id, None) or read(run_id)
            return reference.check(predictions, self._description(run_id))

        used = self._first(check)
        if folds := reference.one_class_folds():
            raise ExcludedError("one_class_fold", f"folds {folds}")
        return reference, used

    # ------------------------------------------------------------------------------ asking again

    def _first(self, take: Callable[[int], _Taken]) -> dict[int, _Taken]:
        """Return what `take` makes of the first `n_models` runs that it accepts.

        What is refused is requested again after pauses.
        """
        candidates = [run_id for run_id in self.order if run_id not in self.excluded]
        taken: dict[int, _Taken] = {}
        for pause in PAUSES:
            time.sleep(pause)
            n_tried = self._take_first(candidates, take, taken)
            if not any(map(self._is_refused, candidates)):
                break
        chosen = [run_id for run_id in candidates if run_id in taken][: self.n_models]
        if len(chosen) < self.n_models:
            raise self._too_few(len(chosen))
        for run_id in candidates[n_tried:]:  # refused in an earlier round, and not needed any more
            self.excluded.pop(run_id, None)
        return {run_id: taken[run_id] for run_id in chosen}

    def _take_first(
        self, candidates: list[int], take: Callable[[int], _Taken], taken: dict[int, _Taken]
    ) -> int:
        """Request runs in their order until `n_models` are taken; return how many it took."""
        n_tried = n_taken = in_a_row = 0
        for run_id in candidates:
            n_tried += 1
            if run_id not in taken and (run_id not in self.excluded or self._is_refused(run_id)):
                try:
                    taken[run_id] = take(run_id)
                    self.excluded.pop(run_id, None)
                except ExcludedError as error:
                    self._exclude(run_id, error)
            if run_id in taken:
                n_taken, in_a_row = n_taken + 1, 0
            elif self._is_refused(run_id):
                in_a_row += 1
            if n_taken == self.n_models or in_a_row == MOST_IN_A_ROW:
                break
        return n_tried

    def _is_refused(self, run_id: int) -> bool:
        """Whether a run is refused so far, and is requested once more in this attempt."""
        error = self.excluded.get(run_id)
        return not (error is None or error.is_final or str(run_id) in self.refused_before)

    def _exclude(self, run_id: int, error: ExcludedError) -> None:
        """Note why a run cannot be used. Unless its file says so, its files are requested again."""
        logger.info("run %d cannot be used: %s", run_id, error)
        self.excluded[run_id] = error
        if not error.is_final:
            self.server.forget_document(_address(run_id))
            self.server.forget(_name(run_id))

    def _too_few(self, n_used: int) -> Exception:
        """Return the reason of a task with too few runs, unless the server may be the cause."""
        doubtful = [error for error in self.excluded.values() if not error.is_final]
        n_refused = sum(isinstance(error, RefusedError) for error in doubtful)
        if n_refused or len(doubtful) > n_used:
            return UnfinishedError(
                f"{n_used} of {self.n_models} models; the server refuses {n_refused} runs and "
                f"sends {len(doubtful) - n_refused} that cannot be used; the last: {doubtful[-1]}"
            )
        return ExcludedError("too_few_usable_runs", f"{n_used} of {self.n_models}")

    # ------------------------------------------------------------------------------------- files

    def _read(self, run_id: int, n_rows: range) -> RunPredictions:
        url = self._description(run_id).predictions_url
        return self.server.file(url, _name(run_id), partial(RunPredictions.read, n_rows=n_rows))

    def _description(self, run_id: int) -> RunDescription:
        read = partial(run_description, run_id=run_id, task_id=self.task.task_id)
        return self.server.document(_address(run_id), read)

    def _row_counts(self, target: pd.Series | None) -> range:
        """Return the valid row counts of a file; rows without a label may be missing."""
        if target is not None:
            return range(int(target.notna().sum()), len(target) + 1)
        n_labelled = self.task.n_minority + self.task.n_majority
        return range(n_labelled, max(n_labelled, self.task.n_instances) + 1)

    def _target(self) -> pd.Series | None:
        """Return the text of the dataset's target by row_id, or None if it cannot be had."""
        task = self.task
        read = partial(dataset.target, self.server, task.dataset_id, task.target, task.n_instances)
        try:
            return read() if _DATASET in self.refused_before else patiently(read)
        except ExcludedError as error:
            logger.warning("dataset %d: %s", task.dataset_id, error)
            self.lacks_dataset = not error.is_final
            return None

    # ----------------------------------------------------------------------------------- results

    def _rows(self, run_id: int, reference: Reference, run: CheckedRun) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "task": str(self.task.task_id),
                "run": str(run_id),
                "repeat": reference.repeat,
                "fold": reference.rows["fold"].to_numpy(),
                "row_id": reference.rows.index.to_numpy(),
                "y_true": reference.y_true,
                "y_score": run.y_score,
            }
        )

    def _status(self, of_task: tuple[str, str, str], used: dict[int, CheckedRun]) -> pd.DataFrame:
        rows = [("", *of_task, "", "")]
        for run_id in self.order:
            if run_id in used:
                rows.append((str(run_id), *_status_of_run(used[run_id])))
            elif run_id in self.excluded:
                error = self.excluded[run_id]
                outcome = "refused" if isinstance(error, RefusedError) else "excluded"
                rows.append((str(run_id), outcome, error.reason, error.detail, "", ""))
        columns = ["run", "outcome", "reason", "detail", "auc_check", "model"]
        status = pd.DataFrame(rows, columns=columns)
        status.insert(0, "task", str(self.task.task_id))
        return status


def _status_of_run(run: CheckedRun) -> tuple[str, str, str, str, str]:
    """Return outcome, reason, detail, check of the AUC, and model."""
    n_folds = run.n_folds_with_auc
    if n_folds == N_FOLDS:
        detail, check = "", "checked"
    else:
        detail = f"the server states the AUC of {n_folds} of {N_FOLDS} folds"
        check = "partly checked" if n_folds else "not checked"
    return "repaired" if run.repaired else USED, "", detail, check, run.model


def _name(run_id: int) -> str:
    return f"predictions/{run_id}.arff"


def _address(run_id: int) -> str:
    return f"run/{run_id}"
