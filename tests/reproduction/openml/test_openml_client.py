"""The client: what it keeps, what it calls a refusal, and whose settings it uses."""

import time
import traceback

import http_stand_in as faults
import numpy as np
import openml as package
import pytest
from http_stand_in import answer
from openml_client import DATASET, FIRST_RUN, TASK, run_path
from openml_stand_in import predictions_path

from reproduction.openml.arff import read_target
from reproduction.openml.client import Client, on_site
from reproduction.openml.reasons import RefusedError
from reproduction.openml.run_predictions import read_fields

FILE = predictions_path(FIRST_RUN)


@pytest.fixture
def ask(jobs):
    """Ask for the predictions of a run with a new client."""

    def ask(**settings):
        client = Client(jobs.server | settings, jobs.folder)
        return client.predictions(FIRST_RUN, TASK, lambda path: path.read_bytes())

    return ask


def test_another_version_of_the_package_is_named(jobs, monkeypatch):
    monkeypatch.setattr(package, "__version__", "0.16.0")
    message = (
        r"openml 0\.16\.0 is installed, but only 0\.15 was measured: run pip install 'openml=="
    )
    with pytest.raises(ImportError, match=message):
        Client(jobs.server, jobs.folder)


def test_the_package_reads_the_same(jobs, world):
    """Its own reader of files is not used, because it keeps no predictions."""
    client = Client(jobs.server, jobs.folder)
    run, ours = client.predictions(FIRST_RUN, TASK, read_fields)
    for name in ("row_id", "fold", "confidence.no", "confidence.yes"):
        np.testing.assert_array_equal(ours[name], run.predictions[name])
    labels = client.dataset(DATASET, lambda path: read_target(path, "class"))
    theirs = package.datasets.get_dataset(DATASET, download_data=True).get_data()[0]["class"]
    assert labels.tolist() == theirs.tolist()


def test_what_arrived_is_requested_once_and_in_its_time(jobs, ask, waits):
    for _ in range(2):
        assert ask(requests_per_second=4)[1] == jobs.openml.world.predictions(FIRST_RUN)
    assert jobs.openml.requests == [run_path(FIRST_RUN), FILE]
    assert waits == [0.25, 0.25]


# --- The user's settings


def test_the_user_s_retry_policy_is_used(jobs, ask, monkeypatch):
    monkeypatch.setattr(package.config, "connection_n_retries", 2)
    for path in (run_path(FIRST_RUN), FILE):
        jobs.openml.fault_paths = {path: answer(404)}
        jobs.openml.requests.clear()
        with pytest.raises(RefusedError):
            ask()
        assert jobs.asked(path) == 4  # each item is requested twice


def test_the_user_s_key_is_sent_to_the_interface_and_hidden_in_errors(jobs, ask, key):
    ask()
    assert jobs.openml.queries == [f"api_key={key}", ""]
    jobs.openml.shutdown()
    jobs.openml.server_close()
    with pytest.raises(RefusedError, match=r"refused.*api_key=\*\*\*") as refused:
        Client(jobs.server, jobs.folder / "other").predictions(FIRST_RUN, TASK, print)
    assert key not in "".join(traceback.format_exception(refused.value))


# --- Time and disk


@pytest.mark.parametrize(
    ("fault", "path"), [(faults.silent, run_path(FIRST_RUN)), (faults.dribble(b"x" * 1000), FILE)]
)
def test_a_slow_answer_ends_at_the_time_limit(jobs, ask, fault, path):
    jobs.seconds_per_file = 0.3
    jobs.openml.fault_paths[path] = fault
    started = time.monotonic()
    with pytest.raises(RefusedError, match=r"the time limit of 0\.3 s has passed"):
        ask()
    assert 0.25 < time.monotonic() - started < 3


def test_a_full_disk_is_not_the_server_s_fault(jobs):
    def write():
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        Client(jobs.server, jobs.folder).call(write)


# --- Addresses


def test_each_address_has_its_own_folder(jobs):
    urls = [
        *("http://h/api/v1/xml", "https://h/api/v1/xml", "http://h/mirror/api/v1/xml"),
        *("http://h:8080/api/v1/xml", "http://../api"),
    ]
    folders = [Client(jobs.server | {"url": url}, jobs.folder).folder for url in urls]
    assert len(set(folders)) == len(urls)
    assert {folder.parent for folder in folders} == {jobs.folder / "openml"}
    assert Client(jobs.server | {"url": f"{urls[0]}/"}, jobs.folder).folder == folders[0]


def test_files_are_on_the_server_s_site():
    for host, server in (("127.0.0.1", "127.0.0.1"), ("api.openml.org", "www.openml.org")):
        assert on_site(f"http://{host}/a", f"http://{server}/api") == f"http://{host}/a"
        assert on_site(f"http://{host}/a", f"https://{server}/api") == f"https://{host}/a"
    for host in ("localhost", "notopenml.org", "openml.org.elsewhere.net", "", "x@elsewhere.net"):
        with pytest.raises(ValueError, match="is not on the site of"):
            on_site(f"http://{host}/file", "https://www.openml.org/api")
