"""Fetch the predictions of the runs of one task, or the reason why it cannot be used."""

from __future__ import annotations

import hashlib
import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from time import sleep
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from reproduction.data.download import ContentError, DownloadError
from reproduction.data.openml.arff import (
    PredictionsError,
    PredictionsFile,
    read_arff_column,
    read_predictions_bytes,
)
from reproduction.data.openml.ledger import Entry, Ledger
from reproduction.data.openml.reasons import ExcludedError
from reproduction.data.openml.run_predictions import RunPredictions
from reproduction.data.openml.selection import SelectedTask
from reproduction.data.openml.server import (
    OML,
    PARSER_ERRORS,
    OutageError,
    Server,
    is_transient,
)
from reproduction.data.openml.truth import Reference, reference_of
from reproduction.data.predictions import USED, describe, no_predictions
from reproduction.files import sha256_of, write_parquet

__all__ = ["FetchedTask", "UnfinishedError", "fetch_task", "sampled_order"]

ROUNDS = 3
ROUND_PAUSE = 60.0  # seconds between rounds; a temporary failure may be over by then
MISSING_IN_A_ROW = 5  # files; this many may be an outage of the server's storage
_AUC = "area_under_roc_curve"
_SIGNS_OF_DAMAGE = {
    "not_arff",
    "incomplete",
    "malformed_row",
    "malformed_header",
    "no_rows",
    "bad_index",
    "bad_confidence",
    "unreadable",
}

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
        Columns task, run, outcome (``used``, ``repaired``, ``excluded``), reason, detail. The row
        with an empty run is the status of the task.
    """

    predictions: pd.DataFrame
    task: pd.DataFrame
    status: pd.DataFrame


def fetch_task(task: SelectedTask, server: Server, *, n_models: int, seed: int) -> FetchedTask:
    """Fetch and check the predictions of `n_models` runs of a task.

    Runs are tried in a random order that depends on (seed, task_id). A run that cannot be used is
    replaced by the next. Files from an earlier call are not requested again.

    Raises
    ------
    OutageError
        If the server does not respond, or no longer provides any file.
    UnfinishedError
        If single files could not be downloaded although the server responds.
    """
    with server.openml() as openml:
        for rounds_left in reversed(range(ROUNDS)):
            try:
                return _TaskFetch(task, server, openml, n_models, seed).run()
            except UnfinishedError as error:
                if not rounds_left:
                    raise
                logger.warning("%s; retrying in %.0f s", error, ROUND_PAUSE)
                sleep(ROUND_PAUSE)


def sampled_order(task: SelectedTask, seed: int) -> list[int]:
    """Return the order in which the runs of a task are tried."""
    sequence = np.random.SeedSequence(seed, spawn_key=(task.task_id,))
    return np.random.default_rng(sequence).permutation(sorted(task.runs)).tolist()


@dataclass
class _Fetched:
    """A run whose files are available and readable."""

    run_id: int
    predictions: RunPredictions
    server_auc: dict[int, list[float]]


@dataclass
class _TaskFetch:
    """One attempt to fetch the runs of a task.

    `excluded` has the runs that cannot be used, `postponed` those with a temporary failure, and
    `missing` the items that the server does not provide and that are not excluded yet.
    """

    task: SelectedTask
    server: Server
    openml: object
    n_models: int
    seed: int
    excluded: dict[int, ExcludedError] = field(default_factory=dict)
    postponed: dict[int, DownloadError] = field(default_factory=dict)
    missing: dict[str, Exception] = field(default_factory=dict)  # by item of the ledger

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
            {run_id: "repaired" if run.repaired else USED for run_id, run in used.items()},
        )

    # --------------------------------------------------------------------- selecting runs

    def _usable_runs(self):
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
        reference = reference_of([run.predictions for run in first], target)
        if reference.one_class_folds():
            raise ExcludedError("one_class_fold", f"folds {reference.one_class_folds()}")
        used = {}
        for run in chain(first, candidates):
            try:
                used[run.run_id] = reference.check(run.predictions, run.server_auc)
            except ExcludedError as error:
                self.excluded[run.run_id] = error
            if len(used) + len(self.postponed) >= self.n_models:
                break
        self._stop_if_unfinished()
        if len(used) < self.n_models:
            raise ExcludedError("too_few_usable_runs", f"{len(used)} of {self.n_models}")
        return reference, used

    def _until_enough(self, candidates: Iterator[_Fetched]) -> Iterator[_Fetched]:
        for number, run in enumerate(candidates, 1):
            yield run
            if number + len(self.postponed) >= self.n_models:
                return

    def _candidates(self, n_rows: range) -> Iterator[_Fetched]:
        """Yield the runs with readable files, in the order in which they were drawn."""
        for number, run_id in enumerate(sampled_order(self.task, self.seed), 1):
            try:
                yield self._fetch(run_id, n_rows)
            except ExcludedError as error:
                logger.info("run %d is not used: %s", run_id, error)
                self.excluded[run_id] = error
            except DownloadError as error:
                self._record_failure(run_id, error)
                if len(self.postponed) >= self.n_models:
                    return
            if number % 10 == 0:
                logger.info("task %d: %d runs examined", self.task.task_id, number)

    def _fetch(self, run_id: int, n_rows: range) -> _Fetched:
        known = self.ledger.get(_predictions_item(run_id))
        if known is not None and known.status == "excluded":
            raise ExcludedError(known.reason, known.detail)
        url, server_auc = self._description(run_id)
        path = self.server.folder / "predictions" / f"{run_id}.arff"
        is_new = not path.exists()
        try:
            self.server.file(url, path, Confirmed(lambda file: _read_run(file, n_rows)))
            file = _read_run(path, n_rows)
        except PredictionsError as error:
            if is_new:
                self._exclude_missing()
            self._write(_predictions_item(run_id), "excluded", error.reason, str(error), url=url)
            raise ExcludedError(error.reason, str(error)) from error
        except ExcludedError as error:
            self._write(_predictions_item(run_id), "excluded", error.reason, error.detail, url=url)
            raise
        if is_new:
            self._record_success(run_id, url, path)
        return _Fetched(run_id, RunPredictions.of_file(file), server_auc)

    def _row_counts(self, target: pd.Series | None) -> range:
        """Return the valid row counts of a file; rows without a label may be missing."""
        if target is not None:
            return range(int(target.notna().sum()), len(target) + 1)
        n_labelled = self.task.n_minority + self.task.n_majority
        return range(n_labelled, max(n_labelled, self.task.n_instances) + 1)

    def _description(self, run_id: int) -> tuple[str, dict[int, list[float]]]:
        """Return the address of the predictions, and the AUC of both classes by fold."""
        try:
            run = self._call(self.openml.runs.get_run, run_id, ignore_cache=True)
        except ExcludedError as error:
            if "No prediction" in error.detail:
                raise ExcludedError("no_predictions", error.detail) from error
            raise
        stored = self.server.answer_path(f"{self.server.url}/run/{run_id}")
        return run.predictions_url, _fold_aucs(stored)

    def _call(self, call: Callable, *arguments, **options):
        """Return the result of a function of the `openml` package.

        Raises
        ------
        DownloadError
            If there was no response. It has no status, so it counts as temporary: the API reports
            unknown items in a document, not by a status.
        ExcludedError
            If the API does not have the item, or the package cannot parse the response.
        """
        exceptions = self.openml.exceptions
        try:
            return call(*arguments, **options)
        except DownloadError as error:
            raise DownloadError(str(error)) from error
        except (exceptions.OpenMLServerError, exceptions.OpenMLPrivateDatasetError) as error:
            raise ExcludedError("unknown", str(error)) from error
        except PARSER_ERRORS as error:
            detail = f"{type(error).__name__}: {error}"
            raise ExcludedError("unreadable_description", detail) from error

    # ------------------------------------------------------------------------------ failures

    def _record_failure(self, run_id: int, error: DownloadError) -> None:
        if is_transient(error):
            self._write(_predictions_item(run_id), "transient", "transient", str(error))
            self.postponed[run_id] = error
            return
        self.missing[_predictions_item(run_id)] = error
        if len(self.missing) >= MISSING_IN_A_ROW:
            self._stop_if_storage_is_down()
            self._exclude_missing()

    def _record_success(self, run_id: int, url: str, path: Path) -> None:
        self._exclude_missing()
        facts = {"url": url, "sha256": sha256_of(path), "size": path.stat().st_size}
        self._write(_predictions_item(run_id), "ok", **facts)

    def _exclude_missing(self) -> None:
        """Exclude the missing files. Call it when another file was available in the meantime."""
        for item, error in self.missing.items():
            self._write(item, "excluded", "missing", str(error))
            kind, number = item.split("/")
            if kind == "predictions":
                self.excluded[int(number)] = ExcludedError("missing", str(error))
        self.missing.clear()

    def _stop_if_storage_is_down(self) -> None:
        """Raise `OutageError` unless a file that was fetched earlier is still available.

        If no file was fetched earlier, a single missing file does not count as an outage.
        """
        ledgers = chain([self.ledger], map(Ledger, sorted(self.ledgers.glob("*.jsonl"))))
        known = next(filter(None, (ledger.find("ok") for ledger in ledgers)), None)
        is_up = len(self.missing) == 1 if known is None else self._is_still_available(known)
        if is_up:
            return
        last = list(self.missing.values())[-1]
        raise OutageError(
            f"task {self.task.task_id}: {len(self.missing)} files in a row were not available, so "
            "the server's storage may be down; nothing is excluded, run again later. "
            f"Last error: {last}"
        ) from last

    def _is_still_available(self, known: Entry) -> bool:
        def check(file: Path) -> None:
            if sha256_of(file) != known.sha256:
                raise ContentError(f"{known.item} has changed")

        with tempfile.TemporaryDirectory() as scratch:
            try:
                self.server.file(known.url, Path(scratch) / "file", check)
            except (DownloadError, ExcludedError):
                return False
        return True

    def _stop_if_unfinished(self) -> None:
        if self.postponed:
            raise UnfinishedError(
                f"task {self.task.task_id}: {len(self.postponed)} of {self.n_models} files could "
                f"not be downloaded: runs {sorted(self.postponed)}; what was fetched is kept, run "
                "again later, or add them to ranking.openml.excluded_runs. "
                f"Last error: {list(self.postponed.values())[-1]}"
            )
        if self.missing:
            self._stop_if_storage_is_down()
            self._exclude_missing()

    def _write(self, item: str, status: str, reason: str = "", detail: str = "", **facts) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.ledger.add(Entry(item, status, reason, detail, time=now, **facts))

    # ----------------------------------------------------------------------- the true labels

    def _target(self) -> pd.Series | None:
        """Return the text of the dataset's target by row_id, or None if it is not available."""
        name = f"{self.task.dataset_id}.{_short_digest(self.task.target)}.parquet"
        stored = self.server.folder / "targets" / name
        item = f"target/{self.task.dataset_id}"
        known = self.ledger.get(item)
        if not stored.exists() and (known is None or known.status != "excluded"):
            try:
                target = self.server.patiently(self._fetch_target)
                write_parquet(pd.DataFrame({"target": target}), stored)
            except ExcludedError as error:
                self.missing[item] = error
        return pd.read_parquet(stored)["target"] if stored.exists() else None

    def _fetch_target(self) -> list[str | None]:
        dataset = self._call(
            self.openml.datasets.get_dataset,
            self.task.dataset_id,
            download_data=False,
            download_qualities=False,
            download_features_meta_data=False,
        )
        failures = []
        for url, read in ((dataset._parquet_url, _parquet_column), (dataset.url, _arff_column)):
            try:
                return self._column_of_file(url, read)
            except (ExcludedError, DownloadError) as error:
                failures.append(error)
        for error in failures:
            if isinstance(error, DownloadError) and is_transient(error):
                raise error
        raise ExcludedError("missing", "; ".join(map(str, failures)))

    def _column_of_file(self, url: object, read) -> list[str | None]:
        """Return the target from a dataset file. The file is not kept, as it has all features."""

        def column(file: Path) -> list[str | None]:
            values = read(file, self.task.target)
            if len(values) < self.task.n_instances:
                raise PredictionsError(
                    "incomplete", f"{len(values)} rows of {self.task.n_instances}"
                )
            return values

        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "dataset"
            try:
                self.server.file(url, path, Confirmed(column))
                return column(path)
            except PredictionsError as error:
                raise ExcludedError(error.reason, f"{url}: {error}") from error

    # ------------------------------------------------------------------------------- results

    def _rows(self, run_id: int, reference: Reference, run) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "task": str(self.task.task_id),
                "run": str(run_id),
                "repeat": reference.repeat,
                "fold": reference.fold,
                "row_id": reference.row_id,
                "y_true": reference.y_true,
                "y_score": run.y_score,
            }
        )

    def _result(
        self, predictions: pd.DataFrame, of_task: tuple[str, str, str], used: dict[int, str]
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

    def _status(self, of_task: tuple[str, str, str], used: dict[int, str]) -> pd.DataFrame:
        rows = [("", *of_task)]
        for run_id in sampled_order(self.task, self.seed):
            if run_id in used:
                rows.append((str(run_id), used[run_id], "", ""))
            elif run_id in self.excluded:
                error = self.excluded[run_id]
                rows.append((str(run_id), "excluded", error.reason, error.detail))
        status = pd.DataFrame(rows, columns=["run", "outcome", "reason", "detail"])
        status.insert(0, "task", str(self.task.task_id))
        return status


class Confirmed:
    """A check for downloads that reports a damaged file only if it arrives twice.

    A truncated file may arrive complete on the next attempt; if the same bytes arrive again, the
    file on the server is damaged. Content that is not an ARFF file, such as an error page, always
    counts as a temporary failure of the server.
    """

    def __init__(self, read: Callable[[Path], object]):
        self._read = read
        self._refused: set[str] = set()

    def __call__(self, path: Path) -> None:
        try:
            self._read(path)
        except PredictionsError as error:
            digest = sha256_of(path)
            seen = digest in self._refused and error.reason != "not_arff"
            if seen or error.reason not in _SIGNS_OF_DAMAGE:
                raise
            self._refused.add(digest)
            raise ContentError(str(error)) from error


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


def _fold_aucs(description: Path) -> dict[int, list[float]]:
    """Return the AUC of both classes that the server computed, by fold of the first repeat."""
    by_repeat: dict[int, dict[int, list[float]]] = {}
    for evaluation in ElementTree.parse(description).iter(f"{OML}evaluation"):
        aucs = _numbers(evaluation.findtext(f"{OML}array_data", ""))
        is_of_fold = {"repeat", "fold"} <= set(evaluation.attrib)
        if evaluation.findtext(f"{OML}name") == _AUC and is_of_fold and aucs is not None:
            repeat, fold = (int(evaluation.attrib[name]) for name in ("repeat", "fold"))
            by_repeat.setdefault(repeat, {})[fold] = aucs
    return by_repeat[min(by_repeat)] if by_repeat else {}


def _numbers(array: str) -> list[float] | None:
    """Parse an array in brackets; None if the server has no value for a class."""
    try:
        numbers = [float(value) for value in array.strip().strip("[]").split(",")]
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _parquet_column(path: Path, name: str) -> list[str | None]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open(path, "rb") as file:
        if file.read(4) != b"PAR1":
            raise PredictionsError("not_arff", "not a parquet file")
    try:
        table = pq.read_table(path, columns=[name])
        values = table[name].to_pylist()
    except (pa.ArrowException, OSError, KeyError) as error:
        raise PredictionsError("unreadable", str(error)) from error
    return [None if pd.isna(value) else str(value) for value in values]


def _arff_column(path: Path, name: str) -> list[str | None]:
    return list(read_arff_column(path, name))


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
