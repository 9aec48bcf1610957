"""Curves of parquet files that are larger than memory: time and peak memory.

``python benchmarks/tables.py [FOLDER]`` writes the rows to the folder, 1 GB, unless they are there,
and measures each call in a fresh process. Without a folder, the rows are temporary. ``--keep``
stores time and memory, for `benchmarks/README.md`.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from kept import Comparison, Need, released, show_and_keep
from scipy.special import ndtr

from calibrated_metrics import scores, tables

PRIOR = 0.01
N_ROWS, N_ROWS_EXACT, N_DISTINCT = 10**8, 10**7, 10**6
ROWS_PER_FILE = 5 * 10**6
N_MONTHS = 6
RESOLUTION = 20_000  # cells per unit of the score


def write_rows(folder, n_rows, n_distinct=None):
    """Write rows with scores from two Gaussians, a file for each part.

    Scores are calibrated probabilities. With `n_distinct`, they are ranks among the negatives, in
    so many classes of equal size.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for part, start in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        n = min(ROWS_PER_FILE, n_rows - start)
        rng = np.random.default_rng([0, part])
        fraud = rng.random(n) < PRIOR
        x = rng.normal(2 * fraud)
        if n_distinct is None:
            score = 1 / (1 + np.exp(2 - 2 * x) * (1 - PRIOR) / PRIOR)
        else:
            score = np.floor(ndtr(x) * n_distinct) / n_distinct
        columns = {"fraud": fraud, "score": score, "month": rng.integers(1, N_MONTHS + 1, n)}
        path = folder / f"part-{part:03d}.parquet"
        partial = path.with_suffix(".partial")
        pq.write_table(pa.table(columns), partial, row_group_size=500_000)
        partial.replace(path)


def rows_in(folder):
    """Write the rows to two folders, unless they are there."""
    for name, n_rows, n_distinct in (
        ("rows", N_ROWS, None),
        ("exact", N_ROWS_EXACT, N_DISTINCT),
    ):
        of_size = folder / f"{name}-{n_rows}"
        if not of_size.exists():
            partial = folder / f"{name}-{n_rows}.partial"
            write_rows(partial, n_rows, n_distinct)
            partial.rename(of_size)
        yield of_size


def calls(rows, exact):
    """What is measured: names and arguments of `tables.curves`."""
    names = {"y_true": "fraud", "y_score": "score"}
    rounded = {**names, "resolution": RESOLUTION}
    of_rounded = f"{N_ROWS:,} rows, scores in 1/{RESOLUTION}"
    yield of_rounded, {"table": str(rows), **rounded}
    yield f"{of_rounded}, by month", {"table": str(rows), "by": "month", **rounded}
    yield f"{N_ROWS_EXACT:,} rows, each score", {"table": str(exact), **names}


def measured(arguments):
    """Time, peak memory and average precision of a call, measured in a process of its own."""
    command = [sys.executable, __file__, "--measure", json.dumps(arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def measure(arguments):
    wall, cpu = time.perf_counter(), time.process_time()
    found = tables.curves(**arguments)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    curves = list(found["curve"]) if "by" in arguments else [found]
    return {
        "wall": wall,
        "cpu": cpu,
        "gigabytes": peak_gigabytes(),
        "rows": sum(curve.n_pos + curve.n_neg for curve in curves),
        "cells": sum(len(np.unique(curve.rows.score)) for curve in curves),
        "value": [scores.average_precision(curve) for curve in curves],
    }


def peak_gigabytes():
    """Peak memory of this process, which has no children, on Linux.

    `resource.getrusage` would count the parent, whose memory a child has until it runs.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / 1e9


def run(folder=None, keep=False):
    kept = []
    with tempfile.TemporaryDirectory() as temporary:
        folders = rows_in(Path(folder or temporary))
        print(f"Curves of parquet files at the prior {PRIOR}, each made by a process of its own,")
        print("and the peak memory of this process in GB.\n")
        print("| | cells | wall s | CPU s | GB | average precision |")
        print("|---|---|---|---|---|---|")
        for name, arguments in calls(*folders):
            result = measured(arguments)
            print(
                f"| {name} | {result['cells']:,} | {result['wall']:.1f} | {result['cpu']:.1f} | "
                f"{result['gigabytes']:.2f} | {np.mean(result['value']):.5f} |",
                flush=True,
            )
            way = f"`tables.curves`, {released('duckdb')}"
            need = Need(way, result["wall"], 1000 * result["gigabytes"])
            kept.append(Comparison(f"tables {name}", f"curve of parquet files: {name}", need))
    if keep:
        print()
        show_and_keep("benchmarks/tables.py", kept, keep=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", help="where the rows are written")
    parser.add_argument("--keep", action="store_true", help="store time and memory")
    parser.add_argument("--measure", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure is None:
        run(arguments.folder, arguments.keep)
    else:
        print(json.dumps(measure(arguments.measure)))
