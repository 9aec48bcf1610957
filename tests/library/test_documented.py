"""Each public function, method and class documents its parameters."""

import inspect
import re

import pytest
from test_signatures import functions_of

import calibrated_metrics

numpydoc = pytest.importorskip("numpydoc.docscrape")
pytest.importorskip("sklearn")

# Through these, functions such as `interval` reach labels with errors; users call the functions.
UNDOCUMENTED = {
    "LabelsWithErrors",
    "LabelsWithErrors.check_both_labels",
    "LabelsWithErrors.difference",
    "LabelsWithErrors.interval",
    "LabelsWithErrors.supports",
}


def callables_of(module):
    for name in module.__all__:
        found = getattr(module, name)
        if inspect.ismodule(found):
            yield from callables_of(found)
        elif inspect.isclass(found) and not issubclass(found, Exception):
            yield name, found
    yield from functions_of(module)


def documented_in(found) -> set[str]:
    """Names with an entry in a docstring, or in backticks in that of a class of results."""
    text = inspect.getdoc(found) or ""
    sections = numpydoc.NumpyDocString(text)
    entries = [*sections["Parameters"], *sections["Attributes"]]
    names = {
        name.strip().lstrip("*")
        for entry in entries
        for name in (entry.name or entry.type).split(",")
    }
    if inspect.isclass(found) and not sections["Parameters"]:
        names |= set(re.findall(r"`(\w+)`", text))
        names = names.union(*(documented_in(base) for base in found.__bases__))
    return names


def test_each_parameter_is_documented():
    from calibrated_metrics import classifiers

    missing = {}
    for name, found in (*callables_of(calibrated_metrics), *callables_of(classifiers)):
        parameters = {each for each in inspect.signature(found).parameters if each[0] != "_"}
        unknown = parameters - {"self", "args", "kwargs"} - documented_in(found)
        if unknown:
            missing[name] = unknown
    assert set(missing) == UNDOCUMENTED, missing
