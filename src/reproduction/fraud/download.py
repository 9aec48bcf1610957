"""Download the credit-card fraud data of Worldline and ULB, from Kaggle or OpenML."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from calibrated_metrics._messages import extra
from reproduction.core.io import sha256_of

_KAGGLE_SHA256 = "76274b691b16a6c49d3f159c883398e03ccd6d1ee12d9d8ee38f4b4b98551a89"


def published_data(source: str) -> pd.DataFrame:
    """Download the published data from "kaggle" or "openml", as they are.

    `kagglehub` asks for Kaggle's credentials if they are needed.
    """
    if source == "openml":
        from sklearn.datasets import fetch_openml  # it compares the file with OpenML's MD5

        return fetch_openml(data_id=1597, parser="pandas", as_frame=True, cache=False).frame
    with extra("kaggle"):
        import kagglehub
    csv = Path(kagglehub.dataset_download("mlg-ulb/creditcardfraud")) / "creditcard.csv"
    if (found := sha256_of(csv)) != _KAGGLE_SHA256:
        raise ValueError(
            f"{csv}: SHA-256 is {found}, that of the published file is {_KAGGLE_SHA256}; delete "
            "the file and run again. To use it as it is, set fraud.source to file"
        )
    return pd.read_csv(csv)
