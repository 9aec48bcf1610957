"""Compare this project with its peers: ``python benchmarks`` prints one table, in minutes.

``--keep`` stores the table, with a description of the machine, in ``last.json`` and in the page of
benchmarks of the documentation. ``python benchmarks NAME`` prints the own table of a benchmark, at
more sizes; benchmarks that take longer are commands of their own.
"""

import argparse

import by_group
import heuristic
import import_time
import intervals
import memory
import ten_metrics
from kept import show_and_keep

COMPARED = (ten_metrics, intervals, by_group, heuristic, import_time)
DETAILED = {module.__name__: module for module in (*COMPARED, memory)}

parser = argparse.ArgumentParser(prog="python benchmarks", description=__doc__)
parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(DETAILED)}")
parser.add_argument("--keep", action="store_true", help="store the table")
chosen = parser.parse_args()
if unknown := set(chosen.names) - DETAILED.keys():
    parser.error(f"no benchmark is named {', '.join(unknown)}; allowed: {', '.join(DETAILED)}")
for name in chosen.names:
    DETAILED[name].run()
    print()
if not chosen.names:
    show_and_keep(
        "benchmarks",
        (comparison for module in COMPARED for comparison in module.comparisons()),
        keep=chosen.keep,
    )
