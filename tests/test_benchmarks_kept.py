"""Times, memory and ratios that pages and docstrings state, compared with the results kept.

Nothing is timed here. `python benchmarks --keep` and the other commands of docs/benchmarks.md
measure, and store the results with a description of the machine in benchmarks/last.json.
"""

import importlib
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"


class Claim(NamedTuple):
    """A statement of a page: one number per group of the pattern, each of a quantity of a key."""

    page: str
    pattern: str
    key: str
    quantities: tuple[str, ...]


def of_runs(page, command, *quantities):
    """The claim of a row of the tables of runs: minutes, and GB if they are measured."""
    cells = r" \| ".join([r"([\d.]+)"] * len(quantities))
    targets, _, overlay = command.partition("config/")
    names = {"smoke.yaml": "smoke"}
    key = names.get(overlay) or ("notebooks" if "notebooks" in targets else "default")
    return Claim(page, rf"\| `{re.escape(command)}` \|.*\| {cells} \|", f"run {key}", quantities)


RUNNING = "docs/reproduction/running.md"
BY_DEFAULT = "snakemake --cores all"
SMOKE = "snakemake all --cores all --configfile config/smoke.yaml"
CLAIMS = [
    *(of_runs(page, BY_DEFAULT, "minutes", "GB") for page in ("README.md", RUNNING)),
    *(of_runs(page, SMOKE, "minutes") for page in ("README.md", RUNNING)),
    of_runs("README.md", "snakemake notebooks --cores all", "minutes"),
    Claim(
        "docs/benchmarks.md",
        r"interface: (\d+) minutes and ([\d.]+) GB",
        "openml_replay",
        ("minutes", "GB"),
    ),
]
CLUSTER = "docs/reproduction/cluster.md"
# Numbers that no benchmark measures.
OTHERS = {
    (RUNNING, "5 hours"),  # OpenML's tasks at 2 requests per second
    ("docs/reproduction/provenance.md", "0.5 MB"),  # sizes of files
    ("docs/reproduction/provenance.md", "0.1 MB"),
    (CLUSTER, "1 GB"),  # settings of profiles/slurm, compared below
    (CLUSTER, "5 minutes"),
    (CLUSTER, "2 GB"),
    (CLUSTER, "3 hours"),
    (CLUSTER, "410 MB"),  # the largest of results/benchmarks after a default run
    (CLUSTER, "24 s"),
    (CLUSTER, "350 MB"),  # Snakemake itself
}
NUMBER = re.compile(
    r"\b\d[\d.,]* (?:µs|ms|s|seconds?|minutes?|hours?|MB|GB)\b|\btimes (?:faster|slower|as fast)\b"
    r"|\d ?× (?:faster|slower|as fast)"
)
# These pages state counts of proofs, each with its own command.
OF_PROOFS = {"docs/reliability.md", "docs/security.md"}


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
    return sorted({str(path.relative_to(ROOT)) for path in paths} - OF_PROOFS)


def holds(stated, quantity, comparison, ratio_of):
    """Whether a time or memory is at most, and a ratio at least, the stated one as rounded."""
    half = 0.5 * 10.0 ** -len(stated.partition(".")[2])
    if quantity == "ratio":
        return ratio_of(comparison) >= float(stated) - half
    ours = comparison["ours"]
    measured = {
        "seconds": ours["seconds"],
        "minutes": ours["seconds"] / 60,
        "GB": (ours["megabytes"] or 0) / 1000,
    }[quantity]
    return measured <= float(stated) + half


def test_the_page_shows_the_results_that_are_kept(kept):
    assert PAGE.read_text(encoding="utf-8") == kept.page_with(kept.last())


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.page}: {claim.key}")
def test_a_stated_number_holds_in_the_results_that_are_kept(kept, claim):
    found = re.search(claim.pattern, text_of(claim.page))
    assert found, f"{claim.page} no longer states {claim.pattern}"
    comparisons = {
        comparison["key"]: comparison
        for result in kept.last().values()
        for comparison in result["comparisons"]
    }
    if claim.key not in comparisons:
        pytest.skip(f"no result of '{claim.key}' is kept; docs/benchmarks.md names the command")
    for stated, quantity in zip(found.groups(), claim.quantities, strict=True):
        assert holds(stated, quantity, comparisons[claim.key], kept.ratio_of), (stated, quantity)


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


def test_the_memory_and_time_of_cluster_jobs_are_those_of_the_profile():
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text(encoding="utf-8"))

    def of_rules(resource, unit):
        times = {
            rule: int(resources[resource].removeprefix("attempt * ")) / unit
            for rule, resources in profile["set-resources"].items()
            if resource in resources
        }
        return {value: {rule for rule in times if times[rule] == value} for value in times.values()}

    waits = {"openml_selection", "openml_predictions"}
    assert profile["default-resources"] == {"mem_mb": "attempt * 1000", "runtime": "attempt * 5"}
    assert of_rules("mem_mb", 1000) == {2: {"fraud_stream", "fraud_predictions"}}
    assert of_rules("runtime", 60) == {3: waits}


def test_results_name_the_machine_and_the_peer(kept):
    for result in kept.last().values():
        assert {"processor", "cores", "memory_gb", "system", "python", "packages"} == set(
            result["machine"]
        )
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", result["date"])
        for comparison in result["comparisons"]:
            assert comparison["ours"]["seconds"] > 0
            if comparison["peer"]:
                assert re.search(r"\d+\.\d+", comparison["peer"]["way"]), "no version of the peer"


@pytest.mark.parametrize(
    ("stated", "quantity", "expected"),
    [
        *[("2", "minutes", True), ("1", "minutes", False), ("100.0", "seconds", True)],
        *[("1.5", "GB", True), ("1.4", "GB", False), ("3", "ratio", True), ("4", "ratio", False)],
    ],
)
def test_a_number_that_does_not_hold_is_noticed(kept, stated, quantity, expected):
    comparison = {
        "ours": {"seconds": 100.0, "megabytes": 1460.0},
        "peer": {"seconds": 300.0, "megabytes": None},
    }
    assert holds(stated, quantity, comparison, kept.ratio_of) == expected


def test_results_are_kept_by_command_and_shown(kept, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(kept, "LAST", tmp_path / "last.json")
    monkeypatch.setattr(kept, "PAGE", tmp_path / "page.md")
    kept.PAGE.write_text(f"# Before\n{kept.BEGIN}old\n{kept.END}after\n", encoding="utf-8")
    alone = kept.Comparison("import", "import", kept.Need("ours", 0.25))
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
    assert row in capsys.readouterr().out
    assert page == kept.page_with(kept.last())


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
def test_the_peak_of_memory_is_that_of_the_call(kept):
    assert kept.peak_megabytes(lambda: bytearray(50_000_000)) == pytest.approx(50, abs=5)
    assert kept.peak_megabytes(lambda: None) < 5
