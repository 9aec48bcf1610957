"""Faults of an OpenML server, and runs of the workflow that meet them.

A fault is an answer (or a wrong body), a place (which requests), and a pattern (when):
systematic, short (the first requests), partial (one of two backends, or half of the paths), late
(after some requests). It lasts until the server is healed. `FAULTS` has them by name.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from zlib import crc32

import http_stand_in as http
import openml_stand_in as stand_in
import pandas as pd
from http_stand_in import Answer, answer
from openml_client import Fetched, Jobs
from openml_stand_in import API, DATABASE_DOWN, HTML_PAGE, OpenMLStandIn, served
from openml_world import cut_at_line_end, cut_in_row

from reproduction.openml import selection
from reproduction.openml.reasons import UnfinishedError
from reproduction.openml.selection import SelectedTask

Mode = Callable[[OpenMLStandIn, str], Answer | None]

RUN_LISTS = rf"{API}/run/list/.*"
RUN = rf"{API}/run/(\d+)"
PREDICTIONS = r"/data/download/(\d+)/predictions"
ARFF = r"/data/v1/download/(\d+)/.*"
PLACES = {
    "everything": ".*",
    "lists": rf"{API}/(data|task|run)/list/.*",
    "lists of runs": RUN_LISTS,
    "datasets": rf"{API}/data/\d+",
    "runs": RUN,
    "predictions": PREDICTIONS,
    "dataset files": ARFF,
}
ANSWERS = {
    "302 elsewhere": http.redirect("http://localhost:9/maintenance"),
    "404": served(HTML_PAGE, "text/html", status=404),
    "503": answer(503),
    "200 HTML": served(HTML_PAGE, "text/html"),
    "200 database text": served(DATABASE_DOWN),
    "reset": http.reset,
    "half a gzip": http.half_gzip(b"@data\n" * 100),
    "short body": http.short_body,
    "silence": http.silent,
    "a byte at a time": http.dribble(b"<?xml version='1.0'?>" * 1000),
    **{f"error {code}": stand_in.api_error(code) for code in (107, 111, 236, 372, 482, 512)},
}
SLOW = ("silence", "a byte at a time")


def at(place: str, faulty: Answer) -> Mode:
    return lambda server, path: faulty if re.fullmatch(place, path) else None


# --- Patterns, which limit a mode


def limited(mode: Mode, is_faulty: Callable[[int, str], bool]) -> Mode:
    """A fault of some requests, by their number among those that it concerns, and their path."""
    numbers = count()

    def of_some(server, path):
        faulty = mode(server, path)
        return faulty if faulty is not None and is_faulty(next(numbers), path) else None

    return of_some


PATTERNS: dict[str, Callable[[int, str], bool]] = {
    "systematic": lambda number, path: True,
    **{f"first {n}": lambda number, path, n=n: number < n for n in (1, 3, 5, 12, 20)},
    "every other request": lambda number, path: number % 2 == 0,
    "half of the paths": lambda number, path: crc32(path.encode()) % 2 == 1,
    "after 4": lambda number, path: number >= 4,
}

# --- Wrong bodies


def with_body(place: str, body: Callable[[OpenMLStandIn, int], bytes]) -> Mode:
    """A wrong body at the paths of a place, which have a number."""

    def mode(server: OpenMLStandIn, path: str) -> Answer | None:
        match = re.fullmatch(place, path)
        return served(body(server, int(match[1]))) if match else None

    return mode


def run_xml(server: OpenMLStandIn, run_id: int) -> str:
    return stand_in.run_xml(server.world, server.world.runs[run_id], server.url).decode()


def changed(pattern: str, new: str) -> Mode:
    """A change of all descriptions of runs."""
    return with_body(RUN, lambda server, run: re.sub(pattern, new, run_xml(server, run)).encode())


def sibling(server: OpenMLStandIn, run_id: int) -> int:
    """Another run of the same task."""
    runs = [run.run_id for run in server.world.runs_of(server.world.runs[run_id].task_id)]
    return runs[(runs.index(run_id) + 1) % len(runs)]


def short_run_lists(server: OpenMLStandIn, path: str) -> Answer | None:
    if not re.fullmatch(RUN_LISTS, path):
        return None
    return server.answer_of_the_world(re.sub(r"limit/\d+", "limit/2", path))


def flipped_labels(server: OpenMLStandIn, did: int) -> bytes:
    """A dataset file of another content than its MD5."""
    dataset = server.world.datasets[did]
    return replace(dataset, labels=dataset.labels[::-1]).arff


BODIES: dict[str, Mode] = {
    "description of another run": with_body(
        RUN, lambda server, run_id: run_xml(server, sibling(server, run_id)).encode()
    ),
    "description with two datasets": changed("(<oml:dataset>.*</oml:dataset>)", r"\1\1"),
    "descriptions name another host": changed("//127.0.0.1:", "//localhost:"),
    "descriptions name no predictions": changed("<oml:name>predictions<", "<oml:name>other<"),
    "predictions cut at a line end": with_body(
        PREDICTIONS, lambda server, run_id: cut_at_line_end(server.world.predictions(run_id))
    ),
    "predictions cut in a row": with_body(
        PREDICTIONS, lambda server, run_id: cut_in_row(server.world.predictions(run_id))
    ),
    "predictions of another run": with_body(
        PREDICTIONS, lambda server, run_id: server.world.predictions(sibling(server, run_id))
    ),
    "dataset file of another content": with_body(ARFF, flipped_labels),
    "lists of runs: short": short_run_lists,
}

# Each refusal at each place with each pattern; slow answers only systematically.
MODES = {
    f"{place}: {kind}": at(where, faulty)
    for place, where in PLACES.items()
    for kind, faulty in ANSWERS.items()
    if kind not in SLOW or place == "everything"
} | BODIES
FAULTS: dict[str, Callable[[], Mode]] = {
    f"{pattern}: {name}": lambda mode=mode, is_faulty=is_faulty: limited(mode, is_faulty)
    for pattern, is_faulty in PATTERNS.items()
    for name, mode in MODES.items()
    if pattern == "systematic" or not name.endswith(SLOW)
}

# --- Runs of the workflow


@dataclass
class Pipeline:
    """Selects and fetches tasks as the workflow does, with --keep-going.

    Jobs that ended are repeated only if their parameters change.
    """

    jobs: Jobs
    selection: dict | None = None
    fetched: dict[int, Fetched] = field(default_factory=dict)

    def run(self) -> list[Exception]:
        """Return the errors that the run ended with."""
        try:
            if self.selection is None or not self.jobs.is_settled("selection"):
                self.selection = self.jobs.select(runs_listed=30)
        except UnfinishedError as error:
            return [error]
        errors: list[Exception] = []
        for task in self.selection["tasks"]:
            number = task["task_id"]
            if number not in self.fetched or not self.jobs.is_settled(number):
                try:
                    self.fetched[number] = self.jobs.fetch(SelectedTask(**task))
                except UnfinishedError as error:
                    errors.append(error)
        return errors

    def _all(self, name: str) -> pd.DataFrame:
        fetched = (self.fetched[task["task_id"]] for task in self.selection["tasks"])
        return pd.concat([getattr(each, name) for each in fetched])

    def status(self) -> pd.DataFrame:
        left_out = pd.DataFrame(self.selection["left_out"], columns=selection.STATUS)
        return selection.status(left_out, [self._all("status")])

    def tables(self) -> list[str]:
        tables = [self._all("predictions"), self._all("task"), self.status()]
        return [table.to_csv() for table in tables]

    def scores(self) -> pd.Series:
        return self._all("predictions").set_index(["task", "run", "row_id"])["y_score"]

    def runs(self, *outcomes: str) -> set[tuple[str, str]]:
        """Tasks and runs with an outcome; an empty run stands for the task."""
        status = self.status()
        rows = status[status["outcome"].isin(outcomes)]
        return set(zip(rows["task"], rows["run"], strict=True))


@dataclass(frozen=True)
class Result:
    """What a fault led to, and what the same command then led to on the healed server."""

    # `identical`; `named`: the status says what is missing; `stopped` by errors; `SILENT`
    outcome: str
    message: str
    seconds: float
    n_more_runs: int  # of the command, until its tables were those of an undisturbed run

    @property
    def is_good(self) -> bool:
        return self.outcome != "SILENT" and self.n_more_runs <= 2


def meet(server: OpenMLStandIn, mode: Mode, pipeline: Pipeline, expected: Pipeline) -> Result:
    """Run into a fault, then heal the server and run the same command again, at most twice."""
    server.mode = mode
    started = time.monotonic()
    errors = pipeline.run()
    seconds = time.monotonic() - started
    message = "; ".join(map(str, errors))
    outcome = "stopped" if errors else _outcome(pipeline, expected)
    server.mode = None
    pipeline.jobs.seconds_per_file = 20.0
    n_more_runs = 0
    while n_more_runs < 3 and (errors or pipeline.tables() != expected.tables()):
        n_more_runs += 1
        errors = pipeline.run()
    return Result(outcome, message, seconds, n_more_runs)


def _outcome(pipeline: Pipeline, expected: Pipeline) -> str:
    if pipeline.tables() == expected.tables():
        return "identical"
    scores, right = pipeline.scores().align(expected.scores(), join="inner")
    missing = expected.runs("used") - pipeline.runs("used")
    named = pipeline.runs("excluded", "refused")
    are_named = all({each, (each[0], "")} & named for each in missing)
    return "named" if are_named and scores.equals(right) else "SILENT"
