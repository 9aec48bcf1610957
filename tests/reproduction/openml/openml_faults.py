"""Systematic faults of an OpenML server, and runs of the client that meet them.

A fault lasts until the server is healed. `FAULTS` has them by name; each is a mode of the stand-in
server: a function of the server and a path that returns its answer, or None where it works.
"""

import io
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import http_stand_in as http
import openml_stand_in as stand_in
import pandas as pd
from http_stand_in import Answer, answer
from openml_stand_in import API, DATABASE_DOWN, HTML_PAGE, TEXT, XML, OpenMLStandIn, served

from reproduction.openml.fetch import UnfinishedError, fetch_task
from reproduction.openml.selection import Selection, select, status_of_tasks
from reproduction.openml.server import OutageError, Server

Mode = Callable[[OpenMLStandIn, str], Answer | None]

ELSEWHERE = "http://localhost:9/maintenance"
MEGABYTES = 1.0
"""Largest file that the client accepts in these runs."""

# --- Where


EVERYTHING = ".*"
LISTS = rf"{API}/(data|task|run)/list/.*"
DATASET = rf"{API}/data/\d+"
RUN = rf"{API}/run/(\d+)"
PREDICTIONS = r"/data/download/(\d+)/predictions\.arff"
PARQUET = r"/datasets/.*\.pq"
ARFF = r"/data/v1/download/.*"
DATASET_FILES = rf"{PARQUET}|{ARFF}"
FILES = rf"{DATASET_FILES}|{PREDICTIONS}"
PLACES = {
    "everything": EVERYTHING,
    "lists": LISTS,
    "dataset descriptions": DATASET,
    "run descriptions": RUN,
    "predictions": PREDICTIONS,
    "dataset files": DATASET_FILES,
    "all files": FILES,
}


def at(place: str, faulty: Answer) -> Mode:
    return lambda server, path: faulty if re.fullmatch(place, path) else None


def both(one: Mode, other: Mode) -> Mode:
    return lambda server, path: one(server, path) or other(server, path)


# --- What: answers that do not depend on the request

YEAR_99999 = "Fri, 31 Dec 99999 23:59:59 GMT"
ANSWERS = {
    "redirect to another host": http.redirect(ELSEWHERE),
    "redirect to a maintenance page": http.redirect("/maintenance.html"),
    "redirect to itself": lambda handler: http.redirect(handler.path)(handler),
    "redirect to a bad address": http.redirect("http://[::1"),
    "400": answer(400),
    "401": answer(401, WWW_Authenticate="Basic"),
    "403": served(HTML_PAGE, "text/html", status=403),
    "404": served(HTML_PAGE, "text/html", status=404),
    "500": answer(500, b"oops"),
    "503": answer(503),
    "503, retry after the year 99999": answer(503, Retry_After=YEAR_99999),
    "503, retry after two hours": answer(503, Retry_After="7200"),
    "200 HTML": served(HTML_PAGE, "text/html"),
    "200 database text": served(DATABASE_DOWN),
    "200 empty": served(b""),
    "reset": http.reset,
    "truncated gzip": stand_in.half_gzip(b"@data\n" * 100),
    "foreign encoding": answer(200, b"x", Content_Encoding="br"),
    "decompression bomb": http.bomb(20),
    "silence": http.silent,
    "a byte at a time": http.dribble(b"<?xml version='1.0'?>" * 1000),
    "headers a byte at a time": http.dribble_headers,
}
# The answers of each place; a fault of everything can be any of `ANSWERS`.
TYPICAL = (
    "redirect to another host",
    "redirect to a bad address",
    "403",
    "404",
    "503",
    "200 HTML",
    "decompression bomb",
    "a byte at a time",
)

# --- What: answers that depend on the request


def of_runs(body: Callable[[OpenMLStandIn, int], bytes | None]) -> Mode:
    """A fault of all descriptions of runs."""

    def mode(server: OpenMLStandIn, path: str) -> Answer | None:
        match = re.fullmatch(RUN, path)
        return served(body(server, int(match[1])), XML) if match else None

    return mode


