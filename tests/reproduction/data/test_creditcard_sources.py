import hashlib
import json
import os
import sys
from types import SimpleNamespace

import http_stand_in as faults
import numpy as np
import pandas as pd
import pytest
from http_stand_in import server as server

from reproduction.fraud import creditcard
from reproduction.fraud.creditcard import (
    COLUMNS,
    PUBLISHED_FRAUDS,
    PUBLISHED_ROWS,
    check_published,
    read_creditcard,
)
from reproduction.fraud.creditcard_sources import fetch_kaggle, fetch_openml
from reproduction.openml.download import DownloadError
from reproduction.files import sha256_of

ARFF_HEADER = "% Université\n@relation creditcard\n\n" + "".join(
    f"@ATTRIBUTE {name} {kind}\n"
    for name, kind in [
        ("Time", "REAL"),
        *((f"'V{i}'", "numeric") for i in range(1, 29)),
        ('"Amount"', "REAL"),
        ("Class", "{'0','1'}"),
    ]
)
GENUINE_ROW = "7," + ",".join(["-0.5"] * 28) + ",1.25,'0'\n"
FRAUD_ROW = "8.5," + ",".join(["1e-3"] * 28) + ", 378.66,'1'\n"


def arff(rows, n_genuine, n_frauds):
    genuine, fraud = rows
    return (ARFF_HEADER + "@DATA\n" + genuine * n_genuine + fraud * n_frauds + "\n% end\n").encode(
        "latin-1"
    )


@pytest.fixture(scope="module")
def published_arff():
    return arff((GENUINE_ROW, FRAUD_ROW), PUBLISHED_ROWS - PUBLISHED_FRAUDS, PUBLISHED_FRAUDS)


@pytest.fixture
def few_published_rows(monkeypatch):
    """A file of 1,002 rows that counts as the published one."""
    monkeypatch.setattr(creditcard, "PUBLISHED_ROWS", 1002)
    monkeypatch.setattr(creditcard, "PUBLISHED_FRAUDS", 2)
    return arff((GENUINE_ROW, FRAUD_ROW), 1000, 2)


@pytest.fixture
def openml(server):
    """The server of the data, in place of that of the OpenML client."""
    return server


def offer(server, data, *, md5=None, url=None):
    """Make the stand-in serve `data` as OpenML's dataset 1597; return the API address."""
    path = "/data/v1/download/1673544/creditcard.arff"
    md5 = md5 or hashlib.md5(data).hexdigest()
    server.pages[path] = data
    server.pages["/api/v1/xml/data/1597"] = f"""
        <oml:data_set_description xmlns:oml="http://openml.org/openml">
          <oml:id>1597</oml:id><oml:name>creditcard</oml:name><oml:format>ARFF</oml:format>
          <oml:licence>Public</oml:licence><oml:url>{url or server.url(path)}</oml:url>
          <oml:file_id>1673544</oml:file_id><oml:md5_checksum>{md5}</oml:md5_checksum>
        </oml:data_set_description>""".strip().encode()
    return server.url("/api/v1/xml")


def openml_error(code, message):
    return faults.answer(
        412,
        f"""<oml:error xmlns:oml="http://openml.org/openml">
          <oml:code>{code}</oml:code><oml:message>{message}</oml:message>
        </oml:error>""".encode(),
    )


