"""Time of ``import calibrated_metrics``, and the part that NumPy and SciPy do not account for."""

import re
import statistics
import subprocess
import sys

from kept import Comparison, Need

N_RUNS = 7
LIMIT = 0.25  # seconds beyond NumPy and SciPy


def comparisons():
    """The import, without those of NumPy and SciPy."""
    yield Comparison(
        "import",
        "import, beyond NumPy and SciPy",
        Need("`import calibrated_metrics`", median_seconds(modules_of_numpy_and_scipy())),
    )


def run():
    used = modules_of_numpy_and_scipy()
    total = median_seconds(())
    beyond = median_seconds(used)
    print(f"import calibrated_metrics, median of {N_RUNS} processes, by -X importtime\n")
    print("| part | seconds |")
    print("|---|---|")
    print(f"| all | {total:.3f} |")
    print(f"| beyond the {len(used)} modules of NumPy and SciPy that it imports | {beyond:.3f} |")
    verdict = "kept" if beyond <= LIMIT else "MISSED"
    print(f"\nThe limit beyond NumPy and SciPy is {LIMIT} s: {verdict}")


def modules_of_numpy_and_scipy() -> list[str]:
    """Names of the modules of NumPy and SciPy that ``import calibrated_metrics`` imports."""
    code = "import sys, calibrated_metrics; print(*sys.modules)"
    loaded = _python("-c", code).stdout.split()
    return [name for name in loaded if name.partition(".")[0] in ("numpy", "scipy")]


def median_seconds(imported_before) -> float:
    """Median time of ``import calibrated_metrics`` after the imports of other modules."""
    code = "".join(f"import {name}\n" for name in (*imported_before, "calibrated_metrics"))
    seconds = []
    for _ in range(N_RUNS):
        report = _python("-X", "importtime", "-c", code).stderr
        microseconds = re.search(r"\| +(\d+) \| calibrated_metrics$", report, re.MULTILINE)[1]
        seconds.append(int(microseconds) / 1e6)
    return statistics.median(seconds)


def _python(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
