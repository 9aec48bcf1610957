"""Run the ranking pipeline against a local server that simulates OpenML.

``python benchmarks/openml_replay.py`` processes 600 tasks with 30 runs of 1,000 rows, and takes
about 20 minutes. It prints the time, the requests, the memory, and the time by package.
"""

import argparse
import cProfile
import json
import pstats
import subprocess
import sys
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from kept import Comparison, Need, show_and_keep
from processes import ROOT, Measured, measured

from reproduction.core.metrics import read_metrics
from reproduction.core.settings import Metrics
from reproduction.openml.fetch import fetch_task
from reproduction.openml.selection import select
from reproduction.openml.server import Server
from reproduction.ranking import scores

STAND_IN = ROOT / "tests" / "reproduction" / "openml" / "openml_stand_in.py"
UNLIMITED = 1e6  # requests per second
PANELS = ("all", "imbalanced", "small_prior")


def run(
    n_tasks: int = 600, n_runs: int = 30, n_rows: int = 1000, cores: int = 2, keep: bool = False
) -> None:
    print(f"Replay of {n_tasks} tasks × {n_runs} runs × {n_rows:,} rows on {cores} cores\n")
    with tempfile.TemporaryDirectory() as scratch, stand_in(n_tasks, n_runs, n_rows) as url:
        seconds, peak, cpu = run_pipeline(Path(scratch), url, n_runs, cores)
        served = stats_of(url)
        print("| wall, s | peak memory, MB | requests | pipeline's CPU, s | server's CPU, s |")
        print("|---|---|---|---|---|")
        print(
            f"| {seconds:.0f} | {peak / 1e6:.0f} | {served['requests']} | {cpu:.0f} | "
            f"{served['cpu_seconds']:.0f} |\n",
            flush=True,
        )
        print_shares(Path(scratch) / "profiled", url, n_runs)
    comparison = Comparison(
        "openml_replay",
        f"rankings of {n_tasks} tasks × {n_runs} runs × {n_rows:,} rows on {cores} cores",
        Need("the pipeline", seconds, peak / 1e6),
    )
    show_and_keep("benchmarks/openml_replay.py", [comparison], keep=keep)


@contextmanager
def stand_in(n_tasks: int, n_runs: int, n_rows: int) -> Iterator[str]:
    """Start the server in another process, and yield its address."""
    sizes = ["--tasks", str(n_tasks), "--runs", str(n_runs), "--rows", str(n_rows)]
    server = subprocess.Popen(
        [sys.executable, str(STAND_IN), *sizes, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def stats_of(url: str) -> dict:
    with urllib.request.urlopen(f"{url}/__stats__") as answer:
        return json.load(answer)


def run_pipeline(scratch: Path, url: str, n_runs: int, cores: int) -> Measured:
    """Run the rules of the ranking against the server."""
    settings = {
        "results_dir": str(scratch / "results"),
        "resources_dir": str(scratch / "resources"),
        "ranking": {
            "source": "openml",
            "n_models": n_runs,
            "openml": {
                "server": f"{url}/api/v1/xml",
                "requests_per_second": UNLIMITED,
            },
        },
    }
    overlay = scratch / "replay.yaml"
    overlay.write_text(yaml.safe_dump(settings), encoding="utf-8")
    tables = [f"{scratch}/results/tables/rank_correlation_{panel}.csv" for panel in PANELS]
    tables.append(f"{scratch}/results/tables/openml_status.csv")
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), *tables]
    command += ["--quiet", "all", "--resources", f"openml={cores}", "--configfile", str(overlay)]
    return measured(command)


def print_shares(resources: Path, url: str, n_runs: int) -> None:
    """Print the share of each package in the time of a task, measured in this process."""
    sets = Metrics()
    server = Server(f"{url}/api/v1/xml", resources, requests_per_second=UNLIMITED)
    selection = select(server, n_models=n_runs, runs_listed=200, max_tasks=3, seed=0)
    profile = cProfile.Profile()
    profile.enable()
    for task in selection.tasks:
        fetched = fetch_task(task, server, n_models=n_runs, seed=0)
        scores.of_task(
            fetched.predictions,
            fetched.task,
            read_metrics(sets.described("paper")),
            read_metrics(sets.described("paper_imbalanced")),
            imbalanced_below=0.01,
        )
    profile.disable()
    shares = Counter()
    for (file, _, _), (_, _, own, _, _) in pstats.Stats(profile).stats.items():
        shares[_package_of(file)] += own
    total = sum(shares.values())
    seconds_per_task = total / len(selection.tasks)
    print(f"{seconds_per_task:.2f} s per task in one process under the profiler, by package:\n")
    print("| package | share |")
    print("|---|---|")
    for package, own in shares.most_common(8):
        print(f"| {package} | {own / total:.0%} |")


def _package_of(file: str) -> str:
    parts = Path(file).parts
    if "site-packages" in parts:
        return parts[parts.index("site-packages") + 1].removesuffix(".py")
    if {"calibrated_metrics", "reproduction"} & set(parts):
        return "this project"
    return "Python and its standard library"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=600)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="store time and memory")
    chosen = parser.parse_args()
    run(chosen.tasks, chosen.runs, chosen.rows, chosen.cores, chosen.keep)
