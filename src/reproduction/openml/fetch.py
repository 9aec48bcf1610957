"""Fetch the predictions of the runs of one task, or the reason why it cannot be used.

Each request has one of three outcomes. `_TaskFetch` decides what follows from them:

- The item arrives. It is checked, stored and used.
- There is no item, or a wrong one (`ExcludedError`). If the reason lies in the file itself, the
  item is excluded. Otherwise the server may be the cause, so the item is excluded only after the
  server has provided another one. If it does not, this is an outage.
- There is no response (`DownloadError`). The item is postponed; a task with postponed items is
  unfinished.

An outage and an unfinished task stop the job and exclude nothing. A later run resumes.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reproduction.core.io import atomic, sha256_of
from reproduction.openml import limits
from reproduction.openml.arff import (
    PredictionsError,
    PredictionsFile,
    read_arff_column,
    read_predictions_bytes,
)
from reproduction.openml.deadlines import Deadline
from reproduction.openml.documents import (
    ApiError,
    RunDescription,
    dataset_addresses,
    run_description,
)
from reproduction.openml.download import ContentError, DownloadError
from reproduction.openml.ledger import Entry, Ledger
from reproduction.openml.reasons import ExcludedError, may_be_an_outage
from reproduction.openml.run_predictions import N_FOLDS, RunPredictions
from reproduction.openml.selection import SelectedTask
from reproduction.openml.server import OutageError, Server
from reproduction.openml.truth import CheckedRun, Reference, reference_of
from reproduction.ranking.predictions import USED, describe, no_predictions

ROUNDS = 3
ROUND_PAUSE = 60.0  # seconds between rounds; a temporary failure may be over by then
DOUBTFUL_IN_A_ROW = 5  # runs; this many may be an outage
_N_PROBES = 3  # files from earlier requests that may show that the server works

logger = logging.getLogger(__name__)


class UnfinishedError(RuntimeError):
    """Some files could not be downloaded now. What was fetched is kept; a later run resumes."""


@dataclass(frozen=True)
class FetchedTask:
    """Predictions of the models of a task, or the reason why it cannot be used.

    Attributes
    ----------
    predictions : DataFrame
        Columns task, run, repeat, fold, row_id, y_true (int8, 1 is the minority class), y_score.
        There are no rows if the task cannot be used.
    task : DataFrame, 1 row
        The output of `describe`.
    status : DataFrame
        Columns task, run, outcome (``used``, ``repaired``, ``excluded``), reason, detail;
        for used runs auc_check (``checked``, ``partly checked``, ``not checked`` against the
        server's AUC of the folds) and model (flow and setup). The row with an empty run is the
        status of the task.
    """

    predictions: pd.DataFrame
    task: pd.DataFrame
    status: pd.DataFrame


def run(
    *,
    task: Mapping[str, Any],
    server: Mapping[str, Any],
    seconds_per_task: float,
    resources: str,
    n_models: int,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the tables of `fetch_task`; `server` has the arguments of `Server`."""
    fetched = fetch_task(
        SelectedTask.of_dict(task),
        Server(resources=resources, **server),
        n_models=n_models,
        seed=seed,
        seconds=seconds_per_task,
    )
    return fetched.predictions, fetched.task, fetched.status


def fetch_task(
    task: SelectedTask, server: Server, *, n_models: int, seed: int, seconds: float = 7200.0
) -> FetchedTask:
    """Fetch and check the predictions of `n_models` runs of a task.

    Runs are tried in a random order that depends on (seed, task_id). A run that cannot be used is
    replaced by the next. Files from an earlier call are not requested again, unless they were
    damaged in the meantime.

    Parameters
    ----------
    task : SelectedTask
    server : Server
    n_models : int
    seed : int
    seconds : float
        Time limit.

    Raises
    ------
    OutageError
        If the server does not respond, or no longer provides any file.
    UnfinishedError
        If single files could not be downloaded although the server responds, or at the time limit.
    """
    deadline = Deadline(seconds)
    for rounds_left in reversed(range(ROUNDS)):
        try:
            return _TaskFetch(task, server, deadline, n_models, seed).run()
        except OutageError as error:
            raise OutageError(_with_advice(task, error)) from error
        except UnfinishedError as error:
            logger.warning("task %d: %s", task.task_id, error)
            if not rounds_left or not deadline.sleep(ROUND_PAUSE):
                raise UnfinishedError(_with_advice(task, error)) from error


def _with_advice(task: SelectedTask, error: Exception) -> str:
    return (
        f"task {task.task_id}: {error}. Nothing is excluded because of this, and what was fetched "
        "is kept. Run the same command again later, or add the task to ranking.openml.skip_tasks."
    )


def sampled_order(task: SelectedTask, seed: int) -> list[int]:
    """Return the order in which the runs of a task are tried."""
    sequence = np.random.SeedSequence(seed, spawn_key=(task.task_id,))
    return np.random.default_rng(sequence).permutation(sorted(task.runs)).tolist()


@dataclass(frozen=True)
class _Fetched:
    """A run whose files are available and readable."""

    run_id: int
    predictions: RunPredictions
    description: RunDescription


@dataclass(frozen=True)
class _Used:
    """A run that agrees with the reference."""

    checked: CheckedRun
    model: str


@dataclass
class _TaskFetch:
    """One attempt to fetch the runs of a task.

    `excluded` has the runs that cannot be used, `n_rejected` of them because they do not agree with
    the reference. `postponed` has the runs without a response, and `doubtful` those that cannot be
    used, unless the server is the cause.
    """

    task: SelectedTask
    server: Server
    deadline: Deadline
    n_models: int
    seed: int
    excluded: dict[int, ExcludedError] = field(default_factory=dict)
    n_rejected: int = 0
    postponed: dict[int, DownloadError] = field(default_factory=dict)
    doubtful: dict[int, ExcludedError] = field(default_factory=dict)

    def __post_init__(self):
        self.ledgers = self.server.folder / "ledger"
        self.ledger = Ledger(self.ledgers / f"{self.task.task_id}.jsonl")

    def run(self) -> FetchedTask:
        try:
            reference, used = self._usable_runs()
        except ExcludedError as error:
            logger.warning("task %d is not used: %s", self.task.task_id, error)
            return self._result(no_predictions(), ("excluded", error.reason, error.detail), {})
        return self._result(
            pd.concat([self._rows(run_id, reference, run) for run_id, run in used.items()]),
            (USED, "", f"truth from {reference.source}"),
            used,
        )

    # --------------------------------------------------------------------- selecting runs

    def _usable_runs(self) -> tuple[Reference, dict[int, _Used]]:
        """Return the reference, and the first `n_models` runs that agree with it by run_id."""
        target = self._target()
        if target is not None and target.nunique() != 2:
            labels = target.dropna().unique()[:5].tolist()
            raise ExcludedError("not_binary", f"{target.nunique()} labels in the data: {labels}")
        candidates = self._candidates(self._row_counts(target))
        first = list(self._until_enough(candidates))
        self._stop_if_unfinished()
        if not first:
            raise ExcludedError("too_few_usable_runs", f"0 of {self.n_models}")
        used: dict[int, _Used] = {}
        try:
            reference = reference_of([run.predictions for run in first], target)
            self._check_runs(first, reference, used)
            if folds := reference.one_class_folds():
                raise ExcludedError("one_class_fold", f"folds {folds}")
            if len(used) < self.n_models:
                self._check_runs(candidates, reference, used)
                self._stop_if_unfinished()
            if len(used) < self.n_models:
                raise ExcludedError("too_few_usable_runs", f"{len(used)} of {self.n_models}")
        except ExcludedError as error:
            self._stop_if_most_are_rejected(used, str(error))
            raise
        self._stop_if_most_are_rejected(used, "most runs do not agree with the reference")
        for run_id in used:
            self._record_as_good(_predictions_item(run_id))
        return reference, used

    def _check_runs(self, runs, reference: Reference, used: dict[int, _Used]) -> None:
        """Add the runs that agree with the reference to `used`, until there are enough."""
        for run in runs:
            try:
                checked = reference.check(run.predictions, run.description.auc)
            except ExcludedError as error:
                self.excluded[run.run_id] = error
                self.n_rejected += 1
            else:
                used[run.run_id] = _Used(checked, run.description.model)
            if len(used) + len(self.postponed) >= self.n_models:
                break

    def _stop_if_most_are_rejected(self, used: dict[int, _Used], problem: str) -> None:
        """Raise `OutageError` if most files are wrong, and may be those of other runs."""
        if used and self.n_rejected <= len(used):
            return
        try:
            self._stop_unless_server_works(problem, "predictions", ("good",))
        except OutageError:
            self._forget_task()
            raise

    def _until_enough(self, candidates: Iterator[_Fetched]) -> Iterator[_Fetched]:
        for number, run in enumerate(candidates, 1):
            yield run
            if number + len(self.postponed) >= self.n_models:
                return

    def _candidates(self, n_rows: range) -> Iterator[_Fetched]:
        """Yield the runs with readable files, in the order in which they were drawn."""
        for number, run_id in enumerate(sampled_order(self.task, self.seed), 1):
            known = self.ledger.get(_predictions_item(run_id))
            if known is not None and known.status == "excluded":
                self.excluded[run_id] = ExcludedError(known.reason, known.detail)
                continue
            if not self.deadline.remaining():
                raise UnfinishedError(
                    f"the time limit of {self.deadline.seconds:.3g} s per task has passed"
                )
            try:
                yield self._fetch(run_id, n_rows)
            except ExcludedError as error:
                logger.info("run %d cannot be used: %s", run_id, error)
                self._exclude_or_doubt(run_id, error)
            except DownloadError as error:
                self._write(_predictions_item(run_id), "transient", "transient", str(error))
                self.postponed[run_id] = error
                if len(self.postponed) >= self.n_models:
                    return
            if number % 10 == 0:
                logger.info("task %d: %d runs examined", self.task.task_id, number)

    def _fetch(self, run_id: int, n_rows: range) -> _Fetched:
        def read(file: Path) -> RunPredictions:
            return RunPredictions.of_file(_read_run(file, n_rows))

        description = self._description(run_id)
        item, path = _predictions_item(run_id), self._predictions_path(run_id)
        if self._is_intact(item, path):
            return _Fetched(run_id, read(path), description)
        url = description.predictions_url
        predictions = self.server.file(url, path, read, self.deadline)
        self._write(item, "stored", url=url, sha256=sha256_of(path), size=path.stat().st_size)
        self._exclude_doubtful()
        return _Fetched(run_id, predictions, description)

    def _is_intact(self, item: str, path: Path) -> bool:
        """Whether the file is as it was downloaded."""
        known = self.ledger.get(item)
        return path.exists() and known is not None and sha256_of(path) == known.sha256

    def _predictions_path(self, run_id: int) -> Path:
        return self.server.folder / "predictions" / f"{run_id}.arff"

    def _row_counts(self, target: pd.Series | None) -> range:
        """Return the valid row counts of a file; rows without a label may be missing."""
        if target is not None:
            return range(int(target.notna().sum()), len(target) + 1)
        n_labelled = self.task.n_minority + self.task.n_majority
        return range(n_labelled, max(n_labelled, self.task.n_instances) + 1)

    def _description(self, run_id: int) -> RunDescription:
        read = partial(run_description, run_id=run_id, task_id=self.task.task_id)
        return self._document(_run_address(run_id), read)

    def _document(self, address: str, read: Callable):
        try:
            return self.server.document(address, read, self.deadline)
        except ApiError as error:
            raise ExcludedError("unknown", str(error)) from error

    # ------------------------------------------------------------------------------ failures

    def _exclude_or_doubt(self, run_id: int, error: ExcludedError) -> None:
        if not may_be_an_outage(error.reason):
            self._exclude(run_id, error)
            return
        self._forget(run_id)
        self.doubtful[run_id] = error
        if len(self.doubtful) >= DOUBTFUL_IN_A_ROW:
            self._settle_doubtful()

    def _exclude(self, run_id: int, error: ExcludedError) -> None:
        self.excluded[run_id] = error
        self._write(_predictions_item(run_id), "excluded", error.reason, error.detail)

    def _exclude_doubtful(self) -> None:
        """Exclude the doubtful runs. Call it when the server has provided a file after them."""
        for run_id, error in self.doubtful.items():
            self._exclude(run_id, error)
        self.doubtful.clear()

    def _settle_doubtful(self) -> None:
        last = list(self.doubtful.values())[-1]
        problem = f"{len(self.doubtful)} runs in a row cannot be used, the last one because {last}"
        self._stop_unless_server_works(problem, "predictions", ("stored", "good"))
        self._exclude_doubtful()

    def _forget(self, run_id: int) -> None:
        """Remove the files of a run, so that they are requested again."""
        self.server.forget(_run_address(run_id))
        self._predictions_path(run_id).unlink(missing_ok=True)

    def _forget_task(self) -> None:
        """Remove all files of the task, and of the true labels."""
        for run_id in self.task.runs:
            self._forget(run_id)
            if self.ledger.get(_predictions_item(run_id)) is not None:
                self._write(_predictions_item(run_id), "transient", "transient", "forgotten")
        self.server.forget(_dataset_address(self.task.dataset_id))
        for path in self._targets.glob(f"{self._target_name}.*"):
            path.unlink(missing_ok=True)

    def _stop_unless_server_works(self, problem: str, kind: str, statuses: tuple[str, ...]) -> None:
        """Raise `OutageError` unless an item of an earlier request is still available.

        Parameters
        ----------
        problem : str
        kind : {"predictions", "target"}
            The server may store predictions and datasets in different places.
        statuses : tuple of str
            Statuses in the ledger of items that show whether the server works.
        """
        known = [
            (int(path.stem), entry)
            for path in self.ledgers.glob("*.jsonl")
            for entry in Ledger(path).find(kind, statuses)
        ]
        known.sort(key=lambda item: (item[1].size, item[1].item))  # small files first
        n_probed = 0
        for task_id, entry in known[:_N_PROBES]:
            if self._is_still_available(task_id, entry):
                return
            n_probed += 1
        doubt = (
            f"{n_probed} earlier items are no longer available either"
            if n_probed
            else "no other item has shown so far that the server works"
        )
        raise OutageError(f"{problem}; {doubt}, so the server may be the cause")

    def _is_still_available(self, task_id: int, known: Entry) -> bool:
        """Whether the server still provides an item, with its description."""
        kind, number = known.item.split("/")
        if kind == "predictions":
            address = _run_address(int(number))
            read = partial(run_description, run_id=int(number), task_id=task_id)
        else:
            address = _dataset_address(int(number))
            read = partial(dataset_addresses, dataset_id=int(number))

        def check(file: Path) -> None:
            if sha256_of(file) != known.sha256:
                raise ContentError(f"{known.item} has changed")

        with tempfile.TemporaryDirectory() as scratch:
            try:
                found = self.server.document_now(address, read, self.deadline)
                url = found.predictions_url if kind == "predictions" else known.url
                self.server.file(url, Path(scratch) / "file", check, self.deadline)
            except (ApiError, DownloadError, ExcludedError):
                return False
        return True

    def _stop_if_unfinished(self) -> None:
        if self.postponed:
            raise UnfinishedError(
                f"{len(self.postponed)} of {self.n_models} files could not be downloaded: runs "
                f"{sorted(self.postponed)}; ranking.openml.excluded_runs can exclude them. "
                f"Last error: {list(self.postponed.values())[-1]}"
            )
        if self.doubtful:
            self._settle_doubtful()

    def _write(self, item: str, status: str, reason: str = "", detail: str = "", **facts) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.ledger.add(Entry(item, status, reason, detail, time=now, **facts))

    def _record_as_good(self, item: str) -> None:
        known = self.ledger.get(item)
        if known.status != "good":
            self.ledger.add(replace(known, status="good"))

    # ----------------------------------------------------------------------- the true labels

    def _target(self) -> pd.Series | None:
        """Return the text of the dataset's target by row_id, or None if it is not available."""
        item = f"target/{self.task.dataset_id}"
        kept = self._kept_target()
        known = self.ledger.get(item)
        if kept is not None or (known is not None and known.status == "excluded"):
            return kept
        try:
            target = self.server.patiently(self._fetch_target, self.deadline)
        except ExcludedError as error:
            self.server.forget(_dataset_address(self.task.dataset_id))
            problem = f"dataset {self.task.dataset_id} cannot be used: {error}"
            self._stop_unless_server_works(problem, "target", ("good",))
            self._write(item, "excluded", error.reason, error.detail)
            return None
        return self._keep_target(target)

    def _kept_target(self) -> pd.Series | None:
        """Return the stored target. The name of its file ends with its checksum."""
        for path in sorted(self._targets.glob(f"{self._target_name}.*.parquet")):
            if path.stem.endswith(sha256_of(path)[:16]):
                return pd.read_parquet(path)["target"]
            path.unlink()
        return None

    def _keep_target(self, target: list[str | None]) -> pd.Series:
        frame = pd.DataFrame({"target": target})
        content = frame.to_parquet(index=False)
        checksum = hashlib.sha256(content).hexdigest()[:16]
        with atomic(self._targets / f"{self._target_name}.{checksum}.parquet") as temporary:
            temporary.write_bytes(content)
        return self._kept_target()

    @property
    def _targets(self) -> Path:
        return self.server.folder / "targets"

    @property
    def _target_name(self) -> str:
        return f"{self.task.dataset_id}.{_short_digest(self.task.target)}"

    def _fetch_target(self) -> list[str | None]:
        read = partial(dataset_addresses, dataset_id=self.task.dataset_id)
        addresses = self._document(_dataset_address(self.task.dataset_id), read)
        failures = []
        for url, read_column in zip(addresses, (_parquet_column, _arff_column), strict=True):
            try:
                return self._column_of_file(url, read_column)
            except (ExcludedError, DownloadError) as error:
                failures.append(error)
        for error in failures:
            if isinstance(error, DownloadError):
                raise error
        raise ExcludedError("missing", "; ".join(map(str, failures)))

    def _column_of_file(self, url: str, read_column: Callable) -> list[str | None]:
        """Return the target from a dataset file. The file is not kept, as it has all features."""

        def read(file: Path) -> list[str | None]:
            values = read_column(file, self.task.target)
            if len(values) < self.task.n_instances:
                raise PredictionsError(
                    "incomplete", f"{len(values)} rows of {self.task.n_instances}"
                )
            return values

        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "dataset"
            values = self.server.file(url, path, read, self.deadline)
            facts = {"url": url, "sha256": sha256_of(path), "size": path.stat().st_size}
        self._write(f"target/{self.task.dataset_id}", "good", **facts)
        return values

    # ------------------------------------------------------------------------------- results

    def _rows(self, run_id: int, reference: Reference, run: _Used) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "task": str(self.task.task_id),
                "run": str(run_id),
                "repeat": reference.repeat,
                "fold": reference.fold,
                "row_id": reference.row_id,
                "y_true": reference.y_true,
                "y_score": run.checked.y_score,
            }
        )

    def _result(
        self, predictions: pd.DataFrame, of_task: tuple[str, str, str], used: dict[int, _Used]
    ) -> FetchedTask:
        outcome, reason, _ = of_task
        task = describe(
            predictions,
            task=str(self.task.task_id),
            name=self.task.name,
            dataset=str(self.task.dataset_id),
            outcome=reason or outcome,
            sizes=(self.task.n_minority, self.task.n_majority),
        )
        return FetchedTask(predictions, task, self._status(of_task, used))

    def _status(self, of_task: tuple[str, str, str], used: dict[int, _Used]) -> pd.DataFrame:
        rows = [("", *of_task, "", "")]
        for run_id in sampled_order(self.task, self.seed):
            if run_id in used:
                rows.append((str(run_id), *_status_of_run(used[run_id])))
            elif run_id in self.excluded:
                error = self.excluded[run_id]
                rows.append((str(run_id), "excluded", error.reason, error.detail, "", ""))
        columns = ["run", "outcome", "reason", "detail", "auc_check", "model"]
        status = pd.DataFrame(rows, columns=columns)
        status.insert(0, "task", str(self.task.task_id))
        return status


