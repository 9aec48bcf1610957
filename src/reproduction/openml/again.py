"""Ask a server again: after pauses, and by the next run of the same command.

A job whose server refused something writes a file that names it. Snakemake repeats a job if a
parameter changes; its parameter `attempt` changes as long as something is refused.
"""

import json
import logging
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

from reproduction.core.io import write
from reproduction.openml.reasons import ExcludedError, UnfinishedError

PAUSES = (0.0, 20.0, 40.0)  # seconds before each of the three times that an item is requested
MOST_IN_A_ROW = 10  # refused items without a good one in between; then a pause is due

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
    candidates: Sequence[int],
    n_wanted: int | None,
    take: Callable[[int], _Result],
    *,
    forget: Callable[[int], None] = lambda _: None,
    asked_before: Collection[int] = (),
) -> tuple[dict[int, _Result], dict[int, ExcludedError]]:
    """Return what `take` makes of the first candidates that it accepts, and the errors of others.

    Candidates are tried in their order until `n_wanted` are accepted, or all of them. Doubtful ones
    are tried again after pauses, except those that an earlier run of the command asked for. Unless
    an error is final, `forget` removes what is kept of its candidate.
    """
    accepted: dict[int, _Result] = {}
    errors: dict[int, ExcludedError] = {}

    def is_open(candidate: int) -> bool:
        return errors[candidate].is_doubtful and candidate not in asked_before

    for pause in PAUSES:
        time.sleep(pause)
        tried: list[int] = []
        n_accepted = in_a_row = 0
        for candidate in candidates:
            if n_accepted == n_wanted or in_a_row == MOST_IN_A_ROW:
                break
            tried.append(candidate)
            if candidate not in accepted and (candidate not in errors or is_open(candidate)):
                try:
                    accepted[candidate] = take(candidate)
                    errors.pop(candidate, None)
                except ExcludedError as error:
                    logger.info("%s", error)
                    errors[candidate] = error
                    if not error.is_final:
                        forget(candidate)
            if candidate in accepted:
                n_accepted, in_a_row = n_accepted + 1, 0
            elif is_open(candidate) and errors[candidate].reason == "refused":
                in_a_row += 1
        if not any(each in errors and is_open(each) for each in tried):
            break
    return (
        {each: accepted[each] for each in tried if each in accepted},
        {each: errors[each] for each in tried if each in errors},
    )


def patiently(ask: Callable[[], _Result], **options: Any) -> _Result:
    """Return what `ask` returns, or end the job; the options of `first_accepted` are for item 0."""
    accepted, errors = first_accepted([0], 1, lambda _: ask(), **options)
    if errors:
        raise UnfinishedError(f"{errors[0]}. Run the same command again") from errors[0]
    return accepted[0]
