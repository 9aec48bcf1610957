"""Run one job of the pipeline: read its files, call one function, write what it returns.

A rule names a function and its arguments; the function's signature says what they become, so a
rule needs no script of its own:

=============================  ===================================================================
an input for a parameter ...   becomes
=============================  ===================================================================
annotated ``ConfusionCurve``   the curve of a table of predictions
of another class with `read`   the object that `read` makes of the file
annotated ``str | Path``       the path itself
of any other type              a DataFrame, or a list of them for a list of files
=============================  ===================================================================

A parameter of the rule is passed as it is, except that a set of metrics (`Config.metrics_of`)
becomes a list of `Metric`, and a mapping for an annotated settings class becomes its instance.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.files import read_table, write_csv, write_json, write_parquet
from reproduction.joblog import logged

__all__ = ["run"]

_NO_ARGUMENT = ("function", "code")


def run(
    inputs: Mapping[str, Any],
    outputs: Sequence[str],
    params: Mapping[str, Any],
    *,
    log: str,
    resources: str | None = None,
    save: Callable[[Any, Sequence[str]], None] | None = None,
) -> None:
    """Call the function of a job with its files and arguments, and write the result.

    Parameters
    ----------
    inputs : mapping of str to path or list of paths
        Files by the name of the parameter that they are read for.
    outputs : sequence of path
        A function with several outputs returns as many values, in this order. A table is written
        as CSV or parquet by the suffix, any other object as the JSON of its `as_dict`.
    params : mapping
        ``function``, its dotted name; ``code``, the hash of its modules; and its arguments.
    log : path
        Log file of the job.
    resources : path, optional
        Folder of downloads, passed to a function that has a parameter `resources`. It is not among
        `params` because it changes no result.
    save : callable of the result and the outputs, optional
        Writes the result; by default as described for `outputs`.
    """
    with logged(log):
        module, _, name = params["function"].rpartition(".")
        function = getattr(import_module(module), name)
        kinds = typing.get_type_hints(function)
        arguments = {name: _read(path, kinds.get(name)) for name, path in inputs.items()}
        for name, value in params.items():
            if name not in _NO_ARGUMENT:
                arguments[name] = _argument(value, kinds.get(name))
        if "resources" in kinds:
            arguments["resources"] = resources
        (save or _write)(function(**arguments), outputs)


def _read(path: str | Sequence[str], kind: Any) -> Any:
    if not isinstance(path, str):
        return [_read(each, kind) for each in path]
    if kind == str | Path:
        return path
    if hasattr(kind, "from_predictions"):
        predictions = read_table(path)
        return kind.from_predictions(predictions["y_true"], predictions["y_score"])
    return kind.read(path) if hasattr(kind, "read") else read_table(path)


def _argument(value: Any, kind: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if value.keys() >= {"plugins", "metrics"}:
        from reproduction.settings import read_metrics

        return read_metrics(value)
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    return {name: _argument(each, None) for name, each in value.items()}


def _write(result: Any, paths: Sequence[str]) -> None:
    results = [result] if len(paths) == 1 else result
    for each, path in zip(results, paths, strict=True):
        if not isinstance(each, pd.DataFrame):
            write_json(path, each.as_dict())
        elif Path(path).suffix == ".csv":
            write_csv(each, path)
        else:
            write_parquet(each, path)
