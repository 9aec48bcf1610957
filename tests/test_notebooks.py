"""Notebooks run from the first cell to the last, and are stored without output."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def _code_cells(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.switch_backend("agg")
    namespace = {}
    for cell in _code_cells(path):
        exec("".join(cell["source"]), namespace)
    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_has_no_output(path):
    for cell in _code_cells(path):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


def test_there_are_notebooks():
    assert NOTEBOOKS
