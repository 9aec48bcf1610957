"""Named attacks: files and answers of a server that aim at memory, time or other files.

`docs/engineering/security.md` lists the attacks that the tests of the readers contain already.
"""

import io

import http_stand_in as faults
import pytest
import yaml
from guard import PeakMemory, address_space, cpu_limit
from hostile_files import DATASET, PREDICTIONS, RUN, RUNS
from http_stand_in import server as server

from reproduction.core.settings import load
from reproduction.openml import documents
from reproduction.openml.arff import label_text, read_arff_column
from reproduction.openml.documents import read_xml
from reproduction.openml.download import Session
from reproduction.openml.reasons import ExcludedError, RefusedError
from reproduction.openml.run_predictions import read_predictions_file
from reproduction.openml.server import Server

MEGABYTE = 10**6


@pytest.fixture(autouse=True)
def bounded():
    """Less than a gigabyte and a few seconds for each attack."""
    with address_space(3e9), PeakMemory() as peak, cpu_limit(10):
        yield
    assert peak.growth < 300 * MEGABYTE


# --------------------------------------------------------------------------------- downloads


def download(url, path, max_bytes=2e9):
    Session(1e9, "test").download(url, path, seconds=30, max_bytes=max_bytes)


@pytest.mark.parametrize("declared", ["10000000000", "9" * 400])
def test_a_body_that_declares_10_gigabytes_is_refused_before_it_is_read(server, tmp_path, declared):
    server.pages["/file"] = faults.answer(200, b"beginning", Content_Length=declared)
    with pytest.raises(RefusedError, match=r"/file: larger than 2e\+03 MB"):
        download(server.url("/file"), tmp_path / "file")
    assert len(server.requests) == 1
    assert not list(tmp_path.rglob("*"))


def test_a_body_without_end_is_refused_at_the_largest_size(server, tmp_path):
    def endless(handler):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while True:  # until the client closes the connection
            handler.wfile.write(b"10000\r\n" + bytes(0x10000) + b"\r\n")

    server.pages["/file"] = endless
    with pytest.raises(RefusedError, match="larger than 3 MB"):
        download(server.url("/file"), tmp_path / "file", max_bytes=3e6)


@pytest.mark.parametrize("encoding", ["br", "deflate", "zstd", "compress", "gzip, gzip", "x"])
def test_other_compressions_are_refused(server, tmp_path, encoding):
    server.pages["/file"] = faults.answer(200, b"body", Content_Encoding=encoding)
    with pytest.raises(RefusedError, match=r"Content-Encoding is .*, must be 'gzip' or none"):
        download(server.url("/file"), tmp_path / "file")


@pytest.mark.parametrize(
    "headers",
    [{"X_Long": "x" * 10**6}, {f"X_{number}": "x" for number in range(5000)}],
    ids=["one of a megabyte", "five thousand"],
)
def test_oversized_headers_are_refused(server, tmp_path, headers):
    server.pages["/file"] = faults.answer(200, b"body", **headers)
    with pytest.raises(RefusedError, match="/file: ConnectionError"):
        download(server.url("/file"), tmp_path / "file")


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "file://127.0.0.1/etc/passwd", "data:,x", "gopher://127.0.0.1/", "//a"],
)
def test_redirects_to_files_and_other_protocols_are_refused(server, tmp_path, location):
    server.pages["/file"] = faults.redirect(location)
    with pytest.raises(RefusedError, match="is not on the site of"):
        download(server.url("/file"), tmp_path / "file")


@pytest.mark.parametrize("url", ["http://../api", "http://./api", "http://.../api"])
def test_the_folder_of_a_server_lies_in_that_of_all_servers(tmp_path, url):
    server = Server(url, tmp_path, requests_per_second=1)
    assert server.folder.parent == tmp_path / "openml"
    assert server.folder.resolve().parent == (tmp_path / "openml").resolve()


def test_ids_that_are_paths_are_refused(tmp_path):
    """Names of stored files are made of numbers, which the parsers check."""
    path = tmp_path / "runs.xml"
    path.write_bytes(RUNS.replace(b"<oml:run_id>1<", b"<oml:run_id>../../1<"))
    assert documents.listed_runs(documents.read_document(path)) == {}
    path.write_bytes(RUN.replace(b"<oml:run_id>1<", b"<oml:run_id>../1<"))
    with pytest.raises(ExcludedError, match="it describes run None"):
        documents.run_description(documents.read_document(path), run_id=1, task_id=2)


# --------------------------------------------------------------------------------------- XML

