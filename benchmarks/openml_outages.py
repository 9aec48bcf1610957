"""Run into every fault of an OpenML server, and print what happens.

``python benchmarks/openml_outages.py`` fetches some tasks from a local stand-in server that shows a
fault until it is healed; then it runs the same command again. Waits take no time and files are not
flushed to disk. Words on the command line select faults by name.

Outcomes: ``identical`` to a run without faults; ``named``: the status table says what is missing;
``stopped`` with a message; ``SILENT``: something is missing or wrong, and nothing says so. A fault
is good if it is not silent, and the tables are those of a run without faults after at most two
more runs of the command.
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

STAND_IN = Path(__file__).parents[1] / "tests" / "reproduction" / "openml"
N_MODELS, SPARE_RUNS, N_ROWS = 6, 5, 100
OUTCOMES = ("identical", "named", "stopped", "SILENT")


def run(words: list[str], n_tasks: int) -> int:
    """Print a row per fault and the sums per pattern, and return the number of bad faults."""
    sys.path.insert(0, str(STAND_IN))
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {"XDG_CONFIG_HOME": scratch, "OPENML_CACHE_DIR": f"{scratch}/cache"}
        from openml_client import Jobs
        from openml_faults import FAULTS, SLOW, Pipeline, meet
        from openml_stand_in import openml_stand_in
        from openml_world import World

        time.sleep = lambda seconds: None
        os.fsync = lambda descriptor: None  # no power cut here
        os.environ["no_proxy"] = "127.0.0.1"
        logging.disable(logging.CRITICAL)
        sums: dict[str, Counter] = {}
        print("| fault | outcome | seconds | more runs until identical |")
        print("|---|---|---|---|")
        with openml_stand_in(World.synthetic(n_tasks, N_MODELS, N_ROWS, SPARE_RUNS)) as server:
            expected = Pipeline(Jobs(server, Path(scratch) / "expected", N_MODELS))
            with redirect_stdout(None):
                assert not expected.run()
            for number, name in enumerate(n for n in FAULTS if all(word in n for word in words)):
                jobs = Jobs(server, Path(scratch) / str(number), N_MODELS)
                jobs.seconds_per_file = 0.3 if name.endswith(SLOW) else 20.0
                with redirect_stdout(None):
                    result = meet(server, FAULTS[name](), Pipeline(jobs), expected)
                n_more = result.n_more_runs if result.n_more_runs <= 2 else "never"
                print(
                    f"| {name} | {result.outcome} | {result.seconds:.2f} | {n_more} |", flush=True
                )
                if not result.is_good:
                    print(f"  {result.message}", file=sys.stderr, flush=True)
                pattern = sums.setdefault(name.partition(":")[0], Counter())
                pattern.update(["faults", result.outcome, f"after {n_more}"])
                pattern["bad"] += not result.is_good
    print_sums(sums)
    n_bad = sum(pattern["bad"] for pattern in sums.values())
    print(f"\n{n_bad} bad faults")
    return n_bad


def print_sums(sums: dict[str, Counter]) -> None:
    """Print the numbers of faults by pattern: outcomes, and more runs until identical."""
    columns = ("faults", *OUTCOMES, "after 0", "after 1", "after 2", "after never", "bad")
    print(f"\n| pattern | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    total = sum(sums.values(), Counter())
    for name, pattern in [*sums.items(), ("all", total)]:
        print(f"| {name} | {' | '.join(str(pattern[column]) for column in columns)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--tasks", type=int, default=2)
    args = parser.parse_args()
    sys.exit(run(args.words, args.tasks) > 0)
