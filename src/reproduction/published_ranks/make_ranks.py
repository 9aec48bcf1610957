"""Make ranks.npz from the scores that the authors stored, two pickles in their repository:

python -m reproduction.published_ranks.make_ranks metrics_balanced.pkl metrics_imbalanced.pkl

https://github.com/wissam-sib/calibrated_metrics has them (commit f1c262d). Figure 7 depends on the
ranks of the scores only.
"""

import pickle  # nosec B403 # reads only the two files whose SHA-256 is known
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.core.io import sha256_of
from reproduction.published_ranks.experiment import RANKS

_SHA256 = {
    "all": "84a696fd3c7b1a0bf071abed1786d62658d69452967971f32e3fa9e66d9610ca",
    "imbalanced": "fcbae7e23d41111c47e75b512e1d11f10437bad468593f702ad14d7b57aa8a41",
}
_GAIN = 5  # place of AUC-PR Gain at π₀ = 0.5 among the metrics


def arrays(panel: str, scores: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays of a panel in ranks.npz, from scores of shape (n_tasks, n_models, n_metrics).

    They are twice the ranks, as tied models have their average rank, and two packed masks, of the
    models whose metrics are all 0, and of those whose AUC-PR Gain at π₀ = 0.5 exceeds 1.
    """
    ranks = np.array([pd.DataFrame(of_task).rank() for of_task in scores])
    return {
        panel: (2 * ranks).astype(np.uint8),
        f"{panel}_zeroed": np.packbits((scores == 0).all(axis=-1)),
        f"{panel}_gain_above_1": np.packbits(scores[..., _GAIN] > 1),
    }


def _read(path: str, panel: str) -> np.ndarray:
    if (found := sha256_of(path)) != _SHA256[panel]:
        sys.exit(f"{path}: not the authors' file: its SHA-256 is {found}, not {_SHA256[panel]}")
    # A dictionary of metrics, each with a list of tasks, each with an array of models.
    content = pickle.loads(Path(path).read_bytes())  # nosec B301
    return np.moveaxis(np.array(list(content.values())), 0, -1)


if __name__ == "__main__":
    made: dict[str, np.ndarray] = {}
    for panel, path in zip(_SHA256, sys.argv[1:], strict=True):
        made |= arrays(panel, _read(path, panel))
    np.savez_compressed(RANKS, **made)
