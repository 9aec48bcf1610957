"""Faults of an OpenML server, and runs of the client that meet them.

A fault is an answer (or a wrong body), a place (which requests), and a pattern (when):
systematic, short (the first requests), partial (one of two backends, or half of the files), late
(after some requests). It lasts until the server is healed. `FAULTS` has them by name.
"""

import io
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from zlib import crc32

import http_stand_in as http
import openml_stand_in as stand_in
import pandas as pd
from http_stand_in import Answer, answer
from openml_stand_in import API, DATABASE_DOWN, HTML_PAGE, TEXT, XML, OpenMLStandIn, served

from reproduction.core.io import write
from reproduction.openml.fetch import FetchedTask, fetch_task
from reproduction.openml.reasons import UnfinishedError
from reproduction.openml.selection import Selection, select, status
from reproduction.openml.server import Server

Mode = Callable[[OpenMLStandIn, str], Answer | None]

ELSEWHERE = "http://localhost:9/maintenance"
MEGABYTES = 1.0
"""Largest file that the client accepts in these runs."""

LISTS = rf"{API}/(data|task|run)/list/.*"
RUN_LISTS = rf"{API}/run/list/.*"
DATASET = rf"{API}/data/\d+"
RUN = rf"{API}/run/(\d+)"
PREDICTIONS = r"/data/download/(\d+)/predictions\.arff"
ARFF = r"/data/v1/download/.*"
PLACES = {
    "everything": ".*",
    "lists": LISTS,
    "datasets": DATASET,
    "runs": RUN,
    "predictions": PREDICTIONS,
    "dataset files": ARFF,
}


ANSWERS = {
    "302 elsewhere": http.redirect(ELSEWHERE),
    "302 to itself": lambda handler: http.redirect(handler.path)(handler),
    "302 to a bad address": http.redirect("http://[::1"),
    "401": answer(401, WWW_Authenticate="Basic"),
    "403": served(HTML_PAGE, "text/html", status=403),
    "404": served(HTML_PAGE, "text/html", status=404),
    "418": answer(418),
    "503": answer(503),
    "503, retry after two hours": answer(503, Retry_After="7200"),
    "200 HTML": served(HTML_PAGE, "text/html"),
    "200 database text": served(DATABASE_DOWN),
    "200 empty": served(b""),
    "reset": http.reset,
    "truncated gzip": stand_in.half_gzip(b"@data\n" * 100),
    "two lengths": http.two_lengths,
    "bomb": http.bomb(20),
    "silence": http.silent,
    "a byte at a time": http.dribble(b"<?xml version='1.0'?>" * 1000),
    "headers a byte at a time": http.dribble_headers,
    **{f"error {code}": stand_in.api_error(code) for code in (107, 111, 236, 372, 482, 512)},
}


def at(place: str, faulty: Answer) -> Mode:
    return lambda server, path: faulty if re.fullmatch(place, path) else None


# --- Patterns, which limit a mode


def first(n: int, mode: Mode) -> Mode:
    """Only the first requests that it concerns."""
    left = [n]

    def limited(server, path):
        if left[0] and (faulty := mode(server, path)):
            left[0] -= 1
            return faulty
        return None

    return limited


def every_other(mode: Mode) -> Mode:
    """One of two backends, which take turns."""
    turns = [0]

    def limited(server, path):
        faulty = mode(server, path)
        turns[0] += faulty is not None
        return faulty if turns[0] % 2 else None

    return limited


def half_of_the_paths(mode: Mode) -> Mode:
    return lambda server, path: mode(server, path) if crc32(path.encode()) % 2 else None


def after(n: int, mode: Mode) -> Mode:
    """Only later than some requests that it concerns."""
    left = [n]

    def limited(server, path):
        faulty = mode(server, path)
        if faulty is not None and left[0]:
            left[0] -= 1
            return None
        return faulty

    return limited


PATTERNS: dict[str, Callable[[Mode], Mode]] = {
    "systematic": lambda mode: mode,
    **{f"first {n}": lambda mode, n=n: first(n, mode) for n in (1, 3, 5, 8, 12, 20)},
    "every other request": every_other,
    "half of the paths": half_of_the_paths,
    "after 4": lambda mode: after(4, mode),
}

# --- Wrong bodies


def of_runs(body: Callable[[OpenMLStandIn, int], bytes]) -> Mode:
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
    return stand_in._run_xml(server.world, server.world.runs[run_id], server.url).decode()


def changed(pattern: str, new: str) -> Mode:
    return of_runs(lambda server, run_id: re.sub(pattern, new, run_xml(server, run_id)).encode())


