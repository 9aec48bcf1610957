"""A real SLURM cluster of one node, on the loopback address of this machine.

It needs root and Debian's packages `slurm-wlm` and `munge`. Its configuration is in the default
place, /etc/slurm, because the jobs of Snakemake's executor do not inherit `SLURM_CONF`; a machine
that has a configuration there is left alone. `python tests/slurm/one_node.py` runs the cluster
until it is interrupted.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

CONFIGURATION = Path("/etc/slurm")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo")
MEMORY_RESERVED = 2000  # MB, for other processes
START_SECONDS = 60

SLURM_CONF = """\
ClusterName=one_node
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ReturnToService=2
MpiDefault=none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=1,sched_interval=5
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
# Without cgroups, memory is enforced by looking at the processes of a job every few seconds.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=5
JobAcctGatherParams=OverMemoryKill
KillWait=5
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=1-00:00:00 State=UP
"""


def reason_against() -> str | None:
    """Why the cluster cannot be started here, None if it can."""
    missing = [program for program in PROGRAMS if _path(program) is None]
    if missing:
        return f"{', '.join(missing)} not found: apt-get install slurm-wlm munge"
    if os.geteuid() != 0:
        return "only root can start SLURM here"
    if (CONFIGURATION / "slurm.conf").exists():
        return f"this machine has a SLURM configuration already: {CONFIGURATION}/slurm.conf"
    return None


@contextmanager
def one_node() -> Iterator[None]:
    """Start the cluster; stop it, and remove its files, when the block ends.

    Its processes and jobs have the niceness of this process.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="slurm-")))
        for name in ("state", "spool"):
            (folder / name).mkdir()
        stack.enter_context(_configured(folder))
        stack.enter_context(_running("munged", *_munge(folder), log=folder / "munged.output"))
        _wait(lambda: (folder / "munge.socket").exists(), "munged", folder)
        stack.enter_context(_running("slurmctld", "-D", log=folder / "slurmctld.log"))
        stack.enter_context(_running("slurmd", "-D", log=folder / "slurmd.log"))
        _wait(_is_idle, "slurmd", folder)
        stack.callback(_cancel_jobs)
        yield


def _path(program: str) -> str | None:
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


@contextmanager
def _configured(folder: Path) -> Iterator[None]:
    """Write the configuration of the cluster, and remove it."""
    CONFIGURATION.mkdir(exist_ok=True)
    file = CONFIGURATION / "slurm.conf"
    content = SLURM_CONF.format(
        host=socket.gethostname().partition(".")[0],
        folder=folder,
        controller_port=_free_port(),
        node_port=_free_port(),
        cpus=len(os.sched_getaffinity(0)),
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 - MEMORY_RESERVED,
    )
    with open(file, "x", encoding="utf-8") as new:  # never over another configuration
        new.write(content)
    try:
        yield
    finally:
        file.unlink()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _munge(folder: Path) -> Sequence[str]:
    """Options of munged, so that all its files are in the folder of the cluster."""
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    files = {"key": key, **{name: folder / f"munged.{name}" for name in ("log", "pid", "seed")}}
    return (
        "--foreground",
        "--force",  # the folder of temporary files is writable by all
        f"--socket={folder}/munge.socket",
        *(f"--{name}-file={path}" for name, path in files.items()),
    )


@contextmanager
def _running(program: str, *arguments: str, log: Path) -> Iterator[None]:
    """Run a program in the foreground; terminate it at the end."""
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [_path(program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _is_idle() -> bool:
    states = subprocess.run(
        ["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False
    )
    return states.stdout.strip() == "idle"


def _wait(ready, program: str, folder: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if time.monotonic() > deadline:
            logs = (f"{log.name}:\n{log.read_text()[-2000:]}" for log in folder.glob("*.log"))
            problem = f"{program} is not ready after {START_SECONDS} s"
            raise TimeoutError("\n".join([problem, *logs]))
        time.sleep(0.2)


def _cancel_jobs() -> None:
    """End the jobs that a failed test left, so that no process outlives the cluster."""
    subprocess.run(["scancel", "--user=root"], check=False)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        jobs = subprocess.run(["squeue", "--noheader"], capture_output=True, check=False)
        if not jobs.stdout.strip():
            return
        time.sleep(0.5)


def main() -> None:
    if reason := reason_against():
        sys.exit(reason)
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, lambda *_: sys.exit(0))
    with one_node():
        print("SLURM runs; interrupt to stop it", flush=True)
        signal.pause()


if __name__ == "__main__":
    main()
