"""An OpenML server of a synthetic world, which answers as the real one does."""

import gzip
import hashlib
import random
import re
import traceback
from collections import deque
from collections.abc import Callable
from xml.sax.saxutils import escape

import numpy as np
from http_stand_in import Answer, Handler, StandIn, answer, stand_in
from openml_world import PROCEDURES, Dataset, Run, Task, World

API = "/api/v1/xml"
XML = "text/xml; charset=utf-8"
HTML_PAGE = b"<!DOCTYPE html>\n<html><head><title>OpenML</title><br></head><body>Sorry</body>\n"
DATABASE_DOWN = b"Database connection error. Usually due to high server load. Please try again."

# --- Documents


def tags(**contents: object) -> str:
    return "".join(
        f"<oml:{name}>{escape(str(text))}</oml:{name}>" for name, text in contents.items()
    )


def element(name: str, content: str, attributes: str = "") -> str:
    return f"<oml:{name}{attributes}>{content}</oml:{name}>"


def document(name: str, content: str) -> bytes:
    return element(name, content, ' xmlns:oml="http://openml.org/openml"').encode()


def _named(name: str, values: dict[str, object]) -> str:
    return "".join(
        element(name, escape(str(value)), f' name="{key}"') for key, value in values.items()
    )


def _dataset_entry(dataset: Dataset) -> str:
    content = tags(did=dataset.did, name=dataset.name, version=1, uploader=1, status=dataset.status)
    return element("dataset", content + _named("quality", dataset.qualities()))


def _task_entry(task: Task, dataset: Dataset) -> str:
    content = tags(task_id=task.task_id, task_type_id=1, task_type="Supervised Classification")
    content += tags(did=dataset.did, name=dataset.name, status=dataset.status)
    inputs = {"estimation_procedure": task.procedure, "source_data": dataset.did}
    inputs |= {"target_feature": dataset.target}
    return element(
        "task", content + _named("input", inputs) + _named("quality", dataset.qualities())
    )


def run_entry(run: Run, **changes: object) -> str:
    content = {"run_id": run.run_id, "task_id": run.task_id, "task_type_id": 1}
    content |= {"setup_id": run.setup_id, "flow_id": run.flow_id, "uploader": 1}
    content |= {"upload_time": "2015-06-09 16:32:01", "error_message": "", "run_details": ""}
    content = {name: text for name, text in (content | changes).items() if text is not None}
    return element("run", tags(**content))


def _procedures_xml() -> bytes:
    entries = (
        tags(id=number, ttid=kind, name=name, type="crossvalidation", repeats=repeats, folds=folds)
        for number, (kind, name, repeats, folds) in PROCEDURES.items()
    )
    content = "".join(element("estimationprocedure", entry) for entry in entries)
    return document("estimationprocedures", content)


def description_xml(dataset: Dataset, link: Callable[[str], str], **changes: object) -> bytes:
    url = link(f"/data/v1/download/{dataset.did}/{dataset.name}.arff")
    content = {"id": dataset.did, "name": dataset.name, "version": 1, "description": "Synthetic"}
    content |= {"format": "ARFF", "upload_date": "2015-09-01T00:00:00", "licence": "Public"}
    content |= {"url": url, "file_id": dataset.did, "default_target_attribute": dataset.target}
    content |= {"visibility": "public", "status": dataset.status}
    content |= {"md5_checksum": hashlib.md5(dataset.arff).hexdigest()}
    return document("data_set_description", tags(**content | changes))


def run_xml(world: World, run: Run, url: Callable[[str], str]) -> bytes:
    content = tags(run_id=run.run_id, uploader=1, uploader_name="A", task_id=run.task_id)
    content += tags(task_type="Supervised Classification", flow_id=run.flow_id, flow_name="model")
    content += tags(setup_id=run.setup_id, setup_string=f"model -- -C {run.setup_id} -k <&>")
    dataset = world.dataset_of(run)
    used = tags(did=dataset.did, name=dataset.name, url=url(f"/data/download/{dataset.did}"))
    content += element("input_data", element("dataset", used))
    output = ""
    for number, name in enumerate(["description", "predictions"]):
        path = f"/data/download/{run.run_id}/{name}"
        output += element("file", tags(did=-1, file_id=number, name=name, url=url(path)))
    output += _evaluations_xml(world, run)
    return document("run", content + element("output_data", output))


def _evaluations_xml(world: World, run: Run) -> str:
    """Of each fold: the AUC of both labels, and their mean by class sizes."""
    entries = []
    for (repeat, fold), (values, mean) in world.fold_aucs(run.run_id).items():
        texts = ["\ufffd" if np.isnan(x) else _six_digits(x + run.auc_error) for x in values]
        content = tags(name="area_under_roc_curve")
        content += "" if np.isnan(mean) else tags(value=_six_digits(mean + run.auc_error))
        content += tags(array_data=f"[{','.join(texts)}]")
        entries.append(element("evaluation", content, f' repeat="{repeat}" fold="{fold}"'))
    return "".join(entries)


def _six_digits(x: float) -> str:
    return repr(round(float(x), 6)).removesuffix(".0")


def predictions_path(run_id: int) -> str:
    return f"/data/download/{run_id}/predictions"


