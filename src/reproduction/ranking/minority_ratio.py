"""arXiv Figure 9: the share of the smaller class of each dataset."""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["run"]


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
    """
    known = datasets[["name", "prior"]].dropna(subset="prior").drop_duplicates()
    outside = ~known["prior"].between(0, 1, inclusive="neither")
    if outside.any():
        name, prior = known[outside].iloc[0]
        raise ValueError(f"dataset {name}: prior must be in (0, 1), got {prior}")
    ratios = np.minimum(known["prior"], 1 - known["prior"])
    table = known[["name"]].assign(minority_ratio=ratios)
    table = table.sort_values(["minority_ratio", "name"], ignore_index=True)
    n_up_to = np.searchsorted(table["minority_ratio"], table["minority_ratio"], side="right")
    return table.assign(cumulative_share=n_up_to / max(len(table), 1))
