"""Times and memory that pages and docstrings state, compared with the results kept.

Nothing is timed here. `python benchmarks --keep` and the other commands of the page of benchmarks
measure, and store the results with a description of the machine in benchmarks/last.json.
"""

import importlib
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "benchmarks" / "README.md"


class Claim(NamedTuple):
    """A statement of a page: one number per group of the pattern, each of a quantity of a key."""

    page: str
    pattern: str
    key: str
    quantities: tuple[str, ...]


def of_run(command, key):
    """The claim of a row of the README's table of runs, whose last cell is minutes."""
    pattern = rf"\| `{re.escape(command)}` \|.*\| ([\d.]+) \|"
    return Claim("README.md", pattern, f"run {key}", ("minutes",))


RUNNING = "docs/reproduction/running.md"
CLAIMS = [
    of_run("snakemake --cores all", "default"),
    of_run("snakemake all --cores all --configfile config/smoke.yaml", "smoke"),
    Claim("README.md", r"\| ([\d.]+) GB of memory \|", "run default", ("GB",)),
    Claim(
        "benchmarks/README.md",
        r"interface: (\d+) minutes and ([\d.]+) GB",
        "openml_replay",
        ("minutes", "GB"),
    ),
]
# Numbers that no benchmark measures.
OTHERS = {
    (RUNNING, "5 hours"),  # OpenML's tasks at 2 requests per second
    (RUNNING, "10 GB"),  # estimate for all of OpenML's tasks
    *((RUNNING, "3 MB"), (RUNNING, "76 MB"), ("README.md", "76 MB")),  # downloads
}
NUMBER = re.compile(
    r"\b\d[\d.,]* (?:µs|ms|s|seconds?|minutes?|hours?|MB|GB)\b|\btimes (?:faster|slower|as fast)\b"
    r"|\d ?× (?:faster|slower|as fast)"
)


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.delitem(sys.modules, "kept", raising=False)
    return importlib.import_module("kept")


def text_of(page):
    """A page or module, without the table that is made from the results."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.sub(r"<!-- made by .*?<!-- end -->", "", text, flags=re.DOTALL)


def pages():
    paths = [
        *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "src" / "calibrated_metrics").rglob("*.py"),
    ]
    return sorted({str(path.relative_to(ROOT)) for path in paths})


def holds(stated, quantity, needed):
    """Whether a time or memory is at most the stated one as rounded."""
    measured = {"minutes": needed["seconds"] / 60, "GB": (needed["megabytes"] or 0) / 1000}
    half = 0.5 * 10.0 ** -len(stated.partition(".")[2])
    return measured[quantity] <= float(stated) + half


def test_the_page_shows_the_results_that_are_kept(kept):
    assert PAGE.read_text(encoding="utf-8") == kept.page_with(kept.last())


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.page}: {claim.key}")
def test_a_stated_number_holds_in_the_results_that_are_kept(kept, claim):
    found = re.search(claim.pattern, text_of(claim.page))
    assert found, f"{claim.page} no longer states {claim.pattern}"
    needed = {
        comparison["key"]: comparison["ours"]
        for result in kept.last().values()
        for comparison in result["comparisons"]
    }
    if claim.key not in needed:
        pytest.skip(f"no result of '{claim.key}' is kept; {PAGE.name} names the command")
    for stated, quantity in zip(found.groups(), claim.quantities, strict=True):
        assert holds(stated, quantity, needed[claim.key]), (stated, quantity)


def test_every_stated_time_and_memory_is_compared():
    for page in pages():
        text = text_of(page)
        compared = [
            found.span()
            for claim in CLAIMS
            if claim.page == page and (found := re.search(claim.pattern, text))
        ]
        for found in NUMBER.finditer(text):
            within = any(start <= found.start() and found.end() <= end for start, end in compared)
            assert within or (page, found[0]) in OTHERS, (page, found[0])


def test_results_are_kept_by_command_and_shown(kept, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(kept, "LAST", tmp_path / "last.json")
    monkeypatch.setattr(kept, "PAGE", tmp_path / "page.md")
    kept.PAGE.write_text(f"# Before\n{kept.BEGIN}old\n{kept.END}after\n", encoding="utf-8")
    alone = kept.Comparison("import", "import", kept.Need("import x", 0.25))
    both = kept.Comparison(
        "interval", "interval", kept.Need("ours", 0.5, 3.2), kept.Need("peer 1.0", 240.0, 1500.0)
    )
    kept.show_and_keep("benchmarks", [both], keep=True)
    kept.show_and_keep("benchmarks/other.py", [alone], keep=True)
    kept.show_and_keep("benchmarks", [alone], keep=False)

    assert set(kept.last()) == {"benchmarks", "benchmarks/other.py"}
    page = kept.PAGE.read_text(encoding="utf-8")
    assert page.startswith("# Before\n")
    assert page.endswith("after\n")
    assert "old" not in page
    row = "| interval | 480 | ours, 500 ms, 3 MB | peer 1.0, 4 min, 1.5 GB |"
    assert row in page
    assert "| import | import x | 250 ms |" in page
    assert row in capsys.readouterr().out
    assert page == kept.page_with(kept.last())


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
def test_the_peak_of_memory_is_that_of_the_call(kept):
    assert kept.peak_megabytes(lambda: bytearray(50_000_000)) == pytest.approx(50, abs=5)
    assert kept.peak_megabytes(lambda: None) < 5
