"""Download the credit-card fraud data from OpenML (dataset 1597) or Kaggle."""

import hashlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import BinaryIO

import pandas as pd

from calibrated_metrics._messages import extra
from reproduction.fraud.creditcard import check_published, checked_table, read_creditcard
from reproduction.openml.download import (
    ContentError,
    DownloadError,
    Session,
    download,
    same_site,
)
from reproduction.openml.limits import LARGEST_DOCUMENT, read_xml
from reproduction.files import sha256_of, write_json, write_parquet

__all__ = ["KAGGLE_DATASET", "OPENML_DATASET", "fetch_kaggle", "fetch_openml"]

OPENML_DATASET = 1597
KAGGLE_DATASET = "mlg-ulb/creditcardfraud"
_KAGGLE_LICENCE = "DbCL v1.0"

_OML = "{http://openml.org/openml}"
_OPENML_DATABASE_BUSY = "107"
_ARFF_ATTRIBUTE = re.compile(r"""@attribute\s+(?:'([^']*)'|"([^"]*)"|(\S+))\s""", re.IGNORECASE)


def fetch_openml(folder: str | os.PathLike, *, server: str) -> Path:
    """Download the published data from OpenML (dataset 1597).

    Writes `creditcard_openml.parquet`, which `read_creditcard` reads, and then
    `creditcard_openml.json` with the source, the SHA-256 of the ARFF file and of the parquet
    file, the licence, and the numbers of rows and frauds. If both files exist and the parquet
    file has the recorded SHA-256, nothing is downloaded.

    Parameters
    ----------
    folder : path-like
        Folder of the two files; it is created if missing.
    server : str
        Address of the XML API. The data file must be on the same host, on a subdomain or on a
        parent domain. A leading "www." is ignored, because the descriptions at www.openml.org
        link to files on api.openml.org.

    Returns
    -------
    pathlib.Path
        The parquet file.

    Raises
    ------
    DownloadError
        If the server cannot be reached, returns an OpenML error (the message contains its code
        and text), links to a file on another host, or repeatedly sends content whose MD5 is
        wrong.
    ValueError
        If the file is intact but is not the published data.
    """
    parquet = Path(folder) / "creditcard_openml.parquet"
    if _is_intact(parquet):
        return parquet
    with Session() as session, tempfile.TemporaryDirectory() as scratch:
        url, md5, licence = _fetch_description(server, Path(scratch), session)
        arff = download(
            url,
            Path(scratch) / "creditcard.arff",
            check=lambda file: _check_md5(file, md5),
            session=session,
        )
        frame = checked_table(_read_arff(arff, url), url)
        _store(frame, parquet, source=url, download_sha256=sha256_of(arff), licence=licence)
    return parquet


def fetch_kaggle(folder: str | os.PathLike) -> Path:
    """Download the published data from Kaggle.

    Uses `kagglehub`, which keeps its own copy and asks for Kaggle's credentials if they are
    needed. Writes `creditcard_kaggle.parquet` and `creditcard_kaggle.json` as `fetch_openml`
    does; the recorded SHA-256 of the download is that of `creditcard.csv`. If both files exist
    and the parquet file has the recorded SHA-256, nothing is downloaded.

    Parameters
    ----------
    folder : path-like
        Folder of the two files; it is created if missing.

    Returns
    -------
    pathlib.Path
        The parquet file.

    Raises
    ------
    ImportError
        If `kagglehub` is not installed.
    ValueError
        If the file is not the published data.
    """
    parquet = Path(folder) / "creditcard_kaggle.parquet"
    if _is_intact(parquet):
        return parquet
    with extra("kaggle"):
        import kagglehub
    csv = Path(kagglehub.dataset_download(KAGGLE_DATASET)) / "creditcard.csv"
    _store(
        read_creditcard(csv),
        parquet,
        source=f"https://www.kaggle.com/datasets/{KAGGLE_DATASET}",
        download_sha256=sha256_of(csv),
        licence=_KAGGLE_LICENCE,
    )
    return parquet


