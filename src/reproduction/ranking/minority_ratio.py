"""arXiv Figure 9: the share of the smaller class of each dataset."""

import numpy as np
import pandas as pd


def run(datasets: pd.DataFrame) -> pd.DataFrame:
    """One row per dataset, by ascending share of its smaller class.

    Tasks with the same name and prior count as one dataset; rows without a prior are left out.
    """
    known = datasets[["name", "prior"]].dropna(subset="prior").drop_duplicates()
    ratios = np.minimum(known["prior"], 1 - known["prior"])
    table = known[["name"]].assign(minority_ratio=ratios)
    table = table.sort_values(["minority_ratio", "name"], ignore_index=True)
    return table.assign(cumulative_share=table["minority_ratio"].rank(method="max", pct=True))
