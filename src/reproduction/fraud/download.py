"""Download the credit-card fraud data of Worldline and ULB, from Kaggle or OpenML."""

from __future__ import annotations

import hashlib
import re
import tempfile
from pathlib import Path

import pandas as pd

from calibrated_metrics._messages import extra
from reproduction.core.io import sha256_of
from reproduction.fraud.reading import checked_creditcard, read_creditcard
from reproduction.openml.download import ContentError, download
from reproduction.openml.limits import read_xml

__all__ = ["published_data"]

_ROWS, _FRAUDS = 284_807, 492
_KAGGLE_DATASET = "mlg-ulb/creditcardfraud"
_KAGGLE_SHA256 = "76274b691b16a6c49d3f159c883398e03ccd6d1ee12d9d8ee38f4b4b98551a89"
_OPENML_DATASET = 1597
_OML = "{http://openml.org/openml}"
_ARFF_ATTRIBUTE = re.compile(r"""@attribute\s+(?:'([^']*)'|"([^"]*)"|(\S+))\s""", re.IGNORECASE)


def published_data(source: str, openml_server: str) -> pd.DataFrame:
    """Download the published data.

    Parameters
    ----------
    source : {"kaggle", "openml"}
        `kaggle` uses `kagglehub`, which asks for Kaggle's credentials if they are needed and keeps
        its own copy; `openml` is dataset 1597.
    openml_server : str
        Address of OpenML's XML API.

    Returns
    -------
    DataFrame
        As of `read_creditcard`, with 284,807 rows, 492 of them frauds.

    Raises
    ------
    ImportError
        If `kagglehub` is not installed.
    OSError
        If the server cannot be reached, or repeatedly sends a file with a wrong checksum.
    ValueError
        If the file is not the published data.
    """
    table = _from_kaggle() if source == "kaggle" else _from_openml(openml_server)
    found = (len(table), int(table["Class"].sum()))
    if found != (_ROWS, _FRAUDS):
        raise ValueError(
            f"{source}: {found[0]} rows with {found[1]} frauds; the published data have {_ROWS} "
            f"rows with {_FRAUDS} frauds"
        )
    return table


def _from_kaggle() -> pd.DataFrame:
    with extra("kaggle"):
        import kagglehub
    csv = Path(kagglehub.dataset_download(_KAGGLE_DATASET)) / "creditcard.csv"
    if (found := sha256_of(csv)) != _KAGGLE_SHA256:
        raise ValueError(
            f"{csv}: SHA-256 is {found}, that of the published file is {_KAGGLE_SHA256}; delete "
            "the file and run again. To use it as it is, set fraud.source to file"
        )
    return read_creditcard(csv)


def _from_openml(server: str) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        description = Path(folder) / "description.xml"
        download(f"{server.rstrip('/')}/data/{_OPENML_DATASET}", description, check=_url_and_md5)
        url, md5 = _url_and_md5(description)
        arff = Path(folder) / "creditcard.arff"
        download(url, arff, check=lambda path: _check_md5(path, md5))
        return checked_creditcard(_read_arff(arff), url)


def _url_and_md5(path: Path) -> tuple[str, str]:
    """Address and MD5 of the data file, from OpenML's description of the dataset."""
    root = read_xml(path)
    url, md5 = (root.findtext(f"{_OML}{name}", "") for name in ("url", "md5_checksum"))
    if not (url and md5):
        raise ContentError("the description of the dataset has no url or no md5_checksum")
    return url.strip(), md5.strip().lower()


def _check_md5(path: Path, expected: str) -> None:
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if found != expected:
        raise ContentError(f"MD5 is {found}, OpenML's description says {expected}")


def _read_arff(path: Path) -> pd.DataFrame:
    """Read a dense ARFF file: column names from the header, the data section as CSV."""
    names = []
    with open(path, encoding="utf-8", errors="replace") as file:  # comments: any encoding
        for line in file:
            if line.strip().lower() == "@data":
                break
            if match := _ARFF_ATTRIBUTE.match(line):
                names.append(next(name for name in match.groups() if name is not None))
        return pd.read_csv(
            file, header=None, names=names, quotechar="'", comment="%", skipinitialspace=True
        )
