"""The credit-card fraud data of Worldline and ULB, and the paper's model of it.

Published as `mlg-ulb/creditcardfraud` on Kaggle and as dataset 1597 on OpenML: transactions
of two days of September 2013, features V1 to V28 from a principal component analysis.
"""

import hashlib
import json
import os
import re
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import requests
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from calibrated_metrics.data.download import ContentError, DownloadError, download, host_of
from calibrated_metrics.files import sha256_of, write_json, write_parquet

COLUMNS = ("Time", *(f"V{i}" for i in range(1, 29)), "Amount", "Class")
FEATURES = COLUMNS[1:-1]
KAGGLE_ROWS = 284_807
KAGGLE_FRAUDS = 492

OPENML_SERVER = "https://www.openml.org/api/v1/xml"
OPENML_DATASET = 1597
KAGGLE_DATASET = "mlg-ulb/creditcardfraud"
KAGGLE_LICENCE = "DbCL v1.0"

_OML = "{http://openml.org/openml}"
_OPENML_DATABASE_BUSY = "107"
_ARFF_ATTRIBUTE = re.compile(r"""@attribute\s+(?:'([^']*)'|"([^"]*)"|(\S+))\s""", re.IGNORECASE)


def read_creditcard(path: str | os.PathLike) -> pd.DataFrame:
    """Read the fraud data from a file.

    Parameters
    ----------
    path : path-like
        Kaggle's `creditcard.csv`, a `.zip` with exactly one csv file inside, or a `.parquet`
        file with the same columns, in any order. Time may be missing. Class may be a number
        or a string, quoted or not.

    Returns
    -------
    pandas.DataFrame
        One row per transaction in the order of the file, index 0, 1, ..., columns in the
        order of `COLUMNS` (without Time where the file has none): Time (seconds since the
        first transaction), V1 to V28 and Amount as float64, Class as int8 (1 is fraud).

    Raises
    ------
    ValueError
        The file cannot be read as what its suffix says; a column is missing, unexpected, not
        numeric, or has NaN or infinite values; a class is neither 0 nor 1; there is no fraud
        or no genuine row.
    """
    path = Path(path)
    readers = {".csv": _read_csv, ".zip": _read_zip, ".parquet": pd.read_parquet}
    if path.suffix not in readers:
        raise ValueError(f"{path}: suffix {path.suffix!r} is not one of {', '.join(readers)}")
    with open(path, "rb") as file:
        try:
            table = readers[path.suffix](file)
        except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"{path}: not a readable {path.suffix} file: {error}") from error
    return _validated(table, str(path))


def check_published(frame: pd.DataFrame, *, source: str = "frame") -> None:
    """Check that a table has the size of the published data.

    Parameters
    ----------
    frame : pandas.DataFrame
        As from `read_creditcard`, with or without Time.
    source : str
        What the error message calls the table.

    Raises
    ------
    ValueError
        It has not 284,807 rows, 492 of them frauds, or other columns.
    """
    columns = tuple(frame.columns)
    if columns not in (COLUMNS, COLUMNS[1:]):
        raise ValueError(f"{source}: columns are {columns}, the published ones are {COLUMNS}")
    found = (len(frame), int((frame["Class"] == 1).sum()), int((frame["Class"] == 0).sum()))
    published = (KAGGLE_ROWS, KAGGLE_FRAUDS, KAGGLE_ROWS - KAGGLE_FRAUDS)
    if found != published:
        raise ValueError(
            f"{source}: {found[0]} rows, {found[1]} frauds, {found[2]} genuine; "
            f"the published data have {published[0]}, {published[1]} and {published[2]}"
        )


def fetch_openml(folder: str | os.PathLike, *, server: str = OPENML_SERVER) -> Path:
    """Fetch the published data from OpenML (dataset 1597), once.

    Writes `creditcard_openml.parquet` (read it with `read_creditcard`) and, last,
    `creditcard_openml.json`: source, SHA-256 of the ARFF file and of the parquet file,
    licence, rows, frauds. Where both exist and the parquet file has the recorded SHA-256,
    nothing is requested.

    Parameters
    ----------
    folder : path-like
        Where the two files go; created if missing.
    server : str
        Address of the XML interface. The data file must lie on the same host, a subdomain or
        a parent domain, "www." aside: www.openml.org names files on api.openml.org.

    Returns
    -------
    pathlib.Path
        The parquet file.

    Raises
    ------
    DownloadError
        The server cannot be reached, answers with an error of its own (its code and message
        are named), names a file on a foreign host, or keeps sending damaged content (checked
        by MD5).
    ValueError
        The file is whole, but not the published data.
    """
    parquet = Path(folder) / "creditcard_openml.parquet"
    if _is_intact(parquet):
        return parquet
    with requests.Session() as session, tempfile.TemporaryDirectory() as scratch:
        url, md5, licence = _fetch_description(server, Path(scratch), session)
        arff = download(
            url,
            Path(scratch) / "creditcard.arff",
            check=lambda file: _check_md5(file, md5),
            session=session,
        )
        frame = _validated(_read_arff(arff, url), url)
        _store(frame, parquet, source=url, download_sha256=sha256_of(arff), licence=licence)
    return parquet