class TestOpenML:
    def test_fetched_once(self, openml, tmp_path, published_arff):
        folder = tmp_path / "new"
        server = offer(openml, published_arff)
        parquet = fetch_openml(folder, server=server)
        assert sorted(os.listdir(folder)) == ["creditcard_openml.json", "creditcard_openml.parquet"]

        frame = read_creditcard(parquet)
        check_published(frame)
        assert tuple(frame.columns) == COLUMNS
        assert frame.iloc[0].tolist() == [7, *[-0.5] * 28, 1.25, 0]
        assert frame.iloc[-1].tolist() == [8.5, *[0.001] * 28, 378.66, 1]
        assert json.loads((folder / "creditcard_openml.json").read_text()) == {
            "source": openml.url("/data/v1/download/1673544/creditcard.arff"),
            "download_sha256": hashlib.sha256(published_arff).hexdigest(),
            "parquet_sha256": sha256_of(parquet),
            "licence": "Public",
            "rows": 284_807,
            "frauds": 492,
        }

        assert len(openml.requests) == 2
        assert fetch_openml(folder, server=server) == parquet
        assert len(openml.requests) == 2

    def test_fetched_again_when_damaged(self, openml, tmp_path, few_published_rows):
        server = offer(openml, few_published_rows)
        parquet = fetch_openml(tmp_path, server=server)
        whole = parquet.read_bytes()
        for damaged in (parquet, parquet.with_suffix(".json")):
            damaged.write_bytes(damaged.read_bytes()[:-100])
            openml.requests.clear()
            fetch_openml(tmp_path, server=server)
            assert len(openml.requests) == 2
            assert parquet.read_bytes() == whole

    def refused(self, openml, folder, server, error, message):
        with pytest.raises(error, match=message):
            fetch_openml(folder, server=server)
        assert not list(folder.iterdir())

    def test_faults_on_the_way(self, openml, tmp_path, few_published_rows):
        server = offer(openml, few_published_rows)
        html = faults.answer(200, b"<html><p>busy</html>")
        description = faults.answer(200, openml.pages["/api/v1/xml/data/1597"])
        openml.faults.extend([html, openml_error(107, "busy"), faults.reset, description])
        openml.faults.extend([faults.short_body(few_published_rows), html])
        fetch_openml(tmp_path, server=server)
        assert len(openml.requests) == 7

    def test_wrong_md5(self, openml, tmp_path):
        data = arff((GENUINE_ROW, FRAUD_ROW), 10, 2)
        server = offer(openml, data, md5="0" * 32)
        found = hashlib.md5(data).hexdigest()
        message = f"creditcard.arff: gave up after 5 of 5 .*MD5 is {found}, .* says {'0' * 32}"
        self.refused(openml, tmp_path, server, DownloadError, message)

    def test_wrong_number_of_rows(self, openml, tmp_path):
        server = offer(openml, arff((GENUINE_ROW, FRAUD_ROW), 10, 2))
        message = r"creditcard\.arff: 12 rows, 2 frauds, 10 genuine; the published data have 284807"
        self.refused(openml, tmp_path, server, ValueError, message)

    @pytest.mark.parametrize("row", ["1,2,3\n", FRAUD_ROW.replace("8.5,", "8.5,9,")])
    def test_wrong_number_of_fields(self, openml, tmp_path, row):
        server = offer(openml, arff((GENUINE_ROW, row), 10, 2))
        n = row.count(",") + 1
        message = rf"creditcard\.arff: line 11 after @data has {n} fields, the header has 31"
        self.refused(openml, tmp_path, server, ValueError, message)

    def test_missing_value(self, openml, tmp_path):
        server = offer(openml, arff((GENUINE_ROW, FRAUD_ROW.replace("8.5", "?")), 10, 2))
        message = r"must be numeric, these are not: \['Time'\]"
        self.refused(openml, tmp_path, server, ValueError, message)

    @pytest.mark.parametrize("data", [b"", b"plain text", ARFF_HEADER.encode("latin-1")])
    def test_no_data_section(self, openml, tmp_path, data):
        server = offer(openml, data)
        self.refused(openml, tmp_path, server, ValueError, "no @data line")

    def test_unknown_dataset(self, openml, tmp_path):
        openml.pages["/api/v1/xml/data/1597"] = openml_error(111, "Unknown dataset")
        message = "/data/1597: OpenML error 111: Unknown dataset"
        self.refused(openml, tmp_path, openml.url("/api/v1/xml"), DownloadError, message)
        assert len(openml.requests) == 1

    def test_busy_database(self, openml, tmp_path):
        openml.pages["/api/v1/xml/data/1597"] = openml_error(107, "Database error")
        message = "gave up after 5 of 5 .* OpenML error 107: Database error"
        self.refused(openml, tmp_path, openml.url("/api/v1/xml"), DownloadError, message)
        assert len(openml.requests) == 5

    @pytest.mark.parametrize(
        ("page", "message"),
        [
            (b"", "not an XML document"),
            (b"<html/>", "html has no url or no md5_checksum"),
        ],
    )
    def test_no_description(self, openml, tmp_path, page, message):
        openml.pages["/api/v1/xml/data/1597"] = page
        self.refused(openml, tmp_path, openml.url("/api/v1/xml"), DownloadError, message)

    def test_foreign_host(self, openml, tmp_path):
        server = offer(openml, b"", url=f"http://localhost:{openml.server_port}/creditcard.arff")
        message = (
            r"refused the data file http://localhost:.*: it must be on the host of http://127\.0"
        )
        self.refused(openml, tmp_path, server, DownloadError, message)
        assert openml.requests == ["/api/v1/xml/data/1597"]


class TestKaggle:
    @pytest.fixture
    def hub(self, monkeypatch, tmp_path):
        """Stands in for kagglehub: `folder` is its copy, `calls` the datasets asked for."""
        hub = SimpleNamespace(folder=tmp_path / "hub", calls=[])
        hub.folder.mkdir()
        hub.dataset_download = lambda handle: (hub.calls.append(handle), str(hub.folder))[1]
        monkeypatch.setitem(sys.modules, "kagglehub", hub)
        return hub

    def test_fetched_once(self, hub, tmp_path):
        csv = hub.folder / "creditcard.csv"
        header = ",".join(f'"{name}"' for name in COLUMNS) + "\n"
        genuine, fraud = (row.replace("'", '"') for row in (GENUINE_ROW, FRAUD_ROW))
        csv.write_text(
            header + fraud * PUBLISHED_FRAUDS + genuine * (PUBLISHED_ROWS - PUBLISHED_FRAUDS)
        )
        parquet = fetch_kaggle(tmp_path / "new")
        assert parquet == tmp_path / "new" / "creditcard_kaggle.parquet"
        assert json.loads(parquet.with_suffix(".json").read_text()) == {
            "source": "https://www.kaggle.com/datasets/mlg-ulb/creditcardfraud",
            "download_sha256": sha256_of(csv),
            "parquet_sha256": sha256_of(parquet),
            "licence": "DbCL v1.0",
            "rows": 284_807,
            "frauds": 492,
        }
        check_published(read_creditcard(parquet))
        assert fetch_kaggle(tmp_path / "new") == parquet
        assert hub.calls == ["mlg-ulb/creditcardfraud"]

    def test_other_data(self, hub, tmp_path):
        table = pd.DataFrame(np.ones((200, len(COLUMNS))), columns=COLUMNS)
        table["Class"] = np.arange(200) < 10
        table.astype({"Class": "int8"}).to_csv(hub.folder / "creditcard.csv", index=False)
        with pytest.raises(ValueError, match="creditcardfraud: 200 rows, 10 frauds"):
            fetch_kaggle(tmp_path / "new")
        assert not (tmp_path / "new").exists()

    def test_not_installed(self, monkeypatch, tmp_path):
        monkeypatch.setitem(sys.modules, "kagglehub", None)
        with pytest.raises(ImportError, match=r'kagglehub .*"calibrated-metrics\[kaggle\]"'):
            fetch_kaggle(tmp_path)
