"""The jobs against a server with https, as the real one."""

import ssl
import subprocess

import openml_stand_in as stand_in
import pytest
from openml_client import DATASET, DESCRIPTION


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of 127.0.0.1 that nobody else has signed, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-keyout", folder / "key.pem", "-out", folder / "certificate.pem"]
    command += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "certificate.pem", folder / "key.pem"


@pytest.fixture
def secure(certificate, jobs, monkeypatch):
    """Jobs that trust the certificate of their server."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate[0]))
    jobs.openml.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    jobs.openml.tls.load_cert_chain(*certificate)
    return jobs


def test_a_description_that_links_to_http_is_fetched_with_tls(secure):
    url = secure.openml.url("/data/v1/download/1/small.arff").replace("https:", "http:")
    dataset = secure.openml.world.datasets[DATASET]
    xml = stand_in.description_xml(dataset, secure.openml.url, url=url)
    secure.openml.pages[DESCRIPTION] = xml
    assert secure.fetch().truth_source == "dataset"
