"""Run into every systematic fault of an OpenML server, and print what happens.

``python benchmarks/openml_outages.py`` fetches 20 tasks from a local stand-in server that shows a
fault until it is healed: from the start, and after half of the tasks. Waits between attempts are
shortened, files are not flushed to disk, and the time limits are the options. A run is good if it
ends with the right numbers, or with an error within twice the time limit of a task, without an
exclusion, and if the same run against the healed server ends with the bytes of a run without
faults. Words on the command line select faults by name.
"""

import argparse
import logging
import os
import sys
import tempfile
from pathlib import Path

from reproduction.openml import download, fetch, server

STAND_IN = Path(__file__).parents[1] / "tests" / "reproduction" / "openml"
N_MODELS, SPARE_RUNS, N_ROWS = 3, 4, 30


def run(words: list[str], n_tasks: int, seconds_per_file: float, seconds_per_task: float) -> int:
    """Print a row per fault and point of the run, and return the number of bad ones."""
    sys.path.insert(0, str(STAND_IN))
    from openml_faults import FAULTS, OF_LISTS, Pipeline, meet
    from openml_stand_in import World, openml_stand_in

    download.FIRST_WAIT, server.PAUSE, fetch.ROUND_PAUSE = 0.01, 0.1, 0.1
    os.fsync = lambda descriptor: None  # no power cut here
    os.environ["no_proxy"] = "127.0.0.1"
    logging.disable(logging.CRITICAL)
    world = World.synthetic(n_tasks, N_MODELS, N_ROWS, spare_runs=SPARE_RUNS)
    limits = seconds_per_file, seconds_per_task
    n_bad = 0
    print(
        "| fault | tasks before | outcome | seconds | limit, s | excluded | healed equal | good |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with openml_stand_in(world) as stand_in, tempfile.TemporaryDirectory() as scratch:
        expected = Pipeline(stand_in.url_api, Path(scratch) / "expected", N_MODELS, 60.0, 600.0)
        expected.run()
        for number, name in enumerate(n for n in FAULTS if all(word in n for word in words)):
            for after in (0,) if name in OF_LISTS else (0, n_tasks // 2):
                folder = Path(scratch) / f"{number}-{after}"
                pipeline = Pipeline(stand_in.url_api, folder, N_MODELS, *limits)
                result = meet(stand_in, name, pipeline, expected, after=after)
                is_good = result.is_good(seconds_per_task)
                n_bad += not is_good
                print(
                    f"| {name} | {after} | {result.outcome} | {result.seconds:.2f} | "
                    f"{seconds_per_task:g} | {result.n_excluded} | {result.healed_equal} | "
                    f"{is_good} |",
                    flush=True,
                )
                if not is_good:
                    print(f"  {result.message}", file=sys.stderr, flush=True)
    print(f"\n{n_bad} bad runs")
    return n_bad


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--seconds-per-file", type=float, default=2.0)
    parser.add_argument("--seconds-per-task", type=float, default=4.0)
    args = parser.parse_args()
    sys.exit(run(args.words, args.tasks, args.seconds_per_file, args.seconds_per_task) > 0)
