"""Drawn numbers that no claim reads, such as bands, compared with stored tables of the smoke run.

They depend on the versions of packages, so they are compared with the pinned versions only. To
store the tables again, after a smoke run: python tests/workflow/test_stored_tables.py
"""

import re
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "stored"
PINS = dict(re.findall(r"^(\S+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy")
ALL = "index >= 0"
# Rows that are stored.
ROWS = {
    "rank_correlation_all": ALL,
    "rank_correlation_imbalanced": ALL,
    "rank_correlation_small_prior": ALL,
    "rank_correlation_corrections": "correction == 'all'",
    "selection_regret_all": ALL,
    "selection_regret_imbalanced": ALL,
    "minority_ratio": ALL,
    "heuristic": ALL,
    "fraud_prior_sweep": "run == 0",
    "fraud_prior_sweep_intervals": ALL,
    "monitoring": "metric == 'average_precision'",
    "monitoring_differences": ALL,
    "monitoring_changes": ALL,
}


def rows_of(project, name):
    table = pd.read_csv(project / f"results/smoke/tables/{name}.csv")
    return table.query(ROWS[name]).reset_index(drop=True)


@pytest.mark.skipif(
    any(version(name) != PINS[name] for name in PACKAGES), reason="needs the pinned versions"
)
@pytest.mark.parametrize("name", ROWS)
def test_a_table_is_the_stored_one(smoke, name):
    stored = pd.read_csv(STORED / f"{name}.csv")
    pd.testing.assert_frame_equal(rows_of(smoke.folder, name), stored, rtol=1e-4, atol=1e-9)


if __name__ == "__main__":
    for each in ROWS:
        rows_of(ROOT, each).to_csv(STORED / f"{each}.csv", index=False)
