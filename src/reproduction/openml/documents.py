"""Read XML documents of an OpenML server: lists, and descriptions of runs and datasets.

An entry of a list that lacks what is needed is left out; it does not affect the others.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree  # nosec B405 # parsed with `_NoEntities`
from xml.etree.ElementTree import Element  # nosec B405

from reproduction.openml.reasons import EmptyListError, ExcludedError, RefusedError

_OML = "{http://openml.org/openml}"
_NO_RESULTS = (372, 482, 512)  # of lists of datasets, tasks and runs
_AUC = "area_under_roc_curve"
_MOST_ROWS = 10**12  # of a dataset
_MOST_BYTES = 100e6  # of a document; the longest list of a server has about 11 MB


def read_xml(path: str | os.PathLike) -> Element:
    """Return the root of an XML document."""
    if os.path.getsize(path) > _MOST_BYTES:
        raise RefusedError(f"an XML document larger than {_MOST_BYTES / 1e6:.0f} MB")
    try:
        parser = ElementTree.XMLParser(target=_NoEntities())  # nosec B314 # see `_NoEntities`
        return ElementTree.parse(path, parser).getroot()  # nosec B314
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # LookupError: encoding
        raise RefusedError(f"not an XML document: {error}") from error


class _NoEntities(ElementTree.TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ValueError(f"the document type {name!r} is declared, and could define entities")


def read_document(path: Path) -> Element:
    """Return the root of a document that is not an error of the server."""
    root = read_xml(path)
    if not root.tag.startswith(_OML):
        raise RefusedError(f"not an OpenML document, its root is {root.tag!r:.200}")
    if root.tag == f"{_OML}error":
        code, message = _text(root, "code")[:20], _text(root, "message")[:1000]
        refused = EmptyListError if _whole(code) in _NO_RESULTS else RefusedError
        raise refused(f"OpenML error {code}: {message}")
    if len(root) == 0:
        raise RefusedError("an OpenML document without content")
    return root


def _text(element: Element, name: str) -> str:
    return element.findtext(f"{_OML}{name}", "").strip()


def _integer(element: Element, name: str) -> int | None:
    return _whole(_text(element, name))


def _whole(text: str) -> int | None:
    """The number that a text writes in at most 18 digits, so that it fits into 64 bits."""
    return int(text) if text.isdecimal() and len(text) <= 18 else None


# ---------------------------------------------------------------------------------------- lists


def _entries(root: Element, name: str, key: str) -> Iterator[tuple[int, Element]]:
    """Yield the entries of a list that have an id."""
    if root.tag != f"{_OML}{name}":
        raise RefusedError(f"the root of the list is {root.tag!r:.200}, must be {_OML}{name}")
    for entry in root:
        number = _integer(entry, key)
        if number is not None:
            yield number, entry


def listed_datasets(root: Element) -> list[tuple[int, dict | None]]:
    """Return the datasets of a list with their ids, None without a name or class sizes."""
    return [(did, _dataset(did, entry)) for did, entry in _entries(root, "data", "did")]


def _dataset(dataset_id: int, entry: Element) -> dict | None:
    qualities = {each.get("name"): each.text or "" for each in entry.iter(f"{_OML}quality")}
    sizes = {
        field: _size(qualities.get(quality, ""))
        for field, quality in (
            ("n_minority", "MinorityClassSize"),
            ("n_majority", "MajorityClassSize"),
            ("n_instances", "NumberOfInstances"),
        )
    }
    name = _plain(_text(entry, "name"))
    is_binary = _size(qualities.get("NumberOfClasses", "2")) == 2
    # A declared label without rows gives a minority class of size 0.
    if not name or not is_binary or None in sizes.values() or not sizes["n_minority"]:
        return None
    return {"dataset_id": dataset_id, "name": name, **sizes}


def _plain(name: str) -> str:
    """Return a name that spreadsheets do not take for a formula. Anybody can upload a dataset."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name


def _size(text: str) -> int | None:
    number = _number(text)
    return int(number) if 0 <= number < _MOST_ROWS else None


def estimation_procedures(root: Element) -> dict[str, str]:
    """Return the names of the estimation procedures, by id."""
    entries = _entries(root, "estimationprocedures", "id")
    return {str(number): _text(entry, "name") for number, entry in entries}


def listed_tasks(root: Element) -> list[tuple[int, dict]]:
    """Return dataset, target and id of the estimation procedure of the tasks, with their ids."""
    return [(task_id, _task(entry)) for task_id, entry in _entries(root, "tasks", "task_id")]


def _task(entry: Element) -> dict:
    inputs = {each.get("name"): (each.text or "").strip() for each in entry.iter(f"{_OML}input")}
    return {
        "dataset_id": _integer(entry, "did"),
        "target": inputs.get("target_feature", ""),
        "procedure": inputs.get("estimation_procedure", ""),
    }


def listed_runs(root: Element) -> dict[int, set[int]]:
    """Return the runs of each task that ended without an error, by ids."""
    tasks: dict[int, set[int]] = {}
    for run_id, entry in _entries(root, "runs", "run_id"):
        task_id = _integer(entry, "task_id")
        if task_id is not None:
            runs = tasks.setdefault(task_id, set())
            runs |= {run_id} if not _text(entry, "error_message") else set()
    return tasks


# --------------------------------------------------------------------------------- descriptions


@dataclass(frozen=True)
class RunDescription:
    """Description of a run."""

    predictions_url: str
    # Ids of flow and setup, which together identify a model and its parameters; empty if one lacks.
    model: str
    # AUC that the server computed, by fold of the first repeat: of both classes (NaN for one
    # without a value), or, as a list of one number, their mean weighted by the class sizes.
    auc: dict[int, list[float]]


def run_description(root: Element, *, run_id: int, task_id: int) -> RunDescription:
    """Read the description of a run."""
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
    urls = {_text(each, "url") for each in files}
    if len(urls) != 1 or "" in urls:
        problem = f"the description names {len(urls - {''})} addresses of predictions"
        raise ExcludedError("no_predictions", problem)
    return urls.pop()


def _fold_aucs(root: Element) -> dict[int, list[float]]:
    by_repeat: dict[int, dict[int, list[float]]] = {}
    for evaluation in root.iter(f"{_OML}evaluation"):
        repeat, fold = _whole(evaluation.get("repeat", "")), _whole(evaluation.get("fold", ""))
        if _text(evaluation, "name") == _AUC and repeat is not None and fold is not None:
            array = _text(evaluation, "array_data").strip("[]").split(",")
            aucs = [_number(text) for text in array]
            if not any(map(math.isfinite, aucs)):
                aucs = [_number(_text(evaluation, "value"))]
            if any(map(math.isfinite, aucs)):
                by_repeat.setdefault(repeat, {})[fold] = aucs
    return by_repeat[min(by_repeat)] if by_repeat else {}


def _number(text: str) -> float:
    """Return a number, NaN for any other text, such as that of a class without a value."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def dataset_description(root: Element, *, dataset_id: int) -> tuple[str, str]:
    """Return the address of the ARFF file of a dataset and its MD5, each empty if there is none."""
    found = _integer(root, "id")
    if found != dataset_id:
        raise ExcludedError(
            "foreign_description", f"it describes dataset {found}, not dataset {dataset_id}"
        )
    return _text(root, "url"), _text(root, "md5_checksum")
