"""The pages of docs: their examples give the results that they show."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks_of(page):
    return re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.DOTALL | re.M)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("page", ["four-uses.md", "scikit-learn.md"])
def test_the_examples_run(page, own_registry):
    blocks = blocks_of(page)
    assert len(blocks) == 5
    names = {"__name__": __name__}
    example = doctest.DocTestParser().get_doctest("".join(blocks), names, page, page, 0)
    printed = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=printed.append)
    assert not printed, "".join(printed)


def test_each_of_the_four_uses_has_at_most_15_lines():
    _data, *uses = blocks_of("four-uses.md")
    lines = [sum(line.startswith((">>>", "...")) for line in use.splitlines()) for use in uses]
    assert len(lines) == 4
    assert max(lines) <= 15
