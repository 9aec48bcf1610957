"""Lists of tasks and of runs, parsed by the `openml` package.

The package sets no time limit, retries too rarely or for too long, and caches documents that it
could not parse. Therefore `Server` downloads the lists, and the package only parses them. Its
parser of lists of datasets fails for a dataset with a single quality, so `documents` reads those.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from xml.etree import ElementTree  # nosec B405 # only writes
from xml.etree.ElementTree import Element  # nosec B405

import pandas as pd

from reproduction.openml.download import ContentError

# Exceptions that the package raises for unexpected documents:
_PARSER_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    RecursionError,  # elements that are nested too deeply
)

ElementTree.register_namespace("oml", "http://openml.org/openml")  # the package expects this prefix


def listed_tasks(root: Element, *, procedures: Element) -> dict[int, dict]:
    """Return dataset, target and estimation procedure of the tasks of a list, by id.

    Parameters
    ----------
    root : Element
        A list of tasks.
    procedures : Element
        The list of estimation procedures, which has their names.

    Raises
    ------
    ContentError
        If the package cannot parse the lists.
    """
    tasks = _openml().tasks
    documents = {"task": root, "estimationprocedure": procedures}
    listed = _parsed(documents, tasks.list_tasks, size=max(len(root), 1))
    fields = listed.reindex(columns=["tid", "did", "target_feature", "estimation_procedure"])
    with _not_a_list():
        return {
            int(task_id): {"dataset_id": int(dataset_id), "target": target, "procedure": procedure}
            for task_id, dataset_id, target, procedure in fields.astype(object)
            .fillna("")
            .itertuples(index=False)
        }


def listed_runs(root: Element, *, task_id: int) -> dict[int, bool]:
    """Return for each run of a task, by id, whether it ended without an error.

    Raises
    ------
    ContentError
        If the package cannot parse the list, or the list has runs of another task.
    """
    list_runs = _openml().runs.list_runs
    listed = _parsed({"run": root}, list_runs, task=[task_id], size=max(len(root), 1))
    with _not_a_list():
        if not (listed["task_id"] == task_id).all():
            raise ContentError(f"the list of the runs of task {task_id} has runs of another task")
        return dict(zip(listed["run_id"].map(int), listed["error_message"] == "", strict=True))


def _parsed(
    documents: dict[str, Element], list_items: Callable[..., pd.DataFrame], **filters
) -> pd.DataFrame:
    """Call a function of the package, which gets these documents instead of sending requests."""
    with _not_a_list(), _answered_by(documents):
        return list_items(output_format="dataframe", **filters)


@contextmanager
def _not_a_list() -> Iterator[None]:
    """Raise `ContentError` for the errors of the package and of values that it did not check."""
    try:
        yield
    except ContentError:
        raise
    except _PARSER_ERRORS as error:
        raise ContentError(f"not a list: {type(error).__name__}: {error}") from error


@contextmanager
def _answered_by(documents: dict[str, Element]) -> Iterator[None]:
    """Answer the package's requests with documents, by the first part of their address."""
    calls = _openml()._api_calls
    before = calls._perform_api_call

    def answer(address: str, method: str) -> str:
        return ElementTree.tostring(documents[address.partition("/")[0]], encoding="unicode")

    calls._perform_api_call = answer
    try:
        yield
    finally:
        calls._perform_api_call = before


@cache
def _openml() -> ModuleType:
    """Import the package with temporary folders, because importing it reads and writes files."""
    names = ("XDG_CONFIG_HOME", "OPENML_CACHE_DIR")
    before = {name: os.environ.get(name) for name in names}
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(dict.fromkeys(names, scratch))
        try:
            import openml
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
    return openml