# --- Answers


def served(body: bytes, content_type: str = "text/plain", status: int = 200) -> Answer:
    """Compressed if the client accepts that."""

    def send(handler: Handler) -> None:
        payload, headers = body, {"Content_Type": content_type}
        if "gzip" in handler.headers.get("Accept-Encoding", ""):
            payload = gzip.compress(body, compresslevel=1)
            headers["Content_Encoding"] = "gzip"
        answer(status, payload, **headers)(handler)

    return send


def api_error(code: int) -> Answer:
    return served(document("error", tags(code=code, message="No results")), XML, status=412)


_NO_RESULTS = {"data": 372, "tasks": 482, "runs": 512}


class OpenMLStandIn(StandIn):
    """Serves a world; what goes wrong is scripted.

    `faults` are answered first, one per request, then `fault_paths`: for a path, a queue of
    answers, or an answer that it gets for ever. `mode` is a fault of the whole server: it returns
    its answer to a path, or None where the server works. `pages` replace the world's answers.
    """

    def __init__(self, world: World):
        super().__init__()
        self.world = world
        self.fault_paths: dict[str, deque[Answer] | Answer] = {}
        self.mode: Callable[[OpenMLStandIn, str], Answer | None] | None = None
        self.listing_order = "sorted"  # "shuffled", or "each page" anew within the page
        self.repeat_every = 0  # if set, every so many entries a list names one twice

    @property
    def url_api(self) -> str:
        return self.url(API)

    def answer_to(self, path: str) -> Answer:
        scripted = self.fault_paths.get(path)
        if scripted:
            return scripted if callable(scripted) else scripted.popleft()
        if self.mode is not None and (faulty := self.mode(self, path)) is not None:
            return faulty
        if path in self.pages:
            page = self.pages[path]
            return served(page) if isinstance(page, bytes) else page
        return self.answer_of_the_world(path)

    def answer_of_the_world(self, path: str) -> Answer:
        try:
            for pattern, method in _ROUTES.items():
                if match := re.fullmatch(pattern, path):
                    found = method(self, *match.groups())
                    return api_error(found) if isinstance(found, int) else served(*found)
        except Exception:
            return answer(500, traceback.format_exc().encode())
        return served(HTML_PAGE, "text/html; charset=UTF-8", status=404)

    def _list(self, kind: str, path: str) -> tuple[bytes, str] | int:
        parts = path.split("/")
        filters = dict(zip(parts[::2], parts[1::2], strict=True))
        world = self.world
        if kind == "run":
            tasks = {int(each) for each in filters["task"].split(",")}
            runs = [run for run in world.runs.values() if run.task_id in tasks]
            found = {run.run_id: run_entry(run) for run in runs}
            return self._page("runs", found, filters)
        datasets = [each for each in world.datasets.values() if _is_listed(each, filters)]
        found = {dataset.did: _dataset_entry(dataset) for dataset in datasets}
        if kind == "data":
            return self._page("data", found, filters)
        tasks = [task for task in world.tasks.values() if task.did in found]
        found = {task.task_id: _task_entry(task, world.dataset_of(task)) for task in tasks}
        return self._page("tasks", found, filters)

    def _page(self, root: str, found: dict[int, str], filters: dict) -> tuple[bytes, str] | int:
        ids = sorted(found)
        if self.listing_order == "shuffled":
            random.Random(0).shuffle(ids)
        if self.repeat_every:
            n = self.repeat_every
            ids = [twice for i, each in enumerate(ids) for twice in [each] * (1 + (i % n == n - 1))]
        limit, offset = int(filters["limit"]), int(filters["offset"])
        ids = ids[offset : offset + limit]
        if self.listing_order == "each page":
            random.Random(len(self.requests)).shuffle(ids)
        if not ids or limit > 10_000:
            return 516 if ids else _NO_RESULTS[root]
        return document(root, "".join(found[i] for i in ids)), XML

    def _describe_dataset(self, did: str) -> tuple[bytes, str] | int:
        dataset = self.world.datasets.get(int(did))
        return (description_xml(dataset, self.url), XML) if dataset else 111

    def _describe_run(self, run_id: str) -> tuple[bytes, str] | int:
        run = self.world.runs.get(int(run_id))
        return (run_xml(self.world, run, self.url), XML) if run else 236


def _is_listed(dataset: Dataset, filters: dict[str, str]) -> bool:
    n_classes = dataset.qualities().get("NumberOfClasses")
    return dataset.status == "active" and n_classes == int(filters["number_classes"])


_ROUTES = {
    rf"{API}/run/(\d+)": OpenMLStandIn._describe_run,
    rf"{API}/data/(\d+)": OpenMLStandIn._describe_dataset,
    rf"{API}/(run|data|task)/list/(.*)": OpenMLStandIn._list,
    rf"{API}/estimationprocedure/list": lambda server: (_procedures_xml(), XML),
    r"/data/v1/download/(\d+)/.*": lambda server, did: (server.world.datasets[int(did)].arff,),
    r"/data/download/(\d+)/predictions": lambda server, run: (server.world.predictions(int(run)),),
}


def openml_stand_in(world: World):
    return stand_in(OpenMLStandIn(world))