def sibling(server: OpenMLStandIn, run_id: int) -> int:
    """Another run of the same task."""
    runs = [run.run_id for run in server.world.runs_of(server.world.runs[run_id].task_id)]
    return runs[(runs.index(run_id) + 1) % len(runs)]


def ignoring_offset(server: OpenMLStandIn, path: str) -> Answer | None:
    if not re.fullmatch(LISTS, path):
        return None
    return server.answer_of_the_world(re.sub(r"offset/\d+", "offset/0", path))


def ignoring_the_task(server: OpenMLStandIn, path: str) -> Answer | None:
    if not re.fullmatch(RUN_LISTS, path):
        return None
    return server.answer_of_the_world(re.sub(r"/task/[\d,]+", "", path) + "/task_type/1")


def short_run_lists(server: OpenMLStandIn, path: str) -> Answer | None:
    if not re.fullmatch(RUN_LISTS, path):
        return None
    return server.answer_of_the_world(re.sub(r"limit/\d+", "limit/2", path))


def endless_list(server: OpenMLStandIn, path: str) -> Answer | None:
    match = re.fullmatch(rf"{API}/data/list/.*/offset/(\d+)", path)
    if match is None:
        return None
    entries = [stand_in.Dataset(10**6 + i, "more") for i in range(40)]
    body = "".join(map(stand_in._dataset_entry, entries))
    return served(stand_in._document("data", body), XML)


def flipped_labels(server: OpenMLStandIn, path: str) -> Answer | None:
    """A dataset file of another content than its MD5."""
    match = re.fullmatch(r"/data/v1/download/(\d+)/.*", path)
    if match is None:
        return None
    dataset = server.world.datasets[int(match[1])]
    lines = stand_in.dataset_arff(dataset).decode().splitlines()
    start = lines.index("@data") + 1
    rows = [line.rpartition(",") for line in lines[start:]]
    swapped = [f"{left},{rows[-1 - place][2]}" for place, (left, _, _) in enumerate(rows)]
    return served("\n".join([*lines[:start], *swapped, ""]).encode())


BODIES: dict[str, Mode] = {
    "description of another run": of_runs(
        lambda server, run_id: run_xml(server, sibling(server, run_id)).encode()
    ),
    "description with another task": changed("<oml:task_id>.*?<", "<oml:task_id>1<"),
    "run descriptions are lists": of_runs(lambda *_: stand_in._procedures_xml()),
    "descriptions name another host": changed("//127.0.0.1:", "//localhost:"),
    "descriptions name no predictions": changed("<oml:name>predictions<", "<oml:name>other<"),
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
    "dataset file of another content": flipped_labels,
}
OF_LISTS: dict[str, Mode] = {
    "offset ignored": ignoring_offset,
    "task of lists of runs ignored": ignoring_the_task,
    "endless list": endless_list,
}

# Every refusal at the places of files, with every pattern; slow answers only systematically.
SLOW = ("silence", "a byte at a time", "headers a byte at a time", "503, retry after two hours")
REFUSALS = ("302 elsewhere", "403", "404", "418", "503", "200 HTML", "reset", "error 107")
FAULTS: dict[str, Callable[[], Mode]] = {}
for _pattern, _limited in PATTERNS.items():
    for _place, _where in PLACES.items():
        _kinds = ANSWERS if _pattern == "systematic" and _place == "everything" else REFUSALS
        for _kind in (*_kinds, *(["error 236"] if _place == "runs" else [])):
            FAULTS[f"{_pattern}: {_place}: {_kind}"] = (
                lambda limited=_limited, where=_where, kind=_kind: limited(at(where, ANSWERS[kind]))
            )
    for _name, _body in BODIES.items():
        FAULTS[f"{_pattern}: {_name}"] = lambda limited=_limited, body=_body: limited(body)
    FAULTS[f"{_pattern}: lists of runs: error 512"] = lambda limited=_limited: limited(
        at(RUN_LISTS, ANSWERS["error 512"])
    )
    FAULTS[f"{_pattern}: lists of tasks: error 482"] = lambda limited=_limited: limited(
        at(rf"{API}/task/list/.*", ANSWERS["error 482"])
    )
    FAULTS[f"{_pattern}: datasets: error 111"] = lambda limited=_limited: limited(
        at(DATASET, ANSWERS["error 111"])
    )
    FAULTS[f"{_pattern}: lists of runs: short"] = lambda limited=_limited: limited(short_run_lists)
for _name, _mode in OF_LISTS.items():
    FAULTS[f"systematic: {_name}"] = lambda mode=_mode: mode


# --- Runs of the client


