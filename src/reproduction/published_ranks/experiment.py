"""Figure 7 as printed: rank correlations of ten metrics, from the scores that the authors stored.

`ranks.npz` has the ranks of 30 models on each of 602 tasks, and of 5 imbalanced ones; make_ranks.py
shows how they follow from the scores. `printed_*.csv` are the correlations in the published figure.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.ranking.experiment import mean_over_tasks, pairs_of, spearman

_ROOM = Path(__file__).parent
RANKS = _ROOM / "ranks.npz"


def run(
    metrics: Sequence[Metric], imbalanced_metrics: Sequence[Metric]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Correlations of all tasks, of the imbalanced ones, and a row on the models of each panel.

    The metrics are those of the stored ranks, in their order. `spearman` follows the authors'
    conventions: models whose metrics are all 0 are ranked, and an undefined correlation counts as
    1. `corrected` leaves out both. `printed` is the published value, below the diagonal.
    """
    panels = {"all": metrics, "imbalanced": imbalanced_metrics}
    tables, rows = [], []
    with np.load(RANKS) as stored:
        for panel, of_panel in panels.items():
            ranks = stored[panel]  # (n_tasks, n_models, n_metrics)
            zeroed = _mask(stored[f"{panel}_zeroed"], ranks.shape[:2])
            above_1 = _mask(stored[f"{panel}_gain_above_1"], ranks.shape[:2])
            table = _correlations(ranks, zeroed, of_panel, panel)
            row = {"panel": panel, "n_tasks": len(ranks), "n_models": zeroed.size}
            row |= {"zeroed": zeroed.sum(), "gain_above_1": above_1.sum()}
            tables.append(table)
            rows.append(row | {"mean_correlation": table["spearman"][table["printed"] > 0].mean()})
    return *tables, pd.DataFrame(rows)


def _mask(packed: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    return np.unpackbits(packed, count=shape[0] * shape[1]).reshape(shape).astype(bool)


def _correlations(
    ranks: np.ndarray, zeroed: np.ndarray, metrics: Sequence[Metric], panel: str
) -> pd.DataFrame:
    as_published = np.array([spearman(of_task) for of_task in ranks])
    as_published[np.isnan(as_published)] = 1.0
    kept = [of_task[~left_out] for of_task, left_out in zip(ranks, zeroed, strict=True)]
    corrected = np.array([spearman(of_task) for of_task in kept if len(of_task)])
    keys = [metric.key for metric in metrics]
    printed = pd.read_csv(_ROOM / f"printed_{panel}.csv", index_col="row")
    return pairs_of(metrics).assign(
        spearman=as_published.mean(axis=0).ravel(),
        corrected=mean_over_tasks(corrected)[0].ravel(),
        printed=printed.reindex(index=keys, columns=keys).to_numpy().ravel(),
        n_tasks=len(ranks),
    )
