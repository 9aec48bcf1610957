"""Download the credit-card fraud data of Worldline and ULB, from Kaggle or OpenML."""

import os
from pathlib import Path
from typing import Any

import pandas as pd

from calibrated_metrics._messages import extra
from reproduction.core.io import sha256_of

_KAGGLE_SHA256 = "76274b691b16a6c49d3f159c883398e03ccd6d1ee12d9d8ee38f4b4b98551a89"
_OPENML_ID = 1597


def kaggle() -> pd.DataFrame:
    """Download the published data. `kagglehub` asks for credentials if they are needed.

    A damaged or altered copy, which an earlier download may have left, is downloaded again.
    """
    with extra("kaggle"):
        import kagglehub
    for again in (False, True):
        try:
            folder = kagglehub.dataset_download("mlg-ulb/creditcardfraud", force_download=again)
        except Exception as error:  # of the network, the server or the file system
            raise OSError(
                f"Kaggle's mlg-ulb/creditcardfraud cannot be downloaded ({type(error).__name__}: "
                f"{str(error).strip().partition(os.linesep)[0]}); check the network and your "
                "credentials of Kaggle, or download creditcard.csv in a browser and set "
                "fraud.source to file and fraud.path to the file"
            ) from error
        csv = Path(folder) / "creditcard.csv"
        found = sha256_of(csv) if csv.exists() else "missing"
        if found == _KAGGLE_SHA256:
            return pd.read_csv(csv)
    raise ValueError(
        f"{csv}: SHA-256 is {found}, that of the published file is {_KAGGLE_SHA256}; to use "
        "another file as it is, set fraud.source to file"
    )


def openml(*, server: dict[str, Any], resources: str) -> pd.DataFrame:
    """Download the published data from an OpenML server; `server` is for `Client`."""
    from reproduction.openml.again import required
    from reproduction.openml.arff import read_columns
    from reproduction.openml.client import Client  # it imports the package `openml`

    client = Client(server, resources)
    columns = required(lambda: client.dataset(_OPENML_ID, lambda path: read_columns(path, str)))
    return pd.DataFrame(columns).infer_objects()
