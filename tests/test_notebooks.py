"""Notebooks are short, stored without output, and link to files that exist.

`tests/workflow/test_notebook_target.py` executes them.
"""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}


def _cells(name, cell_type):
    cells = json.loads(NOTEBOOKS[name].read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == cell_type]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_has_no_output(name):
    for cell in _cells(name, "code"):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_each_use_has_at_most_15_lines(name):
    for cell in _cells(name, "code"):
        lines = "".join(cell["source"]).splitlines()
        assert sum(bool(line.strip()) for line in lines) <= 15


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_lead_to_files(name):
    text = "\n".join("".join(cell["source"]) for cell in _cells(name, "markdown"))
    for target in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (ROOT / "notebooks" / target).is_file()


def test_there_is_a_notebook_for_each_use():
    assert list(NOTEBOOKS) == [
        *("agreement", "deployment", "extending", "monitoring", "published-numbers"),
        "two-populations",
    ]
