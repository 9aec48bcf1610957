"""A standalone Spark cluster on this machine: a master and two workers on loopback."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

N_WORKERS = 2
_HOST = "127.0.0.1"
_MEMORY = "512m"  # of an executor; Spark needs at least 450 MiB
_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"  # less work to start, for few cores
_SECONDS_TO_START = 300
_SECONDS_TO_STOP = 30


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """The URL of the master. All processes end with the block; files are in `folder`."""
    with ExitStack() as daemons:
        started = daemons.enter_context(_daemon(folder / "master", "master.Master", "--port", "0"))
        url = started(r"Starting Spark master at (spark://\S+)")
        workers = [_worker(folder / f"worker-{number}", url) for number in range(N_WORKERS)]
        for started in [daemons.enter_context(worker) for worker in workers]:
            started("Successfully registered with (master)")
        yield url


@contextmanager
def session(url: str, folder: Path) -> Iterator[Any]:
    """A Spark session of a cluster. Its Java process ends with the block."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.bindAddress": _HOST,
        "spark.driver.extraJavaOptions": _JAVA,
        "spark.driver.host": _HOST,
        "spark.driver.memory": _MEMORY,
        "spark.executor.extraJavaOptions": _JAVA,
        "spark.executor.memory": _MEMORY,
        "spark.local.dir": str(folder),
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    started = SparkSession.builder.master(url).config(map=settings).getOrCreate()
    gateway = started.sparkContext._gateway
    try:
        yield started
    finally:
        started.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()  # Java ends with its input
        gateway.proc.wait(_SECONDS_TO_STOP)
        SparkContext._gateway = SparkContext._jvm = None  # a later session starts another


def tasks_of_executors(folder: Path) -> list[int]:
    """Number of tasks that each executor ran, by the logs in the folder of the cluster."""
    logs = folder.glob("worker-*/app-*/*/stderr")
    return [log.read_text().count("Running task ") for log in logs]


def _worker(folder: Path, url: str) -> Any:
    limits = ("--cores", "1", "--memory", _MEMORY)
    return _daemon(folder, "worker.Worker", *limits, "--work-dir", str(folder), url)


@contextmanager
def _daemon(folder: Path, name: str, *arguments: str) -> Iterator[Any]:
    """Start a daemon; yield a function that waits for a line of its log, and returns its group."""
    import pyspark

    home = Path(pyspark.__file__).parent
    folder.mkdir(parents=True)
    command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}"]
    command += ["--host", _HOST, "--webui-port", "0", *arguments]
    log = folder / "log"
    with log.open("w") as written:
        process = subprocess.Popen(
            command,
            stdout=written,
            stderr=subprocess.STDOUT,
            env=_environment(home, folder),
            start_new_session=True,  # a process group of the daemon and its executors
        )
    try:
        yield lambda pattern: _waited_for(pattern, log, process)
    finally:
        _stop(process)


def _environment(home: Path, folder: Path) -> dict[str, str]:
    """The variables of this process, without the settings of another Spark."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SPARK")}
    return inherited | {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": _HOST,
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": _JAVA,
    }


def _waited_for(pattern: str, log: Path, process: subprocess.Popen) -> str:
    end = time.monotonic() + _SECONDS_TO_START
    while not (found := re.search(pattern, log.read_text())):
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"Spark did not start; its log:\n{log.read_text()}")
        time.sleep(0.1)
    return found[1]


def _stop(process: subprocess.Popen) -> None:
    """End a daemon, which then ends its executors; after a while, kill those that remain."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_SECONDS_TO_STOP)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
