"""Time and memory of a command, with all processes that it starts."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).parents[1]


class Measured(NamedTuple):
    """Wall seconds, the peak of the total memory in bytes, and CPU seconds."""

    seconds: float
    peak: int
    cpu: float


def measured(command: list[str]) -> Measured:
    """Run a command in the project, and end with an error if it fails."""
    start, before = time.perf_counter(), psutil.Process().cpu_times()
    process = subprocess.Popen(command, cwd=ROOT)
    memory = _MemoryMonitor(process.pid)
    code = process.wait()
    seconds, after = time.perf_counter() - start, psutil.Process().cpu_times()
    if code != 0:
        raise SystemExit(f"{command} failed with exit code {code}")
    cpu = (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )
    return Measured(seconds, memory.peak(), cpu)


class _MemoryMonitor:
    """Records the peak memory of a process and its children; shared pages count once."""

    def __init__(self, pid: int):
        self._process = psutil.Process(pid)
        self._peak = 0
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def peak(self) -> int:
        self._thread.join()
        return self._peak

    def _poll(self) -> None:
        while True:
            try:
                tree = [self._process, *self._process.children(recursive=True)]
                self._peak = max(self._peak, sum(map(_memory_of, tree)))
            except psutil.Error:
                return
            time.sleep(0.2)


def _memory_of(process: psutil.Process) -> int:
    try:
        return process.memory_full_info().pss
    except psutil.Error:  # it has ended
        return 0
