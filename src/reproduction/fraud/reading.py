"""Read Kaggle's fraud data, or a sample of it."""

from __future__ import annotations

import pandas as pd

from reproduction.core.reading import finite, labels, read_file, require

FEATURES = (*(f"V{i}" for i in range(1, 29)), "Amount")
"""Features of Kaggle's file. V1 to V28 come from a principal component analysis."""


def read_creditcard(path: str) -> pd.DataFrame:
    """Read the columns `FEATURES` (float64) and Class (int8, 1 is fraud) of the data or a sample.

    The columns may be in any order. Class may be a number or text, with or without quotes.
    """
    table = read_file(path)
    require(table, [*FEATURES, "Class"], path)
    numbers = {name: finite(table[name], f"{path}: {name}") for name in FEATURES}
    return pd.DataFrame({**numbers, "Class": labels(table["Class"], f"{path}: Class")})
