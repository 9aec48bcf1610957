"""The last results of the benchmarks, with the machine that they ran on: `last.json`.

A benchmark that compares this project with a peer describes each comparison as a `Comparison`. To
add one, yield it from a function ``comparisons()`` of a module that `__main__` lists, or, if it
takes long, call ``show_and_keep("name of the module", comparisons, keep=…)`` from a command of its
own. `benchmarks/README.md` shows all that are kept.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import platform
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

from paired import median_seconds

ROOT = Path(__file__).parents[1]
LAST = ROOT / "benchmarks" / "last.json"
PAGE = ROOT / "benchmarks" / "README.md"
BEGIN, END = "<!-- made by `python benchmarks --keep` -->\n", "<!-- end -->\n"
BUDGET = 2.0  # seconds of timing per comparison, at least
HEAD = ("| task | peer's time / ours | this project | peer |", "|---|---|---|---|")
HEAD_ALONE = ("| task | way | needs |", "|---|---|---|")
PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "pyarrow", "snakemake")


@dataclass(frozen=True)
class Need:
    """What one way needs: its name with version, seconds, and megabytes at the peak if measured."""

    way: str
    seconds: float
    megabytes: float | None = None


@dataclass(frozen=True)
class Comparison:
    """A task, and what this project and a peer need for it; without a peer, a task alone."""

    key: str
    task: str
    ours: Need
    peer: Need | None = None


def released(package: str) -> str:
    """Name and version of an installed package."""
    return f"{package} {version(package)}"


def peak_megabytes(function: Callable[[], object]) -> float | None:
    """Memory that a call needs beyond what the process holds before it; None where unknown.

    The second call is measured, so that imports and caches do not count. Needs Linux, whose kernel
    records the peak and resets it on request.
    """
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not (status.exists() and reset.exists()):
        return None

    def kilobytes(name: str) -> int:
        return int(re.search(rf"^{name}:\s+(\d+) kB$", status.read_text(), re.MULTILINE)[1])

    function()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # freed memory that stays with the process would not count
    reset.write_text("5")
    before = kilobytes("VmRSS")
    function()
    return (kilobytes("VmHWM") - before) * 1024 / 1e6


def compare(
    key: str,
    task: str,
    ours: tuple[str, Callable[[], object]],
    peer: tuple[str, Callable[[], object]],
    *,
    times: float = 1,
) -> Comparison:
    """Measure two ways; the peer's function stands for one of `times` repetitions of its work."""
    functions = [function for _, function in (ours, peer)]
    seconds = median_seconds(functions, budget=BUDGET)
    megabytes = map(peak_megabytes, functions)
    names = (name for name, _ in (ours, peer))
    of_ours, of_peer = map(Need, names, (seconds[0], times * seconds[1]), megabytes)
    return Comparison(key, task, of_ours, of_peer)


def machine() -> dict[str, object]:
    """What results depend on: processor, cores, memory, system and versions."""
    found = re.search(r"^model name\s*:\s*(.+)$", _text_of("/proc/cpuinfo"), re.MULTILINE)
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": found[1] if found else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(pages / 1e9),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def _text_of(path: str) -> str:
    return Path(path).read_text(encoding="utf-8") if Path(path).exists() else ""


def show_and_keep(command: str, comparisons: Iterable[Comparison], *, keep: bool) -> None:
    """Print the table of comparisons; if `keep`, also store them, and write the page."""
    print(*HEAD, sep="\n")
    measured = []
    for comparison in comparisons:
        measured.append(asdict(comparison))
        print(row_of(measured[-1]), flush=True)
    if keep:
        results = last() if LAST.exists() else {}
        results[command] = {
            "date": date.today().isoformat(),
            "machine": machine(),
            "comparisons": measured,
        }
        text = json.dumps(dict(sorted(results.items())), indent=1, ensure_ascii=False)
        LAST.write_text(text + "\n", encoding="utf-8")
        PAGE.write_text(page_with(last()), encoding="utf-8")


def last() -> dict[str, dict]:
    """The results kept, by command."""
    return json.loads(LAST.read_text(encoding="utf-8"))


def row_of(comparison: dict) -> str:
    """A row of the table."""
    ours, peer = comparison["ours"], comparison["peer"]
    ratio, of_peer = (_two_digits(ratio_of(comparison)), _need(peer)) if peer else ("", "")
    return f"| {' | '.join((comparison['task'], ratio, _need(ours), of_peer))} |"


def ratio_of(comparison: dict) -> float:
    """Time of the peer relative to ours."""
    return comparison["peer"]["seconds"] / comparison["ours"]["seconds"]


def _two_digits(number: float) -> str:
    """Two significant digits, without an exponent."""
    return f"{float(f'{number:.2g}'):,g}"


def _need(need: dict) -> str:
    return ", ".join([need["way"], *_time_and_memory(need)])


def _time_and_memory(need: dict) -> list[str]:
    seconds, megabytes = need["seconds"], need["megabytes"]
    if seconds < 1:
        time = f"{1e3 * seconds:.3g} ms"
    else:
        time = f"{seconds:.3g} s" if seconds < 100 else f"{seconds / 60:.3g} min"
    parts = [time]
    if megabytes is not None:
        parts.append(f"{megabytes:,.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:.2g} GB")
    return parts


def page_with(results: dict[str, dict]) -> str:
    """The page of benchmarks, with these results between its marks."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = [row for result in results.values() for row in result["comparisons"]]
    parts = [
        "\n".join([*HEAD, *(row_of(row) for row in rows if row["peer"])]),
        "\n".join([*HEAD_ALONE, *(_row_alone(row) for row in rows if not row["peer"])]),
        *sorted({_measured_on(result) for result in results.values()}),
    ]
    return "\n\n".join([before + BEGIN.rstrip(), *parts, END + after])


def _row_alone(comparison: dict) -> str:
    """A row of the table of tasks without a peer."""
    ours = comparison["ours"]
    return f"| {comparison['task']} | {ours['way']} | {', '.join(_time_and_memory(ours))} |"


def _measured_on(result: dict) -> str:
    on = result["machine"]
    packages = ", ".join(f"{name} {release}" for name, release in on["packages"].items())
    return (
        f"Measured on {result['date']}: {on['processor']}, {on['cores']} cores, "
        f"{on['memory_gb']} GB, {on['system']}, Python {on['python']}, {packages}."
    )
