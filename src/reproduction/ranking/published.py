"""Read the authors' stored scores of Figure 7 from their pickles or from parquet files.

The published code of Siblini et al. (2020, doi:10.1007/978-3-030-44584-3_36) contains ten
metrics of 30 models on each of 602 OpenML tasks and on each of 5 imbalanced tasks. The prior
π₀ ≈ π is 1.01 π for the former and 10 π for the latter. The predictions are not published.
"""

from __future__ import annotations

import os
import pickle  # nosec B403 # `_PlainUnpickler` refuses all that could run code
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urljoin

import numpy as np
import pandas as pd
from numpy._core.multiarray import _reconstruct, scalar

from reproduction.openml import limits
from reproduction.openml.download import ContentError, download
from reproduction.files import sha256_of, write_json
from reproduction.core.metrics import Metric, TimesPrior
from reproduction.records import uses
from reproduction.settings import PublishedRanking

__all__ = ["N_MODELS", "SHA256", "fetch_published", "metrics_of", "read_published", "stored_scores"]

N_MODELS = 30
SHA256 = {
    "all": "84a696fd3c7b1a0bf071abed1786d62658d69452967971f32e3fa9e66d9610ca",
    "imbalanced": "fcbae7e23d41111c47e75b512e1d11f10437bad468593f702ad14d7b57aa8a41",
}
_FILES = {"all": "metrics_balanced.pkl", "imbalanced": "metrics_imbalanced.pkl"}
_TIMES_PRIOR = {"all": 1.01, "imbalanced": 10}
_LICENCE = "none stated"
_LARGEST_PICKLE = 100_000_000  # bytes; the published pickles have about 1.5 MB of numbers

_SCORES = ("average_precision", "prg_auc", "best_fbeta")
_PRIORS = ("own", "near", "half")
_ROLES = (*((score, prior) for score in _SCORES for prior in _PRIORS), ("roc_auc", "own"))
_Role = tuple[str, str]


def metrics_of(panel: str) -> list[Metric]:
    """Return the ten metrics of the panel "all" or "imbalanced", in the order of the paper."""
    return [_metric(role, panel) for role in _ROLES]


def _metric(role: _Role, panel: str) -> Metric:
    score, prior = role
    pi0 = {"own": None, "near": TimesPrior(_TIMES_PRIOR[panel]), "half": 0.5}[prior]
    return Metric(score, pi0)


# --------------------------------------------------------------------------------- downloading


def fetch_published(folder: str | os.PathLike, panel: str, *, url: str) -> Path:
    """Download the authors' pickle of a panel.

    Writes `metrics_balanced.pkl` or `metrics_imbalanced.pkl`, and a JSON record with `source`,
    `sha256` and `licence`. If the published file already exists, nothing is downloaded.

    Parameters
    ----------
    folder : path-like
        Folder of the two files; it is created if missing.
    panel : {"all", "imbalanced"}
    url : str
        Address of the folder with the pickles.

    Returns
    -------
    pathlib.Path
        The pickle, which `read_published` reads.

    Raises
    ------
    DownloadError
        If the server cannot be reached, or sends a file whose SHA-256 is not that of the
        published file.
    """
    path = Path(folder) / _FILES[panel]
    source = urljoin(url.rstrip("/") + "/", _FILES[panel])
    if not (path.exists() and sha256_of(path) == SHA256[panel]):
        download(source, path, check=lambda file: _check_sha256(file, panel))
    uses(path)
    record = {"source": source, "sha256": SHA256[panel], "licence": _LICENCE}
    write_json(path.with_suffix(".json"), record)
    return path


def _check_sha256(path: Path, panel: str) -> None:
    found = sha256_of(path)
    if found != SHA256[panel]:
        raise ContentError(f"SHA-256 is {found}, but that of the published file is {SHA256[panel]}")