def _status_of_run(run: _Used) -> tuple[str, str, str, str, str]:
    """Return outcome, reason, detail, check of the AUC, and model."""
    n_folds = run.checked.n_folds_with_auc
    if n_folds == N_FOLDS:
        detail, check = "", "checked"
    else:
        detail = f"the server states the AUC of {n_folds} of {N_FOLDS} folds"
        check = "partly checked" if n_folds else "not checked"
    return "repaired" if run.checked.repaired else USED, "", detail, check, run.model


def _read_run(path: Path, n_rows: range) -> PredictionsFile:
    """Read a predictions file, and check the number of rows of its first repeat."""
    file = read_predictions_bytes(path.read_bytes(), "predictions")
    found = int((file.repeat == file.repeat.min()).sum())
    if found not in n_rows:
        reason = "incomplete" if found < n_rows.start else "too_many_rows"
        raise PredictionsError(reason, f"{found} rows of {n_rows.start}")
    return file


def _predictions_item(run_id: int) -> str:
    """Return the name of a run's predictions in the ledger."""
    return f"predictions/{run_id}"


def _run_address(run_id: int) -> str:
    """Return the address of a run's description in the API."""
    return f"run/{run_id}"


def _dataset_address(dataset_id: int) -> str:
    """Return the address of a dataset's description in the API."""
    return f"data/{dataset_id}"


def _parquet_column(path: Path, name: str) -> list[str | None]:
    with open(path, "rb") as file:
        if file.read(4) != b"PAR1":
            raise PredictionsError("not_arff", "not a parquet file")
    try:
        values = limits.read_parquet(path, [name])[name]
    except ValueError as error:
        raise PredictionsError("unreadable", str(error)) from error
    return [None if pd.isna(value) else str(value) for value in values]


def _arff_column(path: Path, name: str) -> list[str | None]:
    return list(read_arff_column(path, name))


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
