"""The benchmarks run, and compare what they say they compare. No test looks at a time."""

import gc
import importlib
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

FOLDER = Path(__file__).parents[1] / "benchmarks"
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__main__")
COMPARED = {"by_group", "heuristic", "import_time", "intervals", "ten_metrics"}
DETAILED = {*COMPARED, "memory"}


@pytest.fixture
def benchmarks(monkeypatch):
    """The modules by their names, forgotten afterwards."""
    monkeypatch.syspath_prepend(FOLDER)
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield {name: importlib.import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture
def quick(benchmarks, monkeypatch):
    """The benchmarks at tiny sizes."""
    changes = {
        "kept": {"BUDGET": 0.0},
        "ten_metrics": {"SIZES": (100, 200), "PRIORS": (0.2,), "COMPARED": (100, 200)},
        "heuristic": {"N_POS": 10, "N_NEG": 500, "N_PRIORS": 3, "N_RUNS": 5, "N_RUNS_SAMPLED": 2},
        "memory": {"N": 5000},
        "import_time": {"N_RUNS": 1},
        "by_group": {"N_GROUPS": 3, "N_ROWS": 400, "N_OF_A_CHANGE": 500},
        "intervals": {"N": 400, "PRIORS": (0.2,), "N_RESAMPLES": 4, "N_RESAMPLES_OF_ROWS": 2},
        "tables": {
            **{"N_ROWS": 3000, "N_ROWS_EXACT": 2000, "N_DISTINCT": 100, "ROWS_PER_FILE": 1000},
            "RESOLUTION": 10,
        },
        "peers": {"N_SAMPLES": 2, "N_RESAMPLES": 3, "SIZES": (20,)},
    }
    for name, constants in changes.items():
        for constant, value in constants.items():
            monkeypatch.setattr(benchmarks[name], constant, value)
    median_seconds = benchmarks["paired"].median_seconds
    for name in ("ten_metrics", "intervals"):
        monkeypatch.setattr(
            benchmarks[name],
            "median_seconds",
            lambda functions, budget: median_seconds(functions, budget=0.0),
        )
    gc.freeze()  # what other tests left need not be looked through before each measurement
    yield benchmarks
    gc.unfreeze()


def rows_of(text):
    """Cells of the only Markdown table, its head aside."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert len({len(row) for row in table}) == 1, "rows differ in length from the head"
    assert set(table[1]) == {"---"}
    return table[2:]


def numbers(cells):
    return [float(cell.replace(",", "")) for cell in cells]


def run_main(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
    runpy.run_path(str(FOLDER / "__main__.py"), run_name="__main__")


def test_the_page_names_every_benchmark():
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name in set(MODULES) - {"calls", "kept", "paired", "processes"}:
        assert f"`{name}`" in page or f" {name}`" in page or f"/{name}.py" in page, name


def test_ten_metrics(quick, capsys):
    quick["ten_metrics"].run()
    rows = rows_of(capsys.readouterr().out)
    assert [row[:3] for row in rows] == [
        [kind, "0.2", n] for kind in ("continuous", "tied") for n in ("100", "200")
    ]
    for row in rows:
        assert min(numbers(row[3:])) > 0


def test_peers(quick, capsys):
    """Without the peers, which the tests do not install."""
    quick["peers"].print_intervals()
    rows = rows_of(capsys.readouterr().out)
    assert [row[:2] for row in rows[:3]] == [
        [score, "binormal 2"] for score in ("average_precision", "precision", "roc_auc")
    ]
    quick["peers"].print_thresholds()
    rows = rows_of(capsys.readouterr().out)
    assert [row[0] for row in rows] == ["binormal 2", "exponential"]


def test_the_judged_rates_are_those_of_the_population(quick):
    precision, recall = quick["peers"].rates("binormal 2", 1.0)
    tpr, fpr = stats.norm.sf(-1), stats.norm.sf(1)
    assert recall == pytest.approx(tpr)
    assert precision == pytest.approx(0.05 * tpr / (0.05 * tpr + 0.95 * fpr))


def test_values_by_group_are_those_of_scikit_learn_at_the_own_priors(quick):
    module = quick["by_group"]
    table = module.frame()
    peers = dict(module.ways(table))["pandas and scikit-learn, values only"]()
    ours = module.comparison.by_group(
        table,
        "group",
        y_true="y_true",
        y_score="y_score",
        metrics="average_precision",
        pi0=None,
        confidence_level=None,
    )
    np.testing.assert_allclose(ours["value"], peers, rtol=1e-12)


def test_memory(quick, capsys):
    quick["memory"].run()
    rows = rows_of(capsys.readouterr().out)
    assert len(rows) == 6
    for row in rows:
        assert numbers(row[-1:])[0] > 1  # the inputs are included


def test_tables(quick, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(quick["tables"], "measured", quick["tables"].measure)  # in this process
    quick["tables"].run(tmp_path)
    rows = rows_of(capsys.readouterr().out)
    assert [row[0] for row in rows] == [
        "3,000 rows, scores in 1/10",
        "3,000 rows, scores in 1/10, by month",
        "2,000 rows, each score",
    ]
    for row in rows:
        assert min(numbers(row[1:])) >= 0
    assert numbers(rows[-1][1:2])[0] <= 100  # the distinct scores


def test_one_table_compares_all_with_their_peers(quick, monkeypatch, capsys):
    run_main(monkeypatch)
    rows = rows_of(capsys.readouterr().out)
    assert len(rows) == 9
    for _, ratio, ours, peer in rows:
        assert re.search(r", [\d.]+ (ms|s|min)", ours)
        assert bool(re.search(r", [\d.]+ (ms|s|min)", peer)) == bool(ratio)
        assert not ratio or numbers([ratio])[0] > 0
    assert sum(not ratio for _, ratio, *_ in rows) == 2


@pytest.mark.parametrize("name", sorted(DETAILED))
def test_a_named_benchmark_prints_its_own_table(benchmarks, monkeypatch, name):
    ran = []
    monkeypatch.setattr(benchmarks[name], "run", lambda: ran.append(name))
    run_main(monkeypatch, name)
    assert ran == [name]


def test_an_unknown_name_is_refused(benchmarks, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run_main(monkeypatch, "nothing")
    assert "no benchmark is named nothing; allowed: ten_metrics" in capsys.readouterr().err


def test_medians_are_one_a_function_and_rounds_are_paired(benchmarks, monkeypatch):
    paired = benchmarks["paired"]
    ticks = iter(range(10**6))
    monkeypatch.setattr(paired.time, "perf_counter", lambda: next(ticks))
    calls = []
    functions = [lambda: calls.append("a"), lambda: (calls.append("b"), next(ticks))]
    assert paired.median_seconds(functions, budget=0.0) == [1, 2]
    assert calls == ["a", "b"] * 6  # one to warm up, five at least


def test_openml_outages_has_a_row_per_fault():
    command = [sys.executable, FOLDER / "openml_outages.py", "first 1: predictions: 4", "--tasks"]
    done = subprocess.run([*command, "1"], capture_output=True, text=True, check=True)
    faults, sums = done.stdout.split("\n\n")[:2]
    assert [row[:2] for row in rows_of(faults)] == [["first 1: predictions: 404", "identical"]]
    assert rows_of(sums)[0][:3] == ["first 1", "1", "1"]
    assert done.stdout.endswith("0 bad faults\n")


def test_calls_are_paired_at_two_commits(benchmarks, monkeypatch, capsys):
    if subprocess.run(["git", "rev-parse", "HEAD"], cwd=FOLDER, capture_output=True).returncode:
        pytest.skip("this is no clone that git can read")
    commits = benchmarks["commits"]
    monkeypatch.setattr(commits, "SECONDS", 0.001)
    monkeypatch.setattr(sys, "argv", ["commits.py", "HEAD", "--only", "average precision, 100 r"])
    commits.main()
    _, _, row = capsys.readouterr().out.splitlines()
    assert re.match(r"\| average precision, 100 rows \|( [\d.e+-]+ \|){5} yes \|$", row)
