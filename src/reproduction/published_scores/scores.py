"""The authors' stored scores of Figure 7: ten metrics of 30 models on each of 602 and 5 tasks.

They are two pickles in the repository of Siblini et al. (doi:10.1007/978-3-030-44584-3_36). The
reference prior π₀ ≈ π is 1.01 π in the first and 10 π in the second. The predictions are not
published.
"""

import pickle  # nosec B403 # reads only the two files whose SHA-256 is pinned here
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pooch

from reproduction.core.io import sha256_of
from reproduction.core.metrics import Metric

_N_MODELS = 30
_FILES = {"all": "metrics_balanced.pkl", "imbalanced": "metrics_imbalanced.pkl"}
_SHA256 = {
    "all": "84a696fd3c7b1a0bf071abed1786d62658d69452967971f32e3fa9e66d9610ca",
    "imbalanced": "fcbae7e23d41111c47e75b512e1d11f10437bad468593f702ad14d7b57aa8a41",
}
# Columns of a parquet file. The pickles have the same metrics in this order, with other names.
_COLUMNS = [
    *(f"{score}{prior}" for score in ("average_precision", "prg_auc", "best_f1")
      for prior in ("", "@pi0~pi", "@pi0=0.5")),
    "roc_auc",
]  # fmt: skip


def run(
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    url: str,
    all: str | None,
    imbalanced: str | None,
    resources: str,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the stored scores of both panels; download the files that are not given.

    A given file is a pickle of the authors, or a parquet file with `task`, `model` and the ten
    metrics. `url` is the folder with the pickles, and `resources` that of downloads.

    The tables of scores and tasks are those of `scores_of_panel`; both values are the stored one.
    The numbers of rows and the priors of the data are unknown, and so are reference priors that are
    multiples of them. No task is in the panel `small_prior`.
    """
    downloads = pooch.create(
        path=resources,
        base_url=url.rstrip("/") + "/",
        registry={_FILES[panel]: f"sha256:{_SHA256[panel]}" for panel in _FILES},
        retry_if_failed=3,
    )
    scores, tasks = [], []
    panels = {"all": (all, metrics), "imbalanced": (imbalanced, imbalanced_metrics)}
    for panel, (path, of_panel) in panels.items():
        values = _read(Path(path or downloads.fetch(_FILES[panel])), panel)
        width = len(str(len(values) - 1))
        ids = [f"{panel}-{task:0{width}d}" for task in range(len(values))]
        scores.append(_scores(values, ids, of_panel))
        tasks.append(_tasks(ids, panel))
    return pd.concat(scores, ignore_index=True), pd.concat(tasks, ignore_index=True)


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


def _scores(values: np.ndarray, tasks: list[str], metrics: Sequence[Metric]) -> pd.DataFrame:
    n_tasks, n_models, n_metrics = values.shape
    runs = [f"{model:02d}" for model in range(n_models)]
    return pd.DataFrame(
        {
            "task": np.repeat(tasks, n_models * n_metrics),
            "run": np.tile(np.repeat(runs, n_metrics), n_tasks),
            "metric": [metric.key for metric in metrics] * (n_tasks * n_models),
            "pi0": [metric.pi0_at() for metric in metrics] * (n_tasks * n_models),
            "value": values.ravel(),
            "value_as_published": values.ravel(),
        }
    )


def _tasks(tasks: list[str], panel: str) -> pd.DataFrame:
    unknown = pd.array([pd.NA] * len(tasks), dtype="Int64")
    return pd.DataFrame(
        {
            "task": tasks,
            "name": tasks,
            "n_pos": unknown,
            "n_neg": unknown,
            "prior": np.nan,
            "n_models": _N_MODELS,
            "outcome": "used",
            "all": panel == "all",
            "imbalanced": panel == "imbalanced",
            "small_prior": False,
        }
    )
