"""Run the ranking pipeline against a local server that simulates OpenML.

``python benchmarks/openml_replay.py`` processes 600 tasks with 30 runs of 1,000 rows, and takes
about 20 minutes. It prints the time, the memory and the requests.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from kept import Comparison, Need, show_and_keep
from processes import ROOT, Measured, measured

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
    os.environ |= {"XDG_CONFIG_HOME": str(scratch), "OPENML_CACHE_DIR": str(scratch / "cache")}
    overlay = scratch / "replay.yaml"
    overlay.write_text(yaml.safe_dump(settings), encoding="utf-8")
    tables = [f"{scratch}/results/tables/rank_correlation_{panel}.csv" for panel in PANELS]
    tables.append(f"{scratch}/results/tables/openml_status.csv")
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), *tables]
    command += ["--quiet", "all", "--resources", f"openml={cores}", "--configfile", str(overlay)]
    return measured(command)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=600)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="store time and memory")
    chosen = parser.parse_args()
    run(chosen.tasks, chosen.runs, chosen.rows, chosen.cores, chosen.keep)
