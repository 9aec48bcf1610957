"""Run into every fault of an OpenML server, and print what happens.

``python benchmarks/openml_outages.py`` fetches some tasks from a local stand-in server that shows a
fault until it is healed. Waits take no time and files are not flushed to disk. A run is good if it
ends as without the fault, or says what it lacks, and if the same command against the healed server
ends with the tables of a run without faults. Words on the command line select faults by name.
"""

import argparse
import logging
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path

from reproduction.openml import download

STAND_IN = Path(__file__).parents[1] / "tests" / "reproduction" / "openml"
N_MODELS, SPARE_RUNS, N_ROWS = 6, 5, 30


def run(words: list[str], n_tasks: int) -> int:
    """Print a row per fault and the sums per pattern, and return the number of bad runs."""
    sys.path.insert(0, str(STAND_IN))
    from openml_faults import FAULTS, SLOW, Pipeline, meet
    from openml_stand_in import World, openml_stand_in

    time.sleep = lambda seconds: None
    os.fsync = lambda descriptor: None  # no power cut here
    os.environ["no_proxy"] = "127.0.0.1"
    download.TIMEOUT = (1.0, 0.3)
    logging.disable(logging.CRITICAL)
    world = World.synthetic(n_tasks, N_MODELS, N_ROWS, seed=3, spare_runs=SPARE_RUNS)
    sums: dict[str, Counter] = {}
    print("| fault | outcome | seconds | refused | lost | healed equal | good |")
    print("|---|---|---|---|---|---|---|")
    with openml_stand_in(world) as server, tempfile.TemporaryDirectory() as scratch:
        expected = Pipeline(server.url_api, Path(scratch) / "expected", N_MODELS)
        with redirect_stdout(None):
            assert not expected.run()
        for number, name in enumerate(n for n in FAULTS if all(word in n for word in words)):
            pipeline = Pipeline(server.url_api, Path(scratch) / str(number), N_MODELS)
            pipeline.seconds_per_file = 0.3 if name.endswith(SLOW) else 20.0
            with redirect_stdout(None):
                result = meet(server, FAULTS[name](), pipeline, expected)
            print(
                f"| {name} | {result.outcome} | {result.seconds:.2f} | {result.n_replaced} | "
                f"{result.n_lost} | {result.healed_equal} | {result.is_good} |",
                flush=True,
            )
            if not result.is_good:
                print(f"  {result.message}", file=sys.stderr, flush=True)
            pattern = sums.setdefault(name.partition(":")[0], Counter())
            pattern.update(["tried", result.outcome], lost=max(result.n_lost, 0))
            pattern.update(["good"] if result.is_good else [])
    print_sums(sums)
    n_bad = sum(pattern["tried"] - pattern["good"] for pattern in sums.values())
    print(f"\n{n_bad} bad runs")
    return n_bad


def print_sums(sums: dict[str, Counter]) -> None:
    columns = ("tried", "right", "said", "unfinished", "SILENT", "traceback", "lost", "good")
    print(f"\n| pattern | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    for name, pattern in sums.items():
        print(f"| {name} | {' | '.join(str(pattern[column]) for column in columns)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--tasks", type=int, default=2)
    args = parser.parse_args()
    sys.exit(run(args.words, args.tasks) > 0)