def _read_arff(path: Path, source: str) -> pd.DataFrame:
    """Read a dense ARFF file: column names from the header, the data section as CSV."""
    with open(path, "rb") as file:
        names = _arff_names(file, source)
        start = file.tell()
        _check_fields(file, len(names), source)
        file.seek(start)
        return pd.read_csv(
            file, header=None, names=names, quotechar="'", comment="%", skipinitialspace=True
        )


def _arff_names(file: BinaryIO, source: str) -> list[str]:
    """Return the attribute names, and move the file to the first line after @data."""
    names = []
    for line in file:
        text = line.decode("utf-8", errors="replace").strip()  # comments may be in any encoding
        if text.lower() == "@data":
            return names
        if match := _ARFF_ATTRIBUTE.match(text):
            names.append(next(name for name in match.groups() if name is not None))
    raise ValueError(f"{source}: no @data line, so this is not a complete ARFF file")


def _check_fields(file: BinaryIO, n_fields: int, source: str) -> None:
    """Check the number of commas in every row, because pandas silently pads short rows."""
    for number, line in enumerate(file, 1):
        row = line.strip()
        if row and not row.startswith(b"%") and row.count(b",") != n_fields - 1:
            raise ValueError(
                f"{source}: line {number} after @data has {row.count(b',') + 1} fields, "
                f"the header has {n_fields}"
            )


def _fetch_description(server: str, scratch: Path, session: Session) -> tuple[str, str, str | None]:
    """Return the URL, MD5 and licence of the data file from OpenML's dataset description."""
    address = f"{server.rstrip('/')}/data/{OPENML_DATASET}"
    file = download(
        address,
        scratch / "description.xml",
        check=lambda file: _read_description(file, address),
        session=session,
        max_bytes=LARGEST_DOCUMENT,
        accepted_statuses=(200, 412),  # OpenML sends its errors as XML with status 412
    )
    url, md5, licence = _read_description(file, address)
    if not same_site(url, server):
        raise DownloadError(
            f"{address}: refused the data file {url}: it must be on the host of {server}, "
            "on a subdomain or on a parent domain"
        )
    return url, md5, licence


def _read_description(path: Path, address: str) -> tuple[str, str, str | None]:
    root = read_xml(path)
    if root.tag == f"{_OML}error":
        code, message = (
            root.findtext(f"{_OML}{name}", "").strip()[:1000] for name in ("code", "message")
        )
        if code == _OPENML_DATABASE_BUSY:
            raise ContentError(f"OpenML error {code}: {message}")
        raise DownloadError(f"{address}: OpenML error {code}: {message}")
    url, md5, licence = (
        root.findtext(f"{_OML}{name}") for name in ("url", "md5_checksum", "licence")
    )
    if not (url and md5):
        raise ContentError(f"{root.tag:.200} has no url or no md5_checksum")
    return url.strip(), md5.strip().lower(), licence


def _check_md5(path: Path, expected: str) -> None:
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if found != expected:
        raise ContentError(f"MD5 is {found}, OpenML's description says {expected}")


def _store(
    frame: pd.DataFrame, parquet: Path, *, source: str, download_sha256: str, licence: str | None
) -> None:
    """Write the table, then the record that marks it as complete."""
    check_published(frame, source=source)
    write_parquet(frame, parquet)
    write_json(
        parquet.with_suffix(".json"),
        {
            "source": source,
            "download_sha256": download_sha256,
            "parquet_sha256": sha256_of(parquet),
            "licence": licence,
            "rows": len(frame),
            "frauds": int(frame["Class"].sum()),
        },
    )


def _is_intact(parquet: Path) -> bool:
    """Whether the file exists and has the SHA-256 in its record."""
    record = parquet.with_suffix(".json")
    if not (parquet.exists() and record.exists()):
        return False
    try:
        recorded = json.loads(record.read_text(encoding="utf-8"))["parquet_sha256"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return recorded == sha256_of(parquet)