def fetch_kaggle(folder: str | os.PathLike) -> Path:
    """Fetch the published data from Kaggle, once.

    Uses `kagglehub`, which keeps its own copy and asks for Kaggle's credentials where they
    are needed. Writes `creditcard_kaggle.parquet` and `creditcard_kaggle.json`, like
    `fetch_openml`; the recorded SHA-256 of the download is that of `creditcard.csv`.

    Parameters
    ----------
    folder : path-like
        Where the two files go; created if missing.

    Returns
    -------
    pathlib.Path
        The parquet file.

    Raises
    ------
    ImportError
        `kagglehub` is not installed.
    ValueError
        The file is not the published data.
    """
    parquet = Path(folder) / "creditcard_kaggle.parquet"
    if _is_intact(parquet):
        return parquet
    try:
        import kagglehub
    except ImportError as error:
        raise ImportError(
            "fetching from Kaggle needs kagglehub: pip install 'calibrated-metrics[kaggle]'"
        ) from error
    csv = Path(kagglehub.dataset_download(KAGGLE_DATASET)) / "creditcard.csv"
    _store(
        read_creditcard(csv),
        parquet,
        source=f"https://www.kaggle.com/datasets/{KAGGLE_DATASET}",
        download_sha256=sha256_of(csv),
        licence=KAGGLE_LICENCE,
    )
    return parquet


def fit_and_score(frame: pd.DataFrame) -> pd.DataFrame:
    """Fit the paper's model and score its test set.

    Time is left out, Amount standardised over all rows before the split (as the paper does),
    30 % of the rows are held out at random, and a logistic regression with scikit-learn's
    default settings is fitted to the rest.

    Parameters
    ----------
    frame : pandas.DataFrame, shape (n, 30 or 31)
        As from `read_creditcard`.

    Returns
    -------
    pandas.DataFrame, shape (ceil(0.3 n), 3)
        The test set in the order of the split: row (position in `frame`), y_true (int8,
        1 is fraud), y_score (float64, probability of fraud).

    References
    ----------
    Siblini et al., "Master your Metrics with Calibration", IDA 2020, Figure 6.
    """
    features = frame[list(FEATURES)].astype("float64")
    features["Amount"] = StandardScaler().fit_transform(features[["Amount"]])
    train, test = train_test_split(np.arange(len(frame)), test_size=0.3, random_state=0)
    x, y = features.to_numpy(), frame["Class"].to_numpy()
    # On several threads the last digits of the scores depend on the number of cores.
    with threadpool_limits(1):
        model = LogisticRegression().fit(x[train], y[train])
        y_score = model.predict_proba(x[test])[:, 1]
    return pd.DataFrame({"row": test, "y_true": y[test].astype("int8"), "y_score": y_score})


def _read_csv(file: BinaryIO) -> pd.DataFrame:
    table = pd.read_csv(file)
    # With one field more in every row than in the header, pandas takes the first for an index.
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError(f"rows have more fields than the {table.shape[1]} of the header")
    return table


def _read_zip(file: BinaryIO) -> pd.DataFrame:
    with zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if name.lower().endswith(".csv")]
        if len(names) != 1:
            raise ValueError(f"must contain exactly one csv file, has {len(names)}: {names}")
        with archive.open(names[0]) as member:
            return _read_csv(member)


def _read_arff(path: Path, source: str) -> pd.DataFrame:
    """Read a dense ARFF file: names from its header, the data section as CSV."""
    with open(path, "rb") as file:
        names = _arff_names(file, source)
        start = file.tell()
        _check_fields(file, len(names), source)
        file.seek(start)
        return pd.read_csv(
            file, header=None, names=names, quotechar="'", comment="%", skipinitialspace=True
        )


def _arff_names(file: BinaryIO, source: str) -> list[str]:
    """Return the attribute names, and leave the file at the first line after @data."""
    names = []
    for line in file:
        text = line.decode("utf-8", errors="replace").strip()  # comments have any encoding
        if text.lower() == "@data":
            return names
        if match := _ARFF_ATTRIBUTE.match(text):
            names.append(next(name for name in match.groups() if name is not None))
    raise ValueError(f"{source}: no @data line, so not a whole ARFF file")


def _check_fields(file: BinaryIO, n_fields: int, source: str) -> None:
    """Check the commas of every row: pandas pads a short row without a word."""
    for number, line in enumerate(file, 1):
        row = line.strip()
        if row and not row.startswith(b"%") and row.count(b",") != n_fields - 1:
            raise ValueError(
                f"{source}: line {number} after @data has {row.count(b',') + 1} fields, "
                f"the header names {n_fields}"
            )


