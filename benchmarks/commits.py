"""Time the calls of `calls.py` at two commits, in alternation, and print a table in Markdown.

``python benchmarks/commits.py BEFORE [AFTER] [--only WORD]``: AFTER is the working tree if it is
not given. Times are CPU ms: the least of several runs; the ratio is the median over alternating
rounds. Memory is the peak that Python and NumPy allocate. "Same" says whether the results, and the
limits of an interval, are equal to the last digit.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
ROUNDS, SECONDS = 5, 0.1  # alternating rounds of a call, and CPU seconds of each
HEAD = "| call | before, ms | after, ms | ratio | memory, before | after, MiB | same |"


@contextmanager
def checkout(commit: str | None) -> Iterator[Path]:
    """The tree of a commit in a temporary folder; without a commit, the working tree."""
    if commit is None:
        yield ROOT
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", commit, "src"], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)


class Worker:
    """A process with the library of a tree."""

    def __init__(self, tree: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "MPLBACKEND": "Agg"}
        environment |= {"OMP_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--worker", "-"]
        pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, **pipe, env=environment)

    def ask(self, **question: object) -> dict:
        print(json.dumps(question), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()


def answer() -> None:
    """Answer the questions of a `Worker` on the standard input."""
    from calls import entries

    warnings.simplefilter("ignore")
    calls = dict(entries())
    for line in sys.stdin:
        question = json.loads(line)
        if "name" not in question:
            print(json.dumps({"names": list(calls)}), flush=True)
            continue
        try:
            found = run(calls[question["name"]], question.get("times"))
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)


def run(call, times: int | None) -> dict:
    """Least CPU ms of several runs; without their number, also memory and the result."""
    found = {}
    if times is None:
        call()
        tracemalloc.start()
        result = call()
        found["MiB"] = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        found["result"] = digits(result)
    taken = []
    for _ in range(times or 1):
        start = time.process_time()
        call()
        taken.append(1000 * (time.process_time() - start))
    return found | {"ms": min(taken)}


def digits(result: object) -> str:
    limits = [getattr(result, name, None) for name in ("value", "low", "high")]
    return repr(result if limits[0] is None else limits)


def row(name: str, before: Worker, after: Worker) -> str:
    first, second = before.ask(name=name), after.ask(name=name)
    for found in (first, second):
        if "error" in found:
            return f"| {name} | {found['error']} |"
    times = max(round(1000 * SECONDS / ROUNDS / max(first["ms"], second["ms"], 0.001)), 1)
    rounds = []
    for place in range(ROUNDS):
        order = (before, after) if place % 2 else (after, before)
        ms = {worker: worker.ask(name=name, times=times)["ms"] for worker in order}
        rounds.append((ms[before], ms[after]))
    least = [min(each) for each in zip(*rounds, strict=True)]
    ratio = median(new / old for old, new in rounds)
    same = "yes" if first["result"] == second["result"] else "no"
    memory = f"{first['MiB']:.1f} | {second['MiB']:.1f}"
    return f"| {name} | {least[0]:.3g} | {least[1]:.3g} | {ratio:.2f} | {memory} | {same} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before")
    parser.add_argument("after", nargs="?")
    parser.add_argument("--only", default="", help="calls whose name contains this")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        answer()
        return
    with ExitStack() as stack:
        trees = [stack.enter_context(checkout(each)) for each in (asked.before, asked.after)]
        before, after = (stack.enter_context(Worker(each)) for each in trees)
        print(HEAD, "|" + "---|" * (HEAD.count("|") - 1), sep="\n")
        for name in after.ask()["names"]:
            if asked.only in name:
                print(row(name, before, after), flush=True)


if __name__ == "__main__":
    main()
