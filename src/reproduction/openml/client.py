"""An OpenML server through its official package `openml`, and its files through `pooch`.

The package keeps descriptions of runs and datasets, and repeats requests by the user's own policy.
It does not request files: it keeps no predictions, and takes half a dataset for a whole one.
"""

import hashlib
import logging
import signal
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import openml
import pooch
import requests

from reproduction.core.io import atomic
from reproduction.openml.reasons import ExcludedError, RefusedError

_VERSION = "0.15"
# What the package raises about a run that it does not support, such as one with two datasets.
_UNSUPPORTED = (TypeError, ValueError, AttributeError)
PREDICTIONS, DATASET = "{}.predictions.arff", "{}.dataset.arff"  # files of a run, of a dataset

pooch.get_logger().setLevel(logging.WARNING)
_Result = TypeVar("_Result")


class Client:
    """An OpenML server, whose settings are those of `ranking.openml`, and what it provided.

    Beside each file, another has its SHA-256. What is kept of a run or dataset is requested anew if
    it cannot be used.
    """

    def __init__(self, server: Mapping[str, Any], resources: str | Path):
        if not openml.__version__.startswith(f"{_VERSION}."):
            raise ImportError(
                f"openml {openml.__version__} is installed, but only {_VERSION} was measured: run "
                f"pip install 'openml=={_VERSION}.*'"
            )
        self.url = server["url"].rstrip("/")
        self._requests_per_second = server["requests_per_second"]
        self._seconds = server["seconds_per_file"]
        # The package itself does not tell servers apart that differ only in scheme or path.
        address = hashlib.sha256(self.url.encode()).hexdigest()[:8]
        self.folder = Path(resources).absolute() / "openml" / address
        self.files = self.folder / "files"
        self._in_doubt: set[str] = set()  # files of runs and datasets to be described anew
        openml.config.server = self.url
        openml.config.set_root_cache_directory(self.folder)

    def call(
        self, function: Callable[..., _Result], *arguments: Any, name: str = "", **options: Any
    ) -> _Result:
        """Call a function that sends requests unless the file `name` is kept.

        All its errors are refusals, except those of the disk.
        """
        if not (self.files / name).is_file():
            time.sleep(1 / self._requests_per_second)
        try:
            with _time_limit(self._seconds):
                return function(*arguments, **options)
        except Exception as error:
            if isinstance(error, OSError) and not isinstance(error, requests.RequestException):
                raise
            cause = type(error)
            problem = f"{name or 'a list'}: {cause.__name__.strip('_')}: {error}"
        # The original error has an address with the user's key, so it must not reach a traceback.
        if openml.config.apikey:
            problem = problem.replace(openml.config.apikey, "***")
        raise RefusedError(textwrap.shorten(problem, 300), cause)

    def predictions(
        self, run_id: int, task_id: int, read: Callable[[Path], _Result]
    ) -> tuple[openml.OpenMLRun, _Result]:
        """Return what the server says about a run, and what `read` makes of its predictions."""
        name = PREDICTIONS.format(run_id)

        def ask() -> tuple[openml.OpenMLRun, _Result]:
            run = self._described(run_id, name)
            found = f"run {run.run_id} of task {run.task_id}"
            if found != (wanted := f"run {run_id} of task {task_id}"):
                problem = f"it describes {found} instead of {wanted}"
                raise ExcludedError("foreign_description", problem)
            return run, self._file(run.predictions_url, name, read)

        return self._twice(name, ask)

    def _described(self, run_id: int, name: str) -> openml.OpenMLRun:
        is_in_doubt = name in self._in_doubt
        try:
            return self.call(openml.runs.get_run, run_id, ignore_cache=is_in_doubt, name=name)
        except RefusedError as error:
            if error.cause in _UNSUPPORTED:
                raise ExcludedError("unsupported", error.detail) from error
            raise

    def dataset(self, dataset_id: int, read: Callable[[Path], _Result]) -> _Result:
        """Return what `read` makes of the ARFF file of a dataset, whose MD5 is checked."""
        name = DATASET.format(dataset_id)

        def ask() -> _Result:
            options = {"download_data": False, "force_refresh_cache": name in self._in_doubt}
            found = self.call(openml.datasets.get_dataset, dataset_id, name=name, **options)
            if found.dataset_id != dataset_id:
                problem = f"it describes dataset {found.dataset_id} instead of {dataset_id}"
                raise ExcludedError("foreign_description", problem)
            md5 = f"md5:{found.md5_checksum}" if found.md5_checksum else None
            return self._file(found.url or "", name, read, md5)

        return self._twice(name, ask)

    def _twice(self, name: str, ask: Callable[[], _Result]) -> _Result:
        """Return what `ask` returns, if needed without what is kept of the file and the item."""
        try:
            return ask()
        except ExcludedError as error:
            if error.is_final:
                raise
        self.forget(name)
        return ask()

    def _file(
        self, url: str, name: str, read: Callable[[Path], _Result], known_hash: str | None = None
    ) -> _Result:
        path, note = self.files / name, self.files / f"{name}.sha256"
        if note.is_file():
            known_hash = note.read_text(encoding="utf-8", errors="replace")
        self.call(self._download, url, name, known_hash, name=name)
        if not note.is_file():
            with atomic(note) as temporary:
                temporary.write_text(pooch.file_hash(str(path)), encoding="utf-8")
        return read(path)

    def _download(self, url: str, name: str, known_hash: str | None) -> None:
        n_retries = openml.config.connection_n_retries - 1
        urls, hashes = {name: on_site(url, self.url)}, {name: known_hash}
        files = pooch.create(self.files, "", registry=hashes, urls=urls, retry_if_failed=n_retries)
        files.fetch(name)

    def forget(self, name: str) -> None:
        """Remove a file, so that it and its description are requested again."""
        self._in_doubt.add(name)
        for path in (self.files / name, self.files / f"{name}.sha256"):
            path.unlink(missing_ok=True)


def on_site(url: str, server: str) -> str:
    """Return an address on the site of a server, such as openml.org, with https if it has it."""
    sites = [(urlsplit(each).hostname or "").split(".")[-2:] for each in (url, server)]
    if sites[0] != sites[1]:
        raise ValueError(f"{url!r} is not on the site of {server}")
    return url.replace("http:", "https:", 1) if server.startswith("https:") else url


class _TimeLimitError(Exception):
    """A request took too long. No OSError, which urllib3 would take for a lost connection."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise an error in the block after some seconds.

    `openml` 0.15.1 waits for ever for a silent server, and has no setting for a timeout. A signal
    ends its call, without a thread that would go on and write to its cache.
    """

    def end(*_):
        raise _TimeLimitError(f"the time limit of {seconds:.3g} s has passed")

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