def _validated(table: pd.DataFrame, source: str) -> pd.DataFrame:
    """Return the table in the form that `read_creditcard` describes, or raise."""
    expected = list(COLUMNS if "Time" in table.columns else COLUMNS[1:])
    if sorted(map(str, table.columns)) != sorted(expected):
        missing = [name for name in expected if name not in table.columns]
        unexpected = [name for name in table.columns if name not in COLUMNS]
        repeated = list(table.columns[table.columns.duplicated()])
        raise ValueError(
            f"{source}: columns missing: {missing}, unexpected: {unexpected}, "
            f"repeated: {repeated}; must be Time (optional), V1 to V28, Amount, Class"
        )
    table = table[expected].reset_index(drop=True)
    features = table.drop(columns="Class")
    text = [name for name in features if not pd.api.types.is_numeric_dtype(features[name])]
    if text:
        raise ValueError(f"{source}: columns with values that are not numbers: {text}")
    features = features.astype("float64")
    not_finite = (~np.isfinite(features)).sum()
    if not_finite.any():
        counts = not_finite[not_finite > 0].to_dict()
        raise ValueError(f"{source}: NaN or infinite values, by column: {counts}")
    return features.assign(Class=_classes(table["Class"], source))


def _classes(column: pd.Series, source: str) -> pd.Series:
    """Return Class as int8; OpenML's file and some converters hold it as '0' and '1'."""
    numbers = pd.to_numeric(column.astype(str).str.strip("'\" "), errors="coerce")
    wrong = ~numbers.isin([0, 1])
    if wrong.any():
        raise ValueError(
            f"{source}: Class must be 0 or 1, {wrong.sum()} rows have other values: "
            f"{column[wrong].unique().tolist()[:5]}"
        )
    if numbers.nunique() < 2:
        raise ValueError(
            f"{source}: {len(numbers)} rows, {int(numbers.sum())} of them frauds; "
            "at least one fraud and one genuine row are needed"
        )
    return numbers.astype("int8")


def _fetch_description(
    server: str, scratch: Path, session: requests.Session
) -> tuple[str, str, str | None]:
    """Return url, MD5 and licence of the data file from OpenML's description of the dataset."""
    address = f"{server.rstrip('/')}/data/{OPENML_DATASET}"
    file = download(
        address,
        scratch / "description.xml",
        check=lambda file: _read_description(file, address),
        session=session,
        accepted_statuses=(200, 412),  # OpenML sends its own errors as XML with status 412
    )
    url, md5, licence = _read_description(file, address)
    if not _same_site(host_of(url), host_of(server)):
        raise DownloadError(
            f"{address}: refused the data file {url}: not on the host of {server}, "
            "a subdomain or a parent domain of it"
        )
    return url, md5, licence


def _read_description(path: Path, address: str) -> tuple[str, str, str | None]:
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ContentError(f"not an XML document: {error}") from error
    if root.tag == f"{_OML}error":
        code, message = (root.findtext(f"{_OML}{name}", "").strip() for name in ("code", "message"))
        if code == _OPENML_DATABASE_BUSY:
            raise ContentError(f"OpenML error {code}: {message}")
        raise DownloadError(f"{address}: OpenML error {code}: {message}")
    url, md5, licence = (
        root.findtext(f"{_OML}{name}") for name in ("url", "md5_checksum", "licence")
    )
    if not (url and md5):
        raise ContentError(f"{root.tag} without a url or an md5_checksum")
    return url.strip(), md5.strip().lower(), licence


def _same_site(host: str | None, other: str | None) -> bool:
    """Whether two hosts are equal, or one is a subdomain of the other, "www." aside."""
    if host is None or other is None:
        return False
    shorter, longer = sorted((host.removeprefix("www."), other.removeprefix("www.")), key=len)
    # A top-level domain is nobody's parent, and numeric addresses have no domains.
    is_domain = "." in shorter and not shorter[-1].isdigit()
    return longer == shorter or (is_domain and longer.endswith(f".{shorter}"))


def _check_md5(path: Path, expected: str) -> None:
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if found != expected:
        raise ContentError(f"MD5 is {found}, OpenML's description says {expected}")


def _store(
    frame: pd.DataFrame, parquet: Path, *, source: str, download_sha256: str, licence: str | None
) -> None:
    """Write the table, then the record that declares it complete."""
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
    """Whether a file is there with the SHA-256 that its record names."""
    record = parquet.with_suffix(".json")
    if not (parquet.exists() and record.exists()):
        return False
    try:
        recorded = json.loads(record.read_text(encoding="utf-8"))["parquet_sha256"]
    except (ValueError, KeyError):
        return False
    return recorded == sha256_of(parquet)
