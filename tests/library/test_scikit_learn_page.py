"""The page docs/scikit-learn.md: its examples give the results that it shows."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "scikit-learn.md"


@pytest.mark.filterwarnings("error")
def test_the_examples_run(own_registry):
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.M)
    assert len(blocks) == 5
    names = {"__name__": __name__}
    example = doctest.DocTestParser().get_doctest("".join(blocks), names, PAGE.name, str(PAGE), 0)
    printed = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=printed.append)
    assert not printed, "".join(printed)
