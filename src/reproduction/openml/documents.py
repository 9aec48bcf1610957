"""Read XML documents of an OpenML server: datasets, and descriptions of runs and datasets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element  # nosec B405 # `read_xml` parses

from reproduction.openml.download import ContentError
from reproduction.openml.limits import read_xml
from reproduction.openml.reasons import ExcludedError

_OML = "{http://openml.org/openml}"
_SERVER_ERRORS = range(100, 110)  # such as 107, "database busy"; not about the requested item
_NO_RESULTS = (372, 482, 512)  # of lists of datasets, tasks and runs
_AUC = "area_under_roc_curve"
_MOST_ROWS = 10**12  # of a dataset


class ApiError(Exception):
    """The server responded with an OpenML error about the requested item.

    Attributes
    ----------
    code : int
    no_results : bool
        Whether it says that a list is empty.
    """

    def __init__(self, code: int, message: str):
        super().__init__(f"OpenML error {code}: {message}")
        self.code = code

    @property
    def no_results(self) -> bool:
        return self.code in _NO_RESULTS


def read_document(path: Path) -> Element:
    """Return the root of a stored document.

    Raises
    ------
    ApiError
        If it is an error about the requested item.
    ContentError
        If it is not an OpenML document, is empty, or is an error of the server itself.
    """
    root = read_xml(path)
    if not root.tag.startswith(_OML):
        raise ContentError(f"not an OpenML document, its root is {root.tag!r:.200}")
    if len(root) == 0:
        raise ContentError("an OpenML document without content")
    if root.tag == f"{_OML}error":
        raise _error(root)
    return root


def _error(root: Element) -> Exception:
    code, message = _integer(root, "code"), _text(root, "message")[:1000]
    if code is None:
        return ContentError(f"an OpenML error without a code: {message!r}")
    error = ApiError(code, message)
    return ContentError(str(error)) if error.code in _SERVER_ERRORS else error


def _text(element: Element, name: str) -> str:
    return element.findtext(f"{_OML}{name}", "").strip()


def _integer(element: Element, name: str) -> int | None:
    return _whole(_text(element, name))


def _whole(text: str) -> int | None:
    """The number that a text writes in at most 18 digits, so that it fits into 64 bits."""
    return int(text) if text.isdecimal() and len(text) <= 18 else None


# ---------------------------------------------------------------------------------------- lists


def _entries(root: Element, name: str) -> Iterator[Element]:
    """Yield the entries of a list.

    Raises
    ------
    ContentError
        If the document is another list.
    """
    if root.tag != f"{_OML}{name}":
        raise ContentError(f"the root of the list is {root.tag!r:.200}, must be {_OML}{name}")
    return iter(root)


def listed_datasets(root: Element) -> dict[int, dict | None]:
    """Return the datasets of a list by id, None for a dataset without name or class sizes."""
    return {_key(entry, "did"): _dataset(entry) for entry in _entries(root, "data")}


def _dataset(entry: Element) -> dict | None:
    qualities = {each.get("name"): each.text or "" for each in entry.iter(f"{_OML}quality")}
    sizes = {
        field: _size(qualities.get(quality, ""))
        for field, quality in (
            ("n_minority", "MinorityClassSize"),
            ("n_majority", "MajorityClassSize"),
            ("n_instances", "NumberOfInstances"),
        )
    }
    name = _text(entry, "name")
    is_binary = _size(qualities.get("NumberOfClasses", "2")) == 2
    # A declared label without rows gives a minority class of size 0.
    if not name or not is_binary or None in sizes.values() or not sizes["n_minority"]:
        return None
    return {"dataset_id": _key(entry, "did"), "name": name, **sizes}


def _size(text: str) -> int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if 0 <= number < _MOST_ROWS else None


def estimation_procedures(root: Element) -> Element:
    """Return the root of the list of estimation procedures.

    Raises
    ------
    ContentError
        If the document is another list.
    """
    _entries(root, "estimationprocedures")
    return root


def _key(entry: Element, name: str) -> int:
    key = _integer(entry, name)
    if key is None:
        raise ContentError(f"an entry of the list has no {name}")
    return key


# --------------------------------------------------------------------------------- descriptions


@dataclass(frozen=True)
class RunDescription:
    """Description of a run.

    Attributes
    ----------
    predictions_url : str
    model : str
        Ids of flow and setup, which together identify a model and its parameters; empty if the
        description lacks one.
    auc : dict of int to list of float
        AUC of both classes that the server computed, by fold of the first repeat.
    """

    predictions_url: str
    model: str
    auc: dict[int, list[float]]


def run_description(root: Element, *, run_id: int, task_id: int) -> RunDescription:
    """Read the description of a run.

    Raises
    ------
    ExcludedError
        If it is the description of another run, is not readable, or names no predictions file.
    """
    if root.tag != f"{_OML}run":
        raise ExcludedError(
            "unreadable_description", f"the root of the document is {root.tag!r:.200}"
        )
    found = _integer(root, "run_id"), _integer(root, "task_id")
    if found != (run_id, task_id):
        raise ExcludedError(
            "foreign_description",
            f"it describes run {found[0]} of task {found[1]}, not run {run_id} of task {task_id}",
        )
    flow, setup = _integer(root, "flow_id"), _integer(root, "setup_id")
    return RunDescription(
        predictions_url=_predictions_url(root),
        model="" if None in (flow, setup) else f"{flow}/{setup}",
        auc=_fold_aucs(root),
    )


def _predictions_url(root: Element) -> str:
    files = [each for each in root.iter(f"{_OML}file") if _text(each, "name") == "predictions"]
    if not files:
        raise ExcludedError("no_predictions", "the description names no predictions file")
    urls = {_text(each, "url") for each in files}
    if len(urls) != 1 or "" in urls:
        raise ExcludedError(
            "unreadable_description", f"the predictions file has {len(urls - {''})} addresses"
        )
    return urls.pop()


def _fold_aucs(root: Element) -> dict[int, list[float]]:
    by_repeat: dict[int, dict[int, list[float]]] = {}
    for evaluation in root.iter(f"{_OML}evaluation"):
        repeat, fold = _whole(evaluation.get("repeat", "")), _whole(evaluation.get("fold", ""))
        aucs = _numbers(_text(evaluation, "array_data"))
        is_of_fold = repeat is not None and fold is not None
        if _text(evaluation, "name") == _AUC and is_of_fold and aucs is not None:
            by_repeat.setdefault(repeat, {})[fold] = aucs
    return by_repeat[min(by_repeat)] if by_repeat else {}


def _numbers(array: str) -> list[float] | None:
    """Parse an array in brackets; None if the server has no value for a class."""
    try:
        numbers = [float(value) for value in array.strip("[]").split(",")]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


def dataset_addresses(root: Element, *, dataset_id: int) -> tuple[str, str]:
    """Return the addresses of a dataset's parquet and ARFF file, empty if there is none.

    Raises
    ------
    ExcludedError
        If it is not the description of the dataset.
    """
    found = _integer(root, "id")
    if root.tag != f"{_OML}data_set_description" or found != dataset_id:
        raise ExcludedError(
            "foreign_description", f"it describes dataset {found}, not dataset {dataset_id}"
        )
    return _text(root, "parquet_url"), _text(root, "url")