def of_predictions(body: Callable[[OpenMLStandIn, int], bytes]) -> Mode:
    def mode(server: OpenMLStandIn, path: str) -> Answer | None:
        match = re.fullmatch(PREDICTIONS, path)
        if match is None:
            return None
        return served(body(server, (int(match[1]) - 1_000_001) // 2), TEXT)

    return mode


def run_xml(server: OpenMLStandIn, run_id: int) -> str:
    world = server.world
    return stand_in._run_xml(world, world.runs[run_id], server.url).decode()


def changed(pattern: str, new: str) -> Mode:
    return of_runs(lambda server, run_id: re.sub(pattern, new, run_xml(server, run_id)).encode())


def sibling(server: OpenMLStandIn, run_id: int) -> int:
    """Another run of the same task."""
    runs = [run.run_id for run in server.world.runs_of(server.world.runs[run_id].task_id)]
    return runs[(runs.index(run_id) + 1) % len(runs)]


def with_error(place: str, code: int) -> Mode:
    content = stand_in._tags(code=code, message="not here")
    return at(place, served(stand_in._document("error", content), XML, status=412))


def ignoring_offset(server: OpenMLStandIn, path: str) -> Answer | None:
    if not re.fullmatch(LISTS, path):
        return None
    return server.answer_of_the_world(re.sub(r"offset/\d+", "offset/0", path))


def ignoring_the_task(server: OpenMLStandIn, path: str) -> Answer | None:
    if not re.fullmatch(rf"{API}/run/list/.*", path):
        return None
    return server.answer_of_the_world(re.sub(r"/task/\d+", "", path) + "/task_type/1")


def endless_list(server: OpenMLStandIn, path: str) -> Answer | None:
    match = re.fullmatch(rf"{API}/data/list/.*/offset/(\d+)", path)
    if match is None:
        return None
    entries = [stand_in.Dataset(int(match[1]) + 10**6 + i, "more") for i in range(3)]
    body = "".join(map(stand_in._dataset_entry, entries))
    return served(stand_in._document("data", body), XML)


def without_confidences(server: OpenMLStandIn, run_id: int) -> bytes:
    return stand_in.without_confidences(server.world.table(run_id)).arff("weka")


def with_one_quality(server: OpenMLStandIn, path: str) -> Answer | None:
    """The list has one more dataset, which has a single quality."""
    if not re.fullmatch(rf"{API}/data/list/.*/offset/0", path):
        return None
    listed = server.world.datasets.values()
    entries = [stand_in._dataset_entry(each) for each in listed if each.status == "active"]
    single = stand_in._dataset_entry(stand_in.Dataset(1, "single", has_qualities=False))
    quality = '<oml:quality name="NumberOfInstances">5.0</oml:quality></oml:dataset>'
    entries.append(single.replace("</oml:dataset>", quality))
    return served(stand_in._document("data", "".join(entries)), XML)


CONTENTS = {
    "description of another run": of_runs(
        lambda server, run_id: run_xml(server, sibling(server, run_id)).encode()
    ),
    "description with another task": changed("<oml:task_id>.*?<", "<oml:task_id>1<"),
    "run descriptions are lists": of_runs(lambda *_: stand_in._procedures_xml()),
    "descriptions name another host": changed("http://127.0.0.1:", "http://localhost:"),
    "descriptions name no predictions": changed("<oml:name>predictions<", "<oml:name>other<"),
    "descriptions in an unknown encoding": of_runs(
        lambda server, run_id: (
            b"<?xml version='1.0' encoding='klingon'?>" + run_xml(server, run_id).encode()
        )
    ),
    "all runs are unknown": with_error(RUN, 236),
    "all datasets are unknown": with_error(DATASET, 111),
    "all datasets are private": with_error(DATASET, 112),
    "all lists are empty": with_error(LISTS, 482),
    "lists of runs are empty": with_error(rf"{API}/run/list/.*", 512),
    "database busy": with_error(rf"{API}/.*", 107),
    "predictions cut at a line end": of_predictions(
        lambda server, run_id: stand_in.cut_at_line_end(server.world.predictions(run_id))
    ),
    "predictions cut in a row": of_predictions(
        lambda server, run_id: stand_in.cut_in_row(server.world.predictions(run_id))
    ),
    "predictions of another run": of_predictions(
        lambda server, run_id: server.world.predictions(sibling(server, run_id))
    ),
    "predictions are a dataset": of_predictions(
        lambda server, run_id: stand_in.dataset_arff(next(iter(server.world.datasets.values())))
    ),
    "offset ignored": ignoring_offset,
    "task of lists of runs ignored": ignoring_the_task,
    "endless list": endless_list,
    **{
        f"parquet 404, ARFF {kind}": both(at(PARQUET, ANSWERS["404"]), at(ARFF, ANSWERS[kind]))
        for kind in ("503", "200 HTML", "reset", "a byte at a time", "redirect to another host")
    },
    **{
        f"ARFF 404, parquet {kind}": both(at(ARFF, ANSWERS["404"]), at(PARQUET, ANSWERS[kind]))
        for kind in ("503", "200 HTML", "reset", "a byte at a time", "redirect to another host")
    },
}
# The client has all that it needs: the numbers must be right.
HARMLESS = {
    "parquet 404": at(PARQUET, ANSWERS["404"]),
    "parquet a byte at a time": at(PARQUET, ANSWERS["a byte at a time"]),
    "ARFF 404": at(ARFF, ANSWERS["404"]),
    "UTF-16 documents": of_runs(
        lambda server, run_id: (
            '<?xml version="1.0" encoding="utf-16"?>' + run_xml(server, run_id)
        ).encode("utf-16")
    ),
    "a dataset with a single quality": with_one_quality,
    "no evaluations": changed("<oml:evaluation.*</oml:evaluation>", ""),
    "AUC values without classes": changed("<oml:array_data>.*?</oml:array_data>", ""),
    "broken AUC": changed(r"<oml:array_data>.*?</", "<oml:array_data>[0.9;x</"),
    "broken folds of AUC": changed(' fold="', ' fold="x'),
}
UNCHECKED = (
    "no evaluations",
    "AUC values without classes",
    "broken AUC",
    "broken folds of AUC",
)
FAULTS: dict[str, Mode] = {
    **{
        f"{place}: {kind}": at(PLACES[place], ANSWERS[kind])
        for place in PLACES
        for kind in (ANSWERS if place == "everything" else TYPICAL)
    },
    **CONTENTS,
    **HARMLESS,
}
# Lists are requested before the first task only.
OF_LISTS = (
    *(f"lists: {kind}" for kind in TYPICAL),
    "all lists are empty",
    "lists of runs are empty",
    "offset ignored",
    "task of lists of runs ignored",
    "endless list",
    "a dataset with a single quality",
)


# --- Runs of the client


@dataclass
class Pipeline:
    """Selects and fetches tasks as the workflow does: finished steps are not repeated.

    Like Snakemake, it stops at the first error.
    """

    url: str
    resources: Path
    n_models: int
    seconds_per_file: float
    seconds_per_task: float
    selection: Selection | None = None
    fetched: dict[int, object] = field(default_factory=dict)

    def run(self, n_tasks: int | None = None) -> None:
        server = Server(
            self.url,
            self.resources,
            requests_per_second=10_000,
            seconds_per_file=self.seconds_per_file,
            megabytes_per_file=MEGABYTES,
        )
        if self.selection is None:
            self.selection = select(
                server,
                n_models=self.n_models,
                runs_listed=30,
                max_tasks=None,
                seed=0,
                seconds_per_list=self.seconds_per_task,
            )
        for task in self.selection.tasks[:n_tasks]:
            if task.task_id not in self.fetched:
                self.fetched[task.task_id] = fetch_task(
                    task, server, n_models=self.n_models, seed=0, seconds=self.seconds_per_task
                )

    def tables(self, columns: list[str]) -> tuple[bytes, bytes]:
        """Bytes of all predictions, and of some columns of the status."""
        fetched = [self.fetched[task.task_id] for task in self.selection.tasks]
        buffer = io.BytesIO()
        pd.concat([each.predictions for each in fetched]).to_parquet(buffer)
        status = status_of_tasks(self.selection, [each.status for each in fetched])
        return buffer.getvalue(), status[columns].to_csv(index=False).encode()


STATUS = ["task", "run", "outcome", "reason", "detail", "auc_check", "model"]


@dataclass(frozen=True)
class Result:
    """What a fault led to.

    `outcome` is ``right``, or the name of the error; `healed_equal` says whether the same command
    against the healed server ends with the bytes of a run without faults.
    """

    outcome: str
    message: str
    seconds: float
    n_excluded: int
    healed_equal: bool

    def is_good(self, deadline: float, slack: float = 1.0) -> bool:
        stops_in_time = (
            self.outcome in ("OutageError", "UnfinishedError")
            and self.seconds <= 2 * deadline + slack
        )
        ends_well = self.outcome == "right" or stops_in_time
        return ends_well and self.n_excluded == 0 and self.healed_equal


def meet(server: OpenMLStandIn, name: str, pipeline: Pipeline, expected: Pipeline, *, after: int):
    """Run into a fault once `after` tasks are fetched, then heal the server and run again."""
    columns = STATUS[:4] if name in UNCHECKED else STATUS
    if after:
        before = _without_hurry(pipeline)
        before.run(after)
        pipeline.selection = before.selection
    server.mode = FAULTS[name]
    started = time.monotonic()
    outcome, message = "right", ""
    try:
        pipeline.run()
    except (OutageError, UnfinishedError) as error:
        outcome, message = type(error).__name__, str(error)
    except Exception as error:
        outcome, message = f"traceback of {type(error).__name__}", str(error)
    seconds = time.monotonic() - started
    n_excluded = sum(
        path.read_text().count('"excluded"') for path in pipeline.resources.rglob("ledger/*.jsonl")
    )
    server.mode = None
    if outcome == "right":
        pipeline.run()
        equal = pipeline.tables(columns) == expected.tables(columns)
        return Result(outcome, message, seconds, n_excluded, equal)
    again = _without_hurry(pipeline)
    again.run()
    equal = again.tables(columns) == expected.tables(columns)
    return Result(outcome, message, seconds, n_excluded, equal)


def _without_hurry(pipeline: Pipeline) -> Pipeline:
    """The same steps, with time limits that a working server keeps on a busy machine too."""
    return replace(pipeline, seconds_per_file=30.0, seconds_per_task=60.0)
