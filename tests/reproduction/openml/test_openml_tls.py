"""The client against a server with https, as the real one."""

import ssl
import subprocess

import http_stand_in as faults
import pytest
import requests
from openml_client import Client, small_world, truth_source
from openml_stand_in import openml_stand_in

from reproduction.openml.reasons import RefusedError


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of 127.0.0.1 that nobody else has signed, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-keyout", folder / "key.pem", "-out", folder / "certificate.pem"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
        ],
        check=True,
        capture_output=True,
    )
    return folder / "certificate.pem", folder / "key.pem"


@pytest.fixture
def secure(certificate, waits, tmp_path, monkeypatch):
    """A client that trusts the certificate of its server."""
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate[0]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with openml_stand_in(small_world()) as openml:
        openml.scheme = "https"
        openml.tls = context
        yield Client(openml, tmp_path / "resources")


def test_all_requests_use_tls(secure):
    fetched = secure.fetch()
    assert fetched.task["outcome"].item() == "used"
    assert secure.openml.n_plain == 0
    assert secure.server.url.startswith("https://")


@pytest.mark.parametrize("kind", ["alert", "plain HTTP"])
@pytest.mark.parametrize("n", [1, 3])
def test_a_failed_handshake_is_repeated(secure, kind, n):
    """An alert of TLS, or an answer without it, is no error of the disk."""
    answer = b"\x15\x03\x01\x00\x02\x02\x28" if kind == "alert" else b"HTTP/1.1 400 Bad\r\n\r\n"
    secure.openml.broken_handshakes.extend([answer] * n)
    assert secure.fetch().task["outcome"].item() == "used"


def test_an_untrusted_certificate_is_called_so(secure, monkeypatch):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(RefusedError, match=r"SSLError: .*certificate verify"):
        secure.server.document("run/101", lambda root: root.tag)
    assert not list(secure.server.folder.rglob("*.xml"))


def test_a_description_that_links_to_http_is_fetched_with_tls(secure, certificate):
    url = secure.openml.url("/api/v1/xml/data/1")
    xml = requests.get(url, timeout=5, verify=str(certificate[0])).text
    assert "https://" in xml
    secure.openml.pages["/api/v1/xml/data/1"] = xml.replace("https://", "http://").encode()
    assert truth_source(secure.fetch()) == "dataset"
    assert secure.openml.n_plain == 0


def test_a_redirect_to_http_is_followed_with_tls(secure):
    plain = secure.openml.url("/api/v1/xml/run/102").replace("https:", "http:")
    secure.openml.pages["/api/v1/xml/run/101"] = faults.redirect(plain)
    assert secure.server.document("run/101", lambda root: root.tag).endswith("}run")
    assert secure.openml.n_plain == 0
