"""Download the credit-card fraud data of Worldline and ULB, from Kaggle or OpenML."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from calibrated_metrics._messages import extra

__all__ = ["published_data"]


def published_data(source: str) -> pd.DataFrame:
    """Download the published data from "kaggle" or "openml", as they are.

    `kagglehub` asks for Kaggle's credentials if they are needed.
    """
    if source == "openml":
        from sklearn.datasets import fetch_openml  # it compares the file with OpenML's MD5

        return fetch_openml(data_id=1597, parser="pandas", as_frame=True, cache=False).frame
    with extra("kaggle"):
        import kagglehub
    folder = kagglehub.dataset_download("mlg-ulb/creditcardfraud")  # it checks the download
    return pd.read_csv(Path(folder) / "creditcard.csv")
