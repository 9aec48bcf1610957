"""Time and memory of the runs of Snakemake that the README lists.

``python benchmarks/pipeline.py smoke default`` runs these two, each into an empty folder.
``--keep`` stores the results, for `benchmarks/README.md`.
"""

import argparse
import sys
import tempfile

from kept import Comparison, Need, show_and_keep
from processes import measured

TARGETS = {
    "default": ["all"],
    "smoke": ["all", "--configfile", "config/smoke.yaml"],
    "notebooks": ["notebooks"],
}


def comparison(name: str, cores: int) -> Comparison:
    """Run targets, and say what they needed."""
    words = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        seconds, peak, _ = measured(
            [
                *(sys.executable, "-m", "snakemake", "--cores", str(cores), *words),
                *("--config", f"results_dir={folder}/results", "--quiet", "all"),
            ]
        )
    command = " ".join(["snakemake", words[0], "--cores", str(cores), *words[1:]])
    return Comparison(f"run {name}", f"`{command}`", Need("the pipeline", seconds, peak / 1e6))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", metavar="NAME", choices=TARGETS)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="store time and memory")
    chosen = parser.parse_args()
    for each in chosen.names:
        found = [comparison(each, chosen.cores)]
        show_and_keep(f"benchmarks/pipeline.py {each}", found, keep=chosen.keep)