def stored_scores(
    settings: PublishedRanking, *, resources: str | os.PathLike
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read scores and tasks from the configured files; download a file that is not configured."""
    paths = [
        getattr(settings, panel) or fetch_published(resources, panel, url=settings.url)
        for panel in ("all", "imbalanced")
    ]
    return read_published(*paths)


# ------------------------------------------------------------------------------------- reading


def read_published(
    all_path: str | os.PathLike, imbalanced_path: str | os.PathLike
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the stored scores of both panels.

    Parameters
    ----------
    all_path, imbalanced_path : path-like
        A pickle of the authors (`.pkl`, `.pickle`), or a parquet file with the columns `task`,
        `model` and the ten metrics. Pickles with another SHA-256 than the published ones are
        read with a warning.

    Returns
    -------
    scores : DataFrame
        A row per task, run and metric: `task`, such as "all-000" or "imbalanced-0"; `run`, "00" to
        "29"; `metric`; its `pi0`, empty for a multiple of the prior, which is not stored; `value`
        and `value_as_published`, both the stored value.
    tasks : DataFrame
        A row per task: `task`; `name`, equal to `task`; `n_pos`, `n_neg` and `prior`, which are
        unknown and empty; `n_models`; `outcome`, "used"; and whether it belongs to the panels
        `all`, `imbalanced` and `small_prior`. The authors stored no scores of `small_prior`.

    Raises
    ------
    ValueError
        If a file has another format or is damaged, if a pickle contains anything but arrays,
        lists and dictionaries, or if it does not have exactly ten metrics of 30 models. The
        message names the file.

    Warns
    -----
    UserWarning
        If the SHA-256 of a pickle is not that of the published file.
    """
    parts = [_read_panel(Path(all_path), "all"), _read_panel(Path(imbalanced_path), "imbalanced")]
    scores, tasks = zip(*parts, strict=True)
    return pd.concat(scores, ignore_index=True), pd.concat(tasks, ignore_index=True)


def _read_panel(path: Path, panel: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    readers = {".parquet": _read_parquet, ".pkl": _read_pickle, ".pickle": _read_pickle}
    if path.suffix not in readers:
        raise ValueError(f"{path}: suffix must be one of {', '.join(readers)}")
    try:
        by_role = readers[path.suffix](path, panel)
        values = np.stack([_table(by_role[role], role) for role in _ROLES], axis=-1)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from error
    return _scores(values, panel), _tasks(len(values), panel)


def _read_parquet(path: Path, panel: str) -> dict[_Role, np.ndarray]:
    frame = limits.read_parquet(path)
    missing = {"task", "model"} - set(frame.columns)
    if missing:
        raise ValueError(f"lacks the columns {sorted(missing)}")
    frame = frame.set_index(["task", "model"]).sort_index()
    n_models = frame.groupby(level="task").size()
    if frame.empty or frame.index.has_duplicates or (n_models != N_MODELS).any():
        raise ValueError(f"must have {N_MODELS} rows for each task, one per model")
    columns = _by_role({name: frame[name].to_numpy() for name in frame.columns})
    return {role: column.reshape(-1, N_MODELS) for role, column in columns.items()}


def _read_pickle(path: Path, panel: str) -> dict[_Role, object]:
    found = sha256_of(path)
    if found != SHA256[panel]:
        warnings.warn(
            f"{path}: not the published file, SHA-256 is {found} instead of {SHA256[panel]}",
            stacklevel=4,
        )
    if path.stat().st_size > _LARGEST_PICKLE:
        raise ValueError(f"must not be larger than {_LARGEST_PICKLE / 1e6:,.0f} MB")
    with open(path, "rb") as file:
        try:
            content = _PlainUnpickler(file).load()
        except _RefusedError:
            raise
        except Exception as error:  # a damaged pickle can raise any exception
            raise ValueError(f"damaged pickle: {type(error).__name__}: {error}") from error
    return _by_role(_by_label(content))


class _RefusedError(ValueError):
    """A pickle refers to an object that could run code, or is too large."""


# In place of `numpy.ndarray`, which could make an array of any size.
_ARRAY_CLASS = "numpy.ndarray"


def _empty_array(kind: object, shape: object, _) -> np.ndarray:
    """Replace NumPy's `_reconstruct`, to which pickles pass an empty shape."""
    if kind != _ARRAY_CLASS or shape != (0,):
        raise _RefusedError("refused to unpickle an array of another form")
    return _reconstruct(np.ndarray, (0,), b"b")


def _number_type(name: str, *flags) -> np.dtype:
    """Replace `numpy.dtype`: only numbers, whose size is bounded."""
    kind = np.dtype(name) if isinstance(name, str) and re.fullmatch(r"[fiub][1248]", name) else None
    if kind is None:
        raise _RefusedError(f"refused to unpickle an array of type {name!r}")
    return kind


def _scalar(kind: np.dtype, content: bytes = b"") -> np.generic:
    return scalar(kind, content)


class _PlainUnpickler(pickle._Unpickler):
    """Unpickler of numbers, text, lists, dictionaries and NumPy arrays; it refuses all else.

    It is written in Python: the faster one allocates memory for any index in a damaged pickle.
    """

    def __init__(self, file: BinaryIO):
        super().__init__(file)
        self._bytes_left = _LARGEST_PICKLE

    def find_class(self, module: str, name: str):
        if module in ("numpy.core.multiarray", "numpy._core.multiarray"):
            allowed = {"_reconstruct": _empty_array, "scalar": _scalar}
        else:
            allowed = {
                "numpy.ndarray": _ARRAY_CLASS,
                "numpy.dtype": _number_type,
                "_codecs.encode": self._encode,
            }
        key = name if module.endswith("multiarray") else f"{module}.{name}"
        if key not in allowed:
            raise _RefusedError(
                f"refused to unpickle {module}.{name}: only arrays, lists and dictionaries of "
                "numbers are allowed"
            )
        return allowed[key]

    def _encode(self, text: str, encoding: str) -> bytes:
        """Replace `_codecs.encode`, with which old pickles store the bytes of an array."""
        if encoding != "latin1":
            raise _RefusedError(f"refused to unpickle bytes in the encoding {encoding!r}")
        # A pickle can use one text many times.
        self._bytes_left -= len(text)
        if self._bytes_left < 0:
            raise _RefusedError(f"refused to unpickle more than {_LARGEST_PICKLE} bytes of arrays")
        return text.encode(encoding)


def _by_label(content: object) -> Mapping:
    """Return the stored values by the label of the metric.

    The dictionary of labels may contain the tasks, or each task may contain such a dictionary.
    """
    if isinstance(content, Mapping) and any(map(_role_of, content)):
        return content
    tasks = list(content.values()) if isinstance(content, Mapping) else content
    if not (isinstance(tasks, list) and tasks and all(isinstance(t, Mapping) for t in tasks)):
        found = list(content) if isinstance(content, Mapping) else type(content).__name__
        raise ValueError(f"must have dictionaries with labels of metrics as keys, got {found}")
    labels = list(tasks[0])
    for task in tasks:
        if set(task) != set(labels):
            raise ValueError(f"tasks have different metrics: {labels} and {list(task)}")
    return {label: [task[label] for task in tasks] for label in labels}


def _by_role(by_label: Mapping[str, object]) -> dict[_Role, object]:
    by_role = {}
    for label, values in by_label.items():
        role = _role_of(label)
        if role is None:
            raise ValueError(f"{label!r} is not the label of a stored metric")
        if role in by_role:
            raise ValueError(f"two labels mean {role}, the second is {label!r}: {list(by_label)}")
        by_role[role] = values
    if len(by_role) != len(_ROLES):
        lacking = [role for role in _ROLES if role not in by_role]
        raise ValueError(f"must have {len(_ROLES)} metrics, lacks {lacking}")
    return by_role


def _role_of(label: object) -> _Role | None:
    """Return the score and reference prior that a label means; None for any other key."""
    if not isinstance(label, str):
        return None
    patterns = {
        "roc_auc": r"roc",
        "prg_auc": r"gain|prg",
        "best_fbeta": r"best|f[-\s]?(1|score)",
        "average_precision": r"auc-p(\$?_c\$?)?r|average_precision",
    }
    scores = [name for name, pattern in patterns.items() if re.search(pattern, label, re.I)]
    if not scores:
        return None
    if "0.5" in label:
        prior = "half"
    elif re.search(r"pprox|~", label):  # in "\approx", "\a" may be the bell character
        prior = "near"
    else:
        prior = "own"
    return (scores[0], prior) if (scores[0], prior) in _ROLES else None


def _table(values: object, role: _Role) -> np.ndarray:
    """Return the scores of one metric, shape (n_tasks, N_MODELS)."""
    if isinstance(values, Mapping):
        values = list(values.values())
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or N_MODELS not in table.shape:
        raise ValueError(f"{role} must have {N_MODELS} scores per task, got shape {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError(f"{role} must be finite")
    return table if table.shape[1] == N_MODELS else table.T


# -------------------------------------------------------------------------------------- frames


def _scores(values: np.ndarray, panel: str) -> pd.DataFrame:
    """Return values of shape (n_tasks, N_MODELS, n_metrics) as a long table."""
    n_tasks, n_models, n_metrics = values.shape
    keys = [metric.key for metric in metrics_of(panel)]
    priors = [0.5 if prior == "half" else np.nan for _, prior in _ROLES]
    runs = [f"{model:02d}" for model in range(n_models)]
    stored = values.ravel()
    return pd.DataFrame(
        {
            "task": np.repeat(_task_ids(n_tasks, panel), n_models * n_metrics),
            "run": np.tile(np.repeat(runs, n_metrics), n_tasks),
            "metric": np.tile(keys, n_tasks * n_models),
            "pi0": np.tile(priors, n_tasks * n_models),
            "value": stored,
            "value_as_published": stored,
        }
    )


def _tasks(n_tasks: int, panel: str) -> pd.DataFrame:
    ids = _task_ids(n_tasks, panel)
    return pd.DataFrame(
        {
            "task": ids,
            "name": ids,
            "n_pos": pd.array([pd.NA] * n_tasks, dtype="Int64"),
            "n_neg": pd.array([pd.NA] * n_tasks, dtype="Int64"),
            "prior": np.nan,
            "n_models": N_MODELS,
            "outcome": "used",
            "all": panel == "all",
            "imbalanced": panel == "imbalanced",
            "small_prior": False,
        }
    )


def _task_ids(n_tasks: int, panel: str) -> list[str]:
    width = len(str(n_tasks - 1))
    return [f"{panel}-{task:0{width}d}" for task in range(n_tasks)]
