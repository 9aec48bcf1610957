"""The tables that figures draw, compared with stored tables of the smoke run.

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
# Tables that no figure draws. Those of Davis & Goadrich (dg_*) are compared with exact curves.
NOT_DRAWN = {"fraud_data", "fraud_prior_sweep", "kl_sweep", "paper_vs_ours", "pi_sweep"}
NOT_DRAWN |= {"ranking_scores", "ranking_tasks", "sentences"}
DRAWN_ROWS = {"rank_correlation_corrections": "correction == 'all'"}  # if not all


def drawn_tables(project):
    """The drawn rows of each table of a smoke run, by its name."""
    tables = {}
    for path in (project / "results/smoke/tables").glob("*.csv"):
        if path.stem not in NOT_DRAWN and not path.stem.startswith("dg_"):
            rows = pd.read_csv(path).query(DRAWN_ROWS.get(path.stem, "index >= 0"))
            tables[path.stem] = rows.reset_index(drop=True)
    return tables


@pytest.mark.skipif(
    any(version(name) != PINS[name] for name in PACKAGES), reason="needs the pinned versions"
)
def test_drawn_tables_are_the_stored_ones(smoke):
    tables = drawn_tables(smoke.folder)
    assert tables.keys() == {path.stem for path in STORED.iterdir()}
    for name, table in tables.items():
        stored = pd.read_csv(STORED / f"{name}.csv")
        pd.testing.assert_frame_equal(table, stored, rtol=1e-4, atol=1e-9, obj=name)


if __name__ == "__main__":
    for name, table in drawn_tables(ROOT).items():
        table.to_csv(STORED / f"{name}.csv", index=False, float_format="%.5g")
