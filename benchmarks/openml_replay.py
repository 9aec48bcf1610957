"""Run the ranking pipeline against a local server that simulates OpenML.

``python benchmarks/openml_replay.py`` processes 600 tasks with 30 runs of 1,000 rows, and takes
about 20 minutes. It prints the time, the memory and the requests.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import yaml
from kept import Comparison, Need, show_and_keep
from processes import ROOT, Measured, measured

STAND_IN = ROOT / "tests" / "reproduction" / "openml"
UNLIMITED = 1e6  # requests per second
PANELS = ("all", "imbalanced", "small_prior")


def run(
    n_tasks: int = 600, n_runs: int = 30, n_rows: int = 1000, cores: int = 2, keep: bool = False
) -> None:
    print(f"Replay of {n_tasks} tasks × {n_runs} runs × {n_rows:,} rows on {cores} cores\n")
    sys.path.insert(0, str(STAND_IN))
    from openml_stand_in import openml_stand_in
    from openml_world import World

    world = World.synthetic(n_tasks, n_runs, n_rows)
    with tempfile.TemporaryDirectory() as scratch, openml_stand_in(world) as server:
        before = time.process_time()
        seconds, peak, cpu = run_pipeline(Path(scratch), server.url_api, n_runs, cores)
        served = time.process_time() - before
        print("| wall, s | peak memory, MB | requests | pipeline's CPU, s | server's CPU, s |")
        print("|---|---|---|---|---|")
        print(
            f"| {seconds:.0f} | {peak / 1e6:.0f} | {len(server.requests)} | {cpu:.0f} | "
            f"{served:.0f} |\n",
            flush=True,
        )
    comparison = Comparison(
        "openml_replay",
        f"rankings of {n_tasks} tasks × {n_runs} runs × {n_rows:,} rows on {cores} cores",
        Need("the pipeline", seconds, peak / 1e6),
    )
    show_and_keep("benchmarks/openml_replay.py", [comparison], keep=keep)


def run_pipeline(scratch: Path, url: str, n_runs: int, cores: int) -> Measured:
    """Run the rules of the ranking against the server."""
    settings = {
        "results_dir": str(scratch / "results"),
        "resources_dir": str(scratch / "resources"),
        "ranking": {
            "source": "openml",
            "n_models": n_runs,
            "openml": {
                "server": url,
                "requests_per_second": UNLIMITED,
            },
        },
    }
    os.environ |= {"XDG_CONFIG_HOME": str(scratch), "OPENML_CACHE_DIR": str(scratch / "cache")}
    overlay = scratch / "replay.yaml"
    overlay.write_text(yaml.safe_dump(settings), encoding="utf-8")
    names = ["openml_status", *(f"replication_rank_correlation_{panel}" for panel in PANELS)]
    tables = [f"{scratch}/results/tables/{name}.csv" for name in names]
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