@dataclass
class Pipeline:
    """Selects and fetches tasks as the workflow does, with --keep-going.

    Finished steps are repeated only if the server refused something.
    """

    url: str
    resources: Path
    n_models: int
    selection: Selection | None = None
    fetched: dict[int, FetchedTask] = field(default_factory=dict)
    seconds_per_file: float = 20.0

    def run(self) -> list[Exception]:
        """Return the errors that the run ended with."""
        try:
            server = self._server()
            self._select(server)
        except UnfinishedError as error:
            return [error]
        errors: list[Exception] = []
        for task in self.selection.tasks:
            before = self.fetched.get(task.task_id)
            if before is None or before.refused:
                try:
                    self.fetched[task.task_id] = fetch_task(
                        task,
                        server,
                        n_models=self.n_models,
                        seed=0,
                        refused_before=before.refused if before else frozenset(),
                    )
                except UnfinishedError as error:
                    errors.append(error)
        return errors

    def _server(self) -> Server:
        return Server(
            self.url,
            self.resources,
            requests_per_second=1e9,
            seconds_per_file=self.seconds_per_file,
            megabytes_per_file=MEGABYTES,
        )

    def _select(self, server: Server) -> None:
        entries = self.selection.refused if self.selection else ()
        before = [entry["task_id"] for entry in entries if entry["reason"] == "refused"]
        if self.selection is None or before:
            self.selection = select(
                server,
                n_models=self.n_models,
                runs_listed=30,
                max_tasks=None,
                seed=0,
                refused_before=frozenset(map(str, before)),
            )

    def status(self) -> pd.DataFrame:
        fetched = [self.fetched[task.task_id] for task in self.selection.tasks]
        path = self.resources / "selection.json"
        write(asdict(self.selection), path)
        return status(path, [each.status for each in fetched])

    def tables(self) -> tuple[bytes, bytes, bytes]:
        """Bytes of all predictions, of the tasks and of the status."""
        fetched = [self.fetched[task.task_id] for task in self.selection.tasks]
        buffer = io.BytesIO()
        pd.concat([each.predictions for each in fetched]).to_parquet(buffer)
        tasks = pd.concat([each.task for each in fetched])
        status = self.status()
        return buffer.getvalue(), tasks.to_csv().encode(), status.to_csv(index=False).encode()


@dataclass(frozen=True)
class Result:
    """What a fault led to.

    Attributes
    ----------
    outcome : str
        ``right`` (as without the fault), ``said`` (ended well; the status says what was refused),
        ``unfinished`` (ended with errors that say so), ``SILENT`` or ``traceback``.
    healed_equal : bool
        Whether the same command ends with the tables of an undisturbed run once the server works.
    n_lost : int
        Runs of the undisturbed run that this one does not use.
    """

    outcome: str
    message: str
    seconds: float
    n_replaced: int
    healed_equal: bool
    n_lost: int

    @property
    def is_good(self) -> bool:
        ends_well = self.outcome in ("right", "said", "unfinished")
        return ends_well and self.healed_equal and self.n_lost == 0


def meet(server: OpenMLStandIn, mode: Mode, pipeline: Pipeline, expected: Pipeline) -> Result:
    """Run into a fault, then heal the server and run the same command again, at most twice."""
    server.mode = mode
    started = time.monotonic()
    outcome, message, n_replaced = "traceback", "", 0
    try:
        errors = pipeline.run()
        outcome = "unfinished" if errors else _outcome(pipeline, expected)
        message = "; ".join(map(str, errors))
        if not errors:
            n_replaced = int((pipeline.status()["outcome"] == "refused").sum())
    except Exception as error:
        message = repr(error)
    seconds = time.monotonic() - started
    server.mode = None
    pipeline.seconds_per_file = 20.0
    errors = pipeline.run()
    equal = not errors and pipeline.tables() == expected.tables()
    lost = len(_used(expected) - _used(pipeline)) if not errors else -1
    return Result(outcome, message, seconds, n_replaced, equal, lost)


def _outcome(pipeline: Pipeline, expected: Pipeline) -> str:
    if pipeline.tables() == expected.tables():
        return "right"
    missing = _used(expected) - _used(pipeline)
    status = pipeline.status()
    not_used = status[~status["outcome"].isin(["used", "repaired"])]
    runs = set(zip(not_used["task"], not_used["run"], strict=True))
    tasks = set(not_used.loc[not_used["run"] == "", "task"])
    is_said = all((task, run) in runs or task in tasks for task, run in missing)
    return "said" if is_said else "SILENT"


def _used(pipeline: Pipeline) -> set[tuple[str, str]]:
    status = pipeline.status()
    used = status[status["outcome"].isin(["used", "repaired"]) & (status["run"] != "")]
    return set(zip(used["task"], used["run"], strict=True))
