"""How imbalanced are the datasets? The distribution of the smaller class's share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.openml.selection import Selection

__all__ = ["of_file", "run", "share_above"]


def run(datasets: pd.DataFrame) -> pd.DataFrame:
    """Sort datasets by the share of their smaller class.

    Parameters
    ----------
    datasets : DataFrame
        A row per dataset or task: `name`, and `prior` in (0, 1), the share of either class.
        Tasks with the same name and prior count as one dataset; rows without a prior are left
        out.

    Returns
    -------
    DataFrame
        A row per dataset, by ascending ratio: `name`; `minority_ratio` in (0, 0.5]; and
        `cumulative_share` in (0, 1], the share of the datasets with this ratio or a smaller one.

    Raises
    ------
    ValueError
        Naming a dataset whose prior does not lie in (0, 1).

    References
    ----------
    Siblini et al., "Master your Metrics with Calibration", arXiv:1909.02827, appendix C.
    """
    known = datasets[["name", "prior"]].dropna(subset="prior").drop_duplicates()
    outside = ~known["prior"].between(0, 1, inclusive="neither")
    if outside.any():
        name, prior = known[outside].iloc[0]
        raise ValueError(f"dataset {name}: prior must be in (0, 1), got {prior}")
    table = pd.DataFrame(
        {
            "name": known["name"],
            "minority_ratio": np.minimum(known["prior"], 1 - known["prior"]),
        }
    ).sort_values(["minority_ratio", "name"], ignore_index=True)
    ratios = table["minority_ratio"].to_numpy()
    n_up_to = np.searchsorted(ratios, ratios, side="right")
    return table.assign(cumulative_share=n_up_to / max(len(ratios), 1))


def share_above(table: pd.DataFrame, ratio: float = 0.2) -> float:
    """Share of the datasets whose smaller class has more than `ratio`.

    Parameters
    ----------
    table : DataFrame
        Of `run`.
    ratio : float, default=0.2
        Siblini et al. (2020) find more than 90 % of OpenML's tasks above 0.2.

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ValueError
        If there is no dataset.
    """
    if table.empty:
        raise ValueError("there is no dataset with a known prior")
    return float((table["minority_ratio"] > ratio).mean())


def of_file(path: str | Path) -> pd.DataFrame:
    """`run` on a table of tasks, or on the datasets of a frozen selection."""
    if Path(path).suffix == ".csv":
        return run(pd.read_csv(path))
    datasets = pd.DataFrame(Selection.read(path).datasets)
    sizes = datasets["n_minority"], datasets["n_majority"]
    return run(datasets.assign(prior=sizes[0] / (sizes[0] + sizes[1])))
