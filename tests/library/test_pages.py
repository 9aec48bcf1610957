"""The examples of the documentation and the README give the results that they show.

Sphinx runs the code cells of pages (``{code-cell}``), and `tests/workflow` follows the pages with
files: extending.md, one-figure.md and running.md. All other Python code is run here.
"""

import doctest
import re
from pathlib import Path

import pytest
import skore  # noqa: F401  # pages need all packages

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FOLLOWED = ("extending.md", "one-figure.md", "running.md")
PAGES = sorted(
    str(path.relative_to(DOCS))
    for path in DOCS.rglob("*.md")
    if path.name not in FOLLOWED and BLOCK.search(path.read_text("utf-8"))
)


def run_examples(code, name):
    example = doctest.DocTestParser().get_doctest(code, {"__name__": __name__}, name, name, 0)
    assert example.examples
    printed = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=printed.append)
    assert not printed, "".join(printed)


def blocks_of(page):
    return BLOCK.findall((DOCS / page).read_text("utf-8"))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_run(page, own_registry):
    run_examples("\n".join(blocks_of(page)), page)


def test_the_examples_of_the_readme_run():
    text = DOCS.parent.joinpath("README.md").read_text("utf-8")
    blocks = [block for block in BLOCK.findall(text) if block.startswith(">>> ")]
    assert len(blocks) == 1
    run_examples("\n".join(blocks), "README.md")


def test_the_pages_are_found_and_every_block_has_examples():
    assert {"how-to/audit.md", "how-to/own-metric.md", "index.md"} <= set(PAGES)
    for page in PAGES:
        assert all(block.startswith(">>> ") for block in blocks_of(page)), page
