"""The authors' stored scores of Figure 7: ten metrics of 30 models on each of 602 and 5 tasks.

They are two pickles in the repository of Siblini et al. (doi:10.1007/978-3-030-44584-3_36). The
prior π₀ ≈ π is 1.01 π in the first and 10 π in the second. The predictions are not published.
"""

from __future__ import annotations

import pickle  # nosec B403 # reads only the two files whose SHA-256 is pinned here
from pathlib import Path

import numpy as np
import pandas as pd
import pooch

from reproduction.core.io import sha256_of
from reproduction.core.metrics import Metric, TimesPrior

__all__ = ["keys_of", "run"]

_N_MODELS = 30
_FILES = {"all": "metrics_balanced.pkl", "imbalanced": "metrics_imbalanced.pkl"}
_SHA256 = {
    "all": "84a696fd3c7b1a0bf071abed1786d62658d69452967971f32e3fa9e66d9610ca",
    "imbalanced": "fcbae7e23d41111c47e75b512e1d11f10437bad468593f702ad14d7b57aa8a41",
}
_TIMES_PRIOR = {"all": 1.01, "imbalanced": 10}
# Columns of a parquet file. The pickles have the same metrics in this order, under other names.
_COLUMNS = [
    *(f"{score}{prior}" for score in ("average_precision", "prg_auc", "best_f1")
      for prior in ("", "@pi0~pi", "@pi0=0.5")),
    "roc_auc",
]  # fmt: skip


def run(
    *, url: str, all: str | None, imbalanced: str | None, resources: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the stored scores of both panels; download the files that are not given.

    Parameters
    ----------
    url : str
        Address of the folder with the pickles.
    all, imbalanced : str or None
        A pickle of the authors, or a parquet file with the columns `task`, `model` and the ten
        metrics.
    resources : str
        Folder of downloads.

    Returns
    -------
    scores : DataFrame
        A row per task, run and metric: `task`, `run`, `metric`; its `pi0`, empty for a multiple of
        the prior, which is not stored; `value` and `value_as_published`, both the stored value.
    tasks : DataFrame
        A row per task. Numbers of rows and priors are unknown. No task has a `small_prior`.

    Raises
    ------
    ValueError
        If a file is not one of these; the message names it.
    """
    paths = {"all": all, "imbalanced": imbalanced}
    downloads = pooch.create(
        path=resources,
        base_url=url.rstrip("/") + "/",
        registry={_FILES[panel]: f"sha256:{_SHA256[panel]}" for panel in _FILES},
        retry_if_failed=3,
    )
    scores, tasks = [], []
    for panel, path in paths.items():
        values = _read(Path(path or downloads.fetch(_FILES[panel])), panel)
        scores.append(_scores(values, panel))
        tasks.append(_tasks(len(values), panel))
    return pd.concat(scores, ignore_index=True), pd.concat(tasks, ignore_index=True)


def keys_of(panel: str) -> list[str]:
    """Names of the ten metrics of a panel, in the order of the paper."""
    priors = (None, TimesPrior(_TIMES_PRIOR[panel]), 0.5)
    scores = ("average_precision", "prg_auc", "best_fbeta")
    metrics = [Metric(score, pi0) for score in scores for pi0 in priors]
    return [metric.key for metric in (*metrics, Metric("roc_auc"))]


def _read(path: Path, panel: str) -> np.ndarray:
    """Values of shape (n_tasks, n_models, n_metrics)."""
    values = _read_parquet(path) if path.suffix == ".parquet" else _read_pickle(path, panel)
    if values.shape[1:] != (_N_MODELS, len(_COLUMNS)) or not np.isfinite(values).all():
        raise ValueError(
            f"{path}: must have {len(_COLUMNS)} finite metrics of {_N_MODELS} models per task"
        )
    return values


def _read_pickle(path: Path, panel: str) -> np.ndarray:
    if (found := sha256_of(path)) != _SHA256[panel]:
        raise ValueError(
            f"{path}: neither a parquet file nor the authors' {_FILES[panel]}: its SHA-256 is "
            f"{found}, not {_SHA256[panel]}"
        )
    # A dictionary of metrics, each with a list of tasks, each with an array of models.
    content = pickle.loads(path.read_bytes())  # nosec B301
    return np.moveaxis(np.array(list(content.values())), 0, -1)


def _read_parquet(path: Path) -> np.ndarray:
    try:
        table = pd.read_parquet(path).sort_values(["task", "model"])
        if table.duplicated(["task", "model"]).any():
            raise ValueError("a model of a task occurs twice")
        values = table[_COLUMNS].to_numpy(dtype=np.float64)
        return values.reshape(table["task"].nunique(), -1, len(_COLUMNS))
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"{path}: {error}") from error


def _scores(values: np.ndarray, panel: str) -> pd.DataFrame:
    keys = keys_of(panel)
    priors = [0.5 if key.endswith("@pi0=0.5") else np.nan for key in keys]
    runs = [f"{model:02d}" for model in range(_N_MODELS)]
    index = pd.MultiIndex.from_product(
        [_ids(len(values), panel), runs, keys], names=["task", "run", "metric"]
    )
    return index.to_frame(index=False).assign(
        pi0=np.tile(priors, len(values) * _N_MODELS),
        value=values.ravel(),
        value_as_published=values.ravel(),
    )


def _tasks(n_tasks: int, panel: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "task": _ids(n_tasks, panel),
            "name": _ids(n_tasks, panel),
            "n_pos": pd.array([pd.NA] * n_tasks, dtype="Int64"),
            "n_neg": pd.array([pd.NA] * n_tasks, dtype="Int64"),
            "prior": np.nan,
            "n_models": _N_MODELS,
            "outcome": "used",
            "all": panel == "all",
            "imbalanced": panel == "imbalanced",
            "small_prior": False,
        }
    )


def _ids(n_tasks: int, panel: str) -> list[str]:
    width = len(str(n_tasks - 1))
    return [f"{panel}-{task:0{width}d}" for task in range(n_tasks)]
