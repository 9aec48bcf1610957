"""Curves of more rows than fit into the memory that they may use. Times are not judged here."""

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
MOST_GIGABYTES = {"rows": 0.6, "exact": 2.0}


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("tables")


@pytest.mark.long
def test_large_tables_need_little_memory(benchmark, tmp_path, proved, capsys):
    pytest.importorskip("ibis")
    rows, exact = benchmark.rows_in(tmp_path)
    calls = dict(benchmark.calls(rows, exact))
    results = {name: benchmark.measured(arguments) for name, arguments in calls.items()}

    within = []
    for name, result in results.items():
        most = MOST_GIGABYTES["exact" if calls[name]["table"] == str(exact) else "rows"]
        within.append(result["gigabytes"] <= most)
        with capsys.disabled():
            print(
                f"\n{name}: {result['rows']:,.0f} rows, {result['cells']:,} cells, "
                f"{result['gigabytes']:.2f} GB of {most}, {result['cpu']:.1f} CPU seconds"
            )
    proved("large tables within their memory", held=sum(within), tried=len(within))
    assert all(within), results

    n_rows = [result["rows"] for result in results.values()]
    assert n_rows == [benchmark.N_ROWS, benchmark.N_ROWS, benchmark.N_ROWS_EXACT]
    *_, of_each_score = results.values()
    assert of_each_score["cells"] > 0.999 * benchmark.N_DISTINCT
