"""What a later run of the same command asks a server for again.

A job whose server refused something writes a file that names it. Snakemake repeats a job if a
parameter changes; its parameter `attempt` changes as long as something is refused.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from reproduction.core.io import write


def attempt(path: str) -> int:
    """Return the number of the next attempt, or of the last one if nothing was refused then."""
    state = _state(path)
    return state["attempt"] + bool(state["refused"])


def refused(path: str) -> frozenset[str]:
    """Return what was refused in the last attempt."""
    return frozenset(_state(path)["refused"])


def record(path: str, attempt: int, items: Collection[str]) -> None:
    """Write down what was refused. There is no file until something is."""
    if items or Path(path).exists():
        write({"attempt": attempt, "refused": sorted(items)}, path)


def _state(path: str) -> dict[str, Any]:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"attempt": 0, "refused": []}
