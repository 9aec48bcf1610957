"""A process that imports packages once, and forks for each run of Snakemake and for its jobs.

Imports take more than half of the time of a dry run, and most of that of a small job. The process
imports nothing of the project, so a run and its jobs read the copy of the project they run in.
"""

import atexit
import gc
import importlib
import json
import os
import select
import shlex
import shutil
import signal
import socket
import sys
import tempfile
from pathlib import Path
from runpy import run_path
from typing import NoReturn

FORKED_JOB = Path(__file__).with_name("forked_job.py")
PACKAGES = (
    *("filelock", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg"),
    *("matplotlib.pyplot", "nbformat", "pandas", "pyarrow.compute", "pyarrow.parquet", "pydantic"),
    *("scipy.special", "scipy.stats", "snakemake.report.html_reporter", "yaml"),
)


def main() -> None:
    """Start a run of Snakemake per line of the standard input, one at a time.

    A line is the JSON of the arguments of `_run`. The answer is a line with the id of the process,
    and a line with its exit code.
    """
    from snakemake import cli

    for package in PACKAGES:
        importlib.import_module(package)
    gc.freeze()  # what is imported stays to the end
    sockets = tempfile.mkdtemp()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _run(cli.main, sockets, **json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    shutil.rmtree(sockets)


def _run(snakemake, sockets, arguments, folder, output, environment, forks_jobs) -> NoReturn:
    """Run Snakemake in a folder, as the leader of a process group, with its output in a file."""
    os.setsid()
    print(os.getpid(), flush=True)
    os.chdir(folder)
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    if forks_jobs:
        path = os.path.join(sockets, str(os.getpid()))
        _fork_for_jobs(path)
        # Snakemake starts jobs with it.
        sys.executable = shlex.join([sys.executable, "-IS", str(FORKED_JOB), path])
    sys.argv[:] = ["snakemake", *arguments]
    snakemake()
    sys.exit()


def _fork_for_jobs(path: str) -> None:
    """Fork a process that forks for each job, and ends with the present process."""
    requests = socket.socket(socket.AF_UNIX)
    requests.bind(path)
    requests.listen()
    run_ends, until_the_run_ends = os.pipe()
    server = os.fork()
    if not server:
        os.close(until_the_run_ends)
        _serve(requests, run_ends)
    requests.close()
    os.close(run_ends)

    @atexit.register
    def wait():
        os.close(until_the_run_ends)
        os.waitpid(server, 0)


def _serve(requests: socket.socket, run_ends: int) -> NoReturn:
    """Fork for each job, and tell its client the exit code."""
    job_ends, wake_up = os.pipe()
    os.set_blocking(wake_up, False)
    signal.set_wakeup_fd(wake_up)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    clients = {}
    while True:
        ready, _, _ = select.select([requests, run_ends, job_ends], [], [])
        if run_ends in ready:
            os._exit(0)
        if requests in ready:
            client, _ = requests.accept()
            job = os.fork()
            if not job:
                _run_job(client)
            clients[job] = client
        if job_ends in ready:
            os.read(job_ends, 1024)
            while clients and (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with clients.pop(ended[0]) as client:
                    code = os.waitstatus_to_exitcode(ended[1])
                    client.sendall(str(code if code >= 0 else 128 - code).encode())


def _run_job(client: socket.socket) -> NoReturn:
    """Run the script that a client asks for, as in a new process."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, descriptors, _, _ = socket.recv_fds(client, 1, 3)
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
    with client.makefile(encoding="utf-8") as lines:
        script, folder, environment = json.loads(lines.readline())
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [os.path.dirname(script), *environment["PYTHONPATH"].split(os.pathsep)]
    sys.argv[:] = [script]
    run_path(script, run_name="__main__")
    sys.exit()


if __name__ == "__main__":
    main()
