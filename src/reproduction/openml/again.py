"""What a server refused is requested again by the next run of the same command.

A job whose server refused something writes a file that names it. Snakemake repeats a job if a
parameter changes; its parameter `attempt` changes as long as something is refused.
"""

import json
import logging
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, TypeVar

from reproduction.core.io import write
from reproduction.openml.reasons import ExcludedError, UnfinishedError

MOST_IN_A_ROW = 10  # refused items without a good one in between

logger = logging.getLogger(__name__)
_Result = TypeVar("_Result")


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


def first_accepted(
    candidates: Iterable[int], n_wanted: int | None, take: Callable[[int], _Result]
) -> tuple[dict[int, _Result], dict[int, ExcludedError]]:
    """Return what `take` makes of the first candidates that it accepts, and the errors of others.

    Candidates are tried in their order until `n_wanted` are accepted, or until so many are refused
    that the server must be down.
    """
    accepted: dict[int, _Result] = {}
    errors: dict[int, ExcludedError] = {}
    in_a_row = 0
    for candidate in candidates:
        if len(accepted) == n_wanted or in_a_row == MOST_IN_A_ROW:
            break
        try:
            accepted[candidate] = take(candidate)
            in_a_row = 0
        except ExcludedError as error:
            logger.info("%s", error)
            errors[candidate] = error
            in_a_row += error.reason == "refused"
    return accepted, errors


def required(ask: Callable[[], _Result]) -> _Result:
    """Return what `ask` returns; without it, the job cannot go on."""
    try:
        return ask()
    except ExcludedError as error:
        raise UnfinishedError(f"{error}. Run the same command again") from error
