import http_stand_in as faults
import openml_stand_in as stand_in
import pytest
import requests
from openml_client import FIRST_RUN, run_path
from openml_stand_in import api_error

from reproduction.openml.reasons import EmptyListError, ExcludedError, RefusedError
from reproduction.openml.server import Server

RUN_ADDRESS = f"run/{FIRST_RUN}"


def ask(client, address=RUN_ADDRESS, read=lambda root: root.tag):
    return client.server.document(address, read)


def test_a_document_is_requested_once(client):
    for _ in range(2):
        assert ask(client).endswith("}run")
    assert client.openml.requests == [run_path(FIRST_RUN)]
    assert client.kept("api") == {f"{FIRST_RUN}.xml"}


@pytest.mark.parametrize(("code", "error"), [(236, RefusedError), (512, EmptyListError)])
def test_an_error_is_never_kept(client, code, error):
    client.openml.fault_paths[run_path(FIRST_RUN)] = api_error(code)
    for _ in range(2):
        with pytest.raises(error, match=f"{RUN_ADDRESS}: OpenML error {code}"):
            ask(client)
    assert client.kept("api") == set()
    client.openml.fault_paths.clear()
    assert ask(client).endswith("}run")


POISON = {
    "nothing": b"",
    "half": b'<oml:run xmlns:oml="http://openml.org/openml"><oml:run_id>1',
    "without content": b'<oml:run xmlns:oml="http://openml.org/openml"/>',
    "HTML": b"<html><body>busy</body></html>",
    "zeros": bytes(500),
    "unknown encoding": b'<?xml version="1.0" encoding="klingon"?><oml:run/>',
    "multi-byte encoding": b'<?xml version="1.0" encoding="cp932"?><oml:run/>',
    "server error": stand_in._document("error", stand_in._tags(code=107, message="busy")),
}


@pytest.mark.parametrize("kind", POISON)
def test_a_damaged_document_is_never_kept_or_read(client, kind):
    client.openml.pages[run_path(FIRST_RUN)] = POISON[kind]
    with pytest.raises(RefusedError):
        ask(client)
    assert client.kept("api") == set()
    client.openml.pages.clear()
    ask(client)
    kept = client.server.folder / "api" / f"{RUN_ADDRESS}.xml"
    good = kept.read_bytes()
    kept.write_bytes(POISON[kind])
    assert ask(client).endswith("}run")
    assert kept.read_bytes() == good


def test_a_document_may_be_in_another_encoding(client):
    xml = requests.get(client.openml.url(run_path(FIRST_RUN)), timeout=5).text
    utf_16 = f'<?xml version="1.0" encoding="utf-16"?>{xml}'.encode("utf-16")
    client.openml.pages[run_path(FIRST_RUN)] = utf_16
    for _ in range(2):
        assert ask(client).endswith("}run")


def file(client, path="/file", read=lambda path: path.read_bytes()):
    return client.server.file(client.openml.url(path), "file", read)


def refuse(reason):
    def read(path):
        raise ExcludedError(reason, "no")

    return read


def test_a_file_is_kept_if_the_reason_against_it_lies_in_it(client):
    client.openml.pages["/file"] = b"content"
    for reason, n_requests in (("incomplete", 2), ("no_confidences", 3)):
        for _ in range(2):
            with pytest.raises(ExcludedError, match=reason):
                file(client, read=refuse(reason))
        assert client.asked("/file") == n_requests
    assert file(client) == b"content"
    assert client.asked("/file") == 3


def test_a_kept_file_has_its_address_and_checksum(client):
    client.openml.pages["/file"] = b"content"
    file(client)
    fact = (client.server.folder / "file.json").read_text()
    assert client.openml.url("/file") in fact
    assert "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73" in fact


def test_a_disk_error_is_not_the_servers(client):
    client.openml.pages["/file"] = b"content"
    client.server.folder.mkdir(parents=True)
    (client.server.folder / "file").mkdir()
    with pytest.raises(OSError, match=r"cannot write .*/file: Is a directory; fix this"):
        file(client)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:{port}/file",
        "ftp://127.0.0.1:{port}/file",
        "file:///etc/passwd",
        "http://[",
    ],
)
def test_only_files_of_the_server_are_requested(client, url):
    with pytest.raises(RefusedError, match="is not on the site of"):
        client.server.file(url.format(port=client.openml.server_port), "file", lambda path: None)
    assert client.openml.requests == []


def test_a_redirect_within_the_host_is_followed(client):
    client.openml.pages["/new"] = b"content"
    client.openml.pages["/file"] = faults.redirect("/new")
    assert file(client) == b"content"


def test_each_base_address_has_its_own_folder(tmp_path):
    urls = [
        *("http://h/api/v1/xml", "https://h/api/v1/xml", "http://h/mirror/api/v1/xml"),
        *("http://h:8080/api/v1/xml", "http://../api", "http://h/api/v1/xml_"),
    ]
    folders = [Server(url, tmp_path, requests_per_second=1).folder for url in urls]
    assert len(set(folders)) == len(urls)
    assert {folder.parent for folder in folders} == {tmp_path / "openml"}
    again = Server(f"{urls[0]}/", tmp_path, requests_per_second=1)
    assert again.folder == folders[0]
    assert folders[0].name.startswith("h-")
