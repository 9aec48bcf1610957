"""Run one job of the pipeline: read its files, call one function, write the result.

A rule names a function and its arguments, so it needs no script of its own. The annotation of the
function's parameter determines how an input file is converted:

=============================  ===================================================================
annotation of the parameter    argument
=============================  ===================================================================
``ConfusionCurve``             the curve of a table of predictions
another class with `read`      the object that `read` returns for the file
``str | Path``                 the path itself
any other                      a DataFrame, or a list of them for a list of files
=============================  ===================================================================

The params of a rule are passed unchanged, with two exceptions: a set of metrics
(`Config.metrics_of`) becomes a list of `Metric`, and a mapping becomes an instance of the annotated
settings class.
"""

from __future__ import annotations

import gc
import typing
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.files import read_table, undamaged, write_csv, write_json, write_parquet
from reproduction.joblog import logged
from reproduction.records import NO_SETTING, Job

__all__ = ["run"]


def run(
    inputs: Mapping[str, Any],
    outputs: Sequence[str],
    params: Mapping[str, Any],
    *,
    log: str,
    resources: str | None = None,
    save: Callable[[Any, Sequence[str]], None] | None = None,
    record: Job | None = None,
) -> None:
    """Call the function of a job with its files and arguments, and write the result.

    Parameters
    ----------
    inputs : mapping of str to path or list of paths
        Input files by the name of the function's parameter.
    outputs : sequence of path
        Output files. For several outputs the function returns one value per output, in this
        order. A table is written as CSV or parquet, depending on the suffix; any other object is
        written as the JSON of its `as_dict`.
    params : mapping
        ``function``, the dotted name of the function; ``modules`` and ``code``, its modules and
        the hash of them; and the arguments of the function.
    log : path
        Log file of the job.
    resources : path, optional
        Folder of downloads, passed to a function that has a parameter `resources`. It is not in
        `params` because it does not affect the result.
    save : callable of the result and the outputs, optional
        Writes the result; by default as described for `outputs`.
    record : Job, optional
        Describes the job in the metadata of parquet files.
    """
    gc.set_threshold(100_000)  # most objects of a job stay, such as those of the imports below
    with logged(log):
        module, _, name = params["function"].rpartition(".")
        function = getattr(import_module(module), name)
        kinds = typing.get_type_hints(function)
        arguments = {name: _read(path, kinds.get(name)) for name, path in inputs.items()}
        for name, value in params.items():
            if name not in NO_SETTING:
                arguments[name] = _argument(value, kinds.get(name))
        if "resources" in kinds:
            arguments["resources"] = resources
        result = function(**arguments)
        if save is None:
            _write(result, outputs, record and record.metadata())
        else:
            save(result, outputs)


def _read(path: str | Sequence[str], kind: Any) -> Any:
    if not isinstance(path, str):
        return [_read(each, kind) for each in path]
    if kind == str | Path:
        return path
    if hasattr(kind, "from_predictions"):
        predictions = read_table(path)
        return kind.from_predictions(predictions["y_true"], predictions["y_score"])
    if hasattr(kind, "read"):
        with undamaged(path):
            return kind.read(path)
    return read_table(path)


def _argument(value: Any, kind: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if value.keys() >= {"plugins", "metrics"}:
        from reproduction.settings import read_metrics

        return read_metrics(value)
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    return {name: _argument(each, None) for name, each in value.items()}


def _write(result: Any, paths: Sequence[str], provenance: str | None) -> None:
    results = [result] if len(paths) == 1 else result
    for each, path in zip(results, paths, strict=True):
        if not isinstance(each, pd.DataFrame):
            write_json(path, each.as_dict())
        elif Path(path).suffix == ".csv":
            write_csv(each, path)
        else:
            write_parquet(each, path, provenance)