LAUGHS = "<!ENTITY a0 'ha'>" + "".join(
    f"<!ENTITY a{level} '{f'&a{level - 1};' * 10}'>" for level in range(1, 12)
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    "doctype",
    [
        f"<!DOCTYPE a [{LAUGHS}]>",
        "<!DOCTYPE a [<!ENTITY a11 SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]>",
        "<!DOCTYPE a>",
    ],
    ids=["billion laughs", "external entity", "external DTD", "parameter entity", "empty"],
)
def test_documents_that_declare_a_type_are_refused(tmp_path, doctype, encoding):
    path = tmp_path / "a.xml"
    text = f"<?xml version='1.0' encoding='{encoding}'?>{doctype}<a>&a11;</a>"
    path.write_bytes(text.encode(encoding))
    with pytest.raises(RefusedError, match="not an XML document: the document type 'a' is decl"):
        read_xml(path)


def test_elements_nested_thirty_thousand_deep(tmp_path):
    path = tmp_path / "a.xml"
    depth = 30_000
    path.write_bytes(
        RUNS.replace(b"</oml:runs>", b"<a>" * depth + b"</a>" * depth + b"</oml:runs>")
    )
    root = documents.read_document(path)
    assert documents.listed_runs(root) == {2: {1}}


@pytest.mark.parametrize("number", [b"9" * 5000, b"9" * 19, "٣".encode() * 30])
def test_numbers_of_many_digits(tmp_path, number):
    path = tmp_path / "a.xml"
    path.write_bytes(RUN.replace(b"repeat='0'", b"repeat='%s'" % number))
    assert documents.run_description(read_xml(path), run_id=1, task_id=2).auc == {}
    path.write_bytes(RUN.replace(b"<oml:run_id>1<", b"<oml:run_id>%s<" % number))
    with pytest.raises(ExcludedError, match="describes run None"):
        documents.run_description(read_xml(path), run_id=1, task_id=2)


# -------------------------------------------------------------------------------------- ARFF

HEADER = PREDICTIONS[: PREDICTIONS.index(b"@data") + 6]
LINES = {
    "quotes that never close": b",'a" * 60_000,
    "both quotes that never close": b",'a,\"b" * 30_000,
    "quotes between blanks that never close": b" 'a" * 60_000,
    "one closed quote after many": b",'a" * 30_000 + b',"b"',
    "quotes in quotes": b"'" * 120_000,
    "blanks": b"a" + b" " * 200_000 + b"b",
    "backslashes": b"'" + b"\\" * 200_000,
    "commas": b"," * 200_000,
    "a sparse row": b"{0 1, 18446744073709551616 1, 99999999999999999999 2}",
    "nested braces": b"{" * 200_000,
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_rows_of_an_arff_file_take_time_in_proportion_to_their_length(line):
    with pytest.raises(ExcludedError, match=r"line 11 (does not have 7 fields|is '{)"):
        read_predictions_file(io.BytesIO(HEADER + line + b"\n"), "file")


@pytest.mark.parametrize(
    "line",
    [
        *("{" * 60_000, "{}x" * 40_000, "a {}x" * 20_000, " " * 200_000 + "a", "a " * 60_000),
        *("'a" * 60_000, "'a'{" * 30_000, "'" + "\\" * 200_000, "a date '" * 20_000 + "{"),
    ],
    ids=lambda line: f"{line[:8]!r}...",
)
def test_attributes_of_an_arff_file_take_time_in_proportion_to_their_length(line):
    header = f"@attribute {line}\n@data\n1\n".encode()
    with pytest.raises(ExcludedError):
        read_predictions_file(io.BytesIO(header), "file")


def test_labels_in_many_quotes():
    assert label_text("'" * 100_000 + "a" + "'" * 100_000) == "a"


def test_nul_bytes_are_ignored(tmp_path):
    path = tmp_path / "a.arff"
    path.write_bytes(DATASET.replace(b"'b c'", b"'b \0c'") + bytes(10**6))
    assert read_arff_column(path, "the target").tolist() == ["a", "b c"]


# ------------------------------------------------------------------------------ configurations

ALIASES = "a0: &a0 [x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)


@pytest.mark.parametrize(
    "use",
    [
        *("seed: *a9", "results_dir: *a9", "pi_sweep: {metrics: *a9}", "metrics: {mine: *a9}"),
        *("metrics: {everywhere: *a9}", "pi_sweep: {priors: *a9}", "fraud: *a9", "metrics: *a9"),
        "metrics: {everywhere: [{score: *a9, pi0: *a9, options: {beta: *a9}}]}",
    ],
)
def test_a_bomb_of_yaml_aliases_is_refused_with_a_short_message(use):
    """A billion texts share ten lists: what walks through them or prints them never ends."""
    raw = yaml.safe_load(ALIASES + use)
    with pytest.raises(SystemExit) as refused:
        load(raw)
    assert len(str(refused.value)) < 20_000
