"""Run one job: read its files, call the function that its rule names, write the result."""

import logging
import os
import platform
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from reproduction.core import io
from reproduction.core.metrics import read_metrics

_PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "scikit-learn", "snakemake")
# Parameters of a rule that are not passed on: versions of its code and files.
_NOT_ARGUMENTS = ("code", "version")


def run(
    inputs: Mapping[str, Any], outputs: Sequence[str], params: Mapping[str, Any], log: str
) -> None:
    """Run the job of a rule, with Snakemake's `input`, `output` and `params`, and the log file.

    A function with several outputs returns a tuple, one value per output.
    """
    _end_with_the_run()
    with logged(log):
        result = call(inputs, **params)
        results = result if isinstance(result, tuple) else [result] * len(outputs)
        for each, path in zip(results, outputs, strict=True):
            io.write(each, path)


def call(inputs: Mapping[str, Any], *, function: str, **params: Any) -> Any:
    """Call a function with the inputs and parameters of a rule, by their names.

    - An input is read as a table, and a list of files as a list of tables; inputs named `path` or
      `paths` are passed unchanged.
    - Parameters whose names end with `metrics` become lists of metrics; other parameters are passed
      unchanged.
    """
    module, _, name = function.rpartition(".")
    arguments = {key: value for key, value in params.items() if key not in _NOT_ARGUMENTS}
    for key in arguments:
        if key.endswith("metrics"):
            arguments[key] = read_metrics(arguments[key])
    arguments |= {key: _read(key, value) for key, value in inputs.items()}
    return getattr(import_module(module), name)(**arguments)


def drawn(
    figures: Sequence[Mapping[str, Any]], look: Mapping[str, Any], n_formats: int
) -> tuple[Any, ...]:
    """Figures in the size and the font of `look`, each as often as there are formats.

    Each figure has the arguments of `call`.
    """
    from reproduction.core.look import adapt  # imports matplotlib

    found = []
    for arguments in figures:
        figure = call(**arguments)
        adapt(figure, **look)
        found += [figure] * n_formats
    return tuple(found)


def nothing() -> tuple[()]:
    """What the rule `job` calls, which the other rules extend."""
    return ()


def _read(name: str, paths: str | Sequence[str]) -> Any:
    if name in ("path", "paths"):
        return paths
    if isinstance(paths, str):
        return io.read_table(paths)
    return [io.read_table(path) for path in paths]


@contextmanager
def logged(path: str) -> Iterator[None]:
    """Log the versions, the warnings and the error of a block; print the error in one line."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    form = "%(asctime)s %(levelname)s %(message)s"
    logging.basicConfig(filename=path, filemode="w", level=logging.INFO, format=form, force=True)
    logging.captureWarnings(True)
    versions = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    logging.info("Python %s, %s", platform.python_version(), versions)
    try:
        yield
    except SystemExit as end:
        logging.error("ended: %s", end)
        raise
    except Exception as error:
        logging.exception("failed")
        sys.exit(f"{type(error).__name__}: {error}")


def _end_with_the_run() -> None:
    """End this process soon after its parent, Snakemake, has ended or was killed.

    A job that outlives its run could write to the results of the next one.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
