"""A killed download leaves no damaged file that is used later."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import http_stand_in
import numpy as np
import pytest
from leftovers import temporary_files
from test_creditcard_sources import FRAUD_ROW, GENUINE_ROW, arff, offer

from reproduction.fraud.creditcard import COLUMNS
from reproduction.files import remove_leftovers

N_FRAUDS, N_ROWS = 2, 1002

# Imports everything once, then forks for each line: a download that can be killed at any moment.
DOWNLOADER = """
import json, os, sys, tempfile, types
from pathlib import Path
from reproduction import scratch
from reproduction.data import creditcard, creditcard_sources, published_scores

def kaggle(folder, csv):
    cached = types.SimpleNamespace(dataset_download=lambda name: str(Path(csv).parent))
    sys.modules["kagglehub"] = cached
    creditcard_sources.fetch_kaggle(folder)

def openml(folder, server):
    creditcard_sources.fetch_openml(folder, server=server)

def published(folder, url, sha256):
    published_scores.SHA256["all"] = sha256
    published_scores.fetch_published(folder, "all", url=url)

creditcard.PUBLISHED_FRAUDS, creditcard.PUBLISHED_ROWS = map(int, sys.argv[1:])
tempfile.gettempdir()  # tries the folder with an empty file of a random name
for line in sys.stdin:
    name, arguments = json.loads(line)
    child = os.fork()
    if not child:
        os.setsid()
        print(os.getpid(), flush=True)
        os.dup2(2, 1)
        with tempfile.TemporaryDirectory(prefix="snakemake") as folder:
            scratch.claim(folder)
            globals()[name](**arguments)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """The TMPDIR of the downloads."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def downloader(scratch):
    """Function that starts a download and returns its process id, and one that waits for it."""
    command = [sys.executable, "-c", DOWNLOADER, str(N_FRAUDS), str(N_ROWS)]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TMPDIR": str(scratch),
        "no_proxy": "127.0.0.1",
    }
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:

        def start(name, arguments) -> int:
            process.stdin.write(f"{json.dumps([name, arguments])}\n".encode())
            return int(process.stdout.readline())

        yield start, lambda: int(process.stdout.readline())
        process.stdin.close()


@pytest.fixture(params=["openml", "kaggle", "published"])
def source(request, tmp_path):
    """Name and arguments of a download."""
    with http_stand_in.stand_in() as server:
        if request.param == "openml":
            rows = arff((GENUINE_ROW, FRAUD_ROW), N_ROWS - N_FRAUDS, N_FRAUDS)
            yield "openml", {"server": offer(server, rows)}
        elif request.param == "kaggle":
            table = np.random.default_rng(0).normal(size=(N_ROWS, len(COLUMNS)))
            table[:, -1] = np.arange(N_ROWS) < N_FRAUDS
            csv = tmp_path / "creditcard.csv"
            np.savetxt(csv, table, delimiter=",", header=",".join(COLUMNS), comments="")
            yield "kaggle", {"csv": str(csv)}
        else:
            body = np.random.default_rng(0).bytes(3_000_000)
            server.pages["/metrics_balanced.pkl"] = body
            sha256 = hashlib.sha256(body).hexdigest()
            yield "published", {"url": server.url(""), "sha256": sha256}


@pytest.mark.parametrize("n_kills", [6, pytest.param(60, marks=pytest.mark.long)])
def test_a_killed_download(source, downloader, scratch, tmp_path, proved, n_kills):
    name, arguments = source
    start, ended = downloader

    def download(folder, until=None):
        started = time.monotonic()
        process = start(name, {"folder": str(folder), **arguments})
        if until is not None:
            time.sleep(until)
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.killpg(process, signal.SIGKILL)
        return ended(), time.monotonic() - started

    download(tmp_path / "warm")  # what is imported late
    code, seconds = download(tmp_path / "undisturbed")
    assert code == 0
    complete = files_in(tmp_path / "undisturbed")
    moments = random.Random(20130901)
    folder, n_killed = tmp_path / "killed", 0
    while n_killed < n_kills:
        code, _ = download(folder, until=moments.uniform(0, seconds))
        n_killed += code != 0
        found = files_in(folder)
        assert found == {file: complete[file] for file in found}
        if found == complete:
            for file in found:
                (folder / file).unlink()

    assert download(folder)[0] == 0
    remove_leftovers(folder)

    assert files_in(folder) == complete
    assert [*temporary_files(folder), *scratch.iterdir()] == []
    proved(f"kills of a download survived: {name}", held=n_killed, tried=n_killed)


def files_in(folder):
    """Content of the files that are not hidden, by name."""
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.glob("*"))
        if not path.name.startswith(".")
    }
