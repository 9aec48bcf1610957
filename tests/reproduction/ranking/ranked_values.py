"""Scores of tasks with ties, for rankings and regrets."""

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric

METRICS = [Metric("average_precision"), Metric("prg_auc", 0.5), Metric("roc_auc")]


def frames(values, metrics=METRICS, **of_tasks):
    """Scores and tasks from {task: (n_models, n_metrics)}; published values rank differently."""
    rows = [
        (task, f"{run:02d}", metric.key, value, np.sin(40 * value))
        for task, of_task in values.items()
        for run, of_run in enumerate(np.asarray(of_task, dtype=float))
        for metric, value in zip(metrics, of_run, strict=True)
    ]
    columns = ["task", "run", "metric", "value", "value_as_published"]
    tasks = pd.DataFrame({"task": list(values), "outcome": "used", "dataset": list(values)})
    panels = {"all": True, "imbalanced": False, "small_prior": False}
    return pd.DataFrame(rows, columns=columns), tasks.assign(**(panels | of_tasks))


def random_values(n_tasks=6, n_models=8, n_metrics=3, seed=0):
    rng = np.random.default_rng(seed)
    return {
        f"t{task}": np.round(rng.random((n_models + task, n_metrics)), 1) + 0.1
        for task in range(n_tasks)
    }
