"""The fraud data from a file with Kaggle's columns, of the user or downloaded."""

import os

import fake_pip
import numpy as np
import pandas as pd
import pytest

from reproduction.core.io import sha256_of
from reproduction.fraud.download import _SHA256

TABLE = "results/smoke/tables/heuristic.csv"
DATA = "results/smoke/tables/fraud_data.csv"
FIGURE = "results/smoke/figures/fig6_heuristic_vs_formula.svg"
N_ROWS, N_FRAUDS = 3000, 300


@pytest.fixture(scope="module")
def transactions():
    rng = np.random.default_rng(0)
    frauds = (np.arange(N_ROWS) < N_FRAUDS).astype(int)
    rng.shuffle(frauds)
    features = rng.standard_normal((N_ROWS, 28)) + 0.4 * frauds[:, np.newaxis]
    return pd.DataFrame(
        {
            "Time": np.arange(N_ROWS, dtype=float),
            **{f"V{i + 1}": features[:, i] for i in range(28)},
            "Amount": rng.lognormal(3.0, 1.0, N_ROWS),
            "Class": frauds,
        }
    )


def from_file(path):
    return {"fraud": {"source": "file", "path": path}}


def test_a_file_gives_the_table_and_the_figure(project, transactions):
    """`tests/reproduction/fraud/test_fraud_data.py` has the other formats, and wrong columns."""
    path = project.folder / "creditcard.csv"
    transactions.to_csv(path, index=False)
    outcome = project.run(TABLE, FIGURE, settings=from_file(path.name)).succeeded()
    assert outcome.jobs == {"fraud_predictions": 1, "fraud": 1, "fraud_figures": 1}
    drawn = (project.folder / FIGURE).read_text(encoding="utf-8")
    assert "creditcard.csv" in drawn
    assert "simulated" not in drawn
    (data,) = pd.read_csv(project.folder / DATA).itertuples()
    assert (data.simulated, data.n_rows, data.n_frauds) == (False, N_ROWS, N_FRAUDS)

    # A new file with an older time is read, too.
    transactions.head(N_ROWS - 1).to_csv(path, index=False)
    os.utime(path, (1, 1))
    assert project.would_run(TABLE, FIGURE, settings=from_file(path.name)) == outcome.jobs


KAGGLE = {"fraud": {"source": "kaggle"}}


def test_a_download_that_fails_stops_the_run_and_the_next_run_succeeds(project, transactions):
    """`tests/reproduction/fraud/test_fraud_download.py` has the other faults."""
    published, code = project.folder / "published.csv", project.folder / "src"
    transactions.to_csv(published, index=False)
    module = code / "reproduction/fraud/download.py"
    module.write_text(module.read_text("utf-8").replace(_SHA256, sha256_of(published)), "utf-8")
    fake_pip.that_fails(code, "ERROR: No matching distribution found")
    targets = ("results/smoke/tables/prior_illustration.csv", TABLE)
    failed = project.run(*targets, settings=KAGGLE, cores=1)
    assert failed.code != 0
    assert failed.jobs == {"fraud_predictions": 1}
    assert "or run with --configfile config/offline.yaml, which simulates" in failed.output
    assert "No matching distribution" not in failed.output
    assert "Traceback" not in failed.output
    assert not project.contents()
    assert not project.contents("resources/**/*")

    fake_pip.that_brings(code, published)
    project.run(*targets, settings=KAGGLE).succeeded()
    assert pd.read_csv(project.folder / DATA)["source"].tolist() == ["kaggle"]
    assert not project.would_run(*targets, settings=KAGGLE)
    project.run(*targets, "--delete-all-output", settings=KAGGLE).succeeded()
    assert project.contents("resources/*.csv") == {
        "resources/creditcard.csv": published.read_bytes()
    }
