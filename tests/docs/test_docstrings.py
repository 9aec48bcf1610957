"""Docstrings of the public functions have the sections of numpydoc that readers expect."""

import doctest
import importlib
import inspect
import itertools
import pkgutil

import pytest
from numpydoc.validate import validate

import calibrated_metrics

MODULES = [
    importlib.import_module(f"calibrated_metrics.{module.name}")
    for module in pkgutil.iter_modules(calibrated_metrics.__path__)
    if module.name in calibrated_metrics.__all__
]
FUNCTIONS = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}


def sections_of(function):
    lines = inspect.getdoc(function).splitlines()
    underlined = itertools.pairwise(lines)
    return [line for line, under in underlined if under and set(under) == {"-"}]


def test_functions_state_their_result_and_have_an_example():
    assert len(FUNCTIONS) > 80
    for name, function in FUNCTIONS.items():
        sections = sections_of(function)
        assert {"Examples", "Returns"} <= set(sections), name
        assert len(sections) == len(set(sections)), name


def test_functions_of_labels_and_scores_document_their_parameters_in_order():
    of_labels = [name for name in FUNCTIONS if name.startswith("calibrated_metrics.functions.")]
    assert len(of_labels) > 20
    for name in of_labels:
        found = {code for code, _ in validate(name)["errors"]}
        assert not found & {"PR01", "PR02", "PR03"}, name


def examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = pkgutil.walk_packages(calibrated_metrics.__path__, "calibrated_metrics.")
    for module in map(importlib.import_module, [each.name for each in modules]):
        for found in finder.find(module, globs={}):
            if found.examples:
                yield pytest.param(found, id=found.name)


@pytest.mark.parametrize("example", list(examples()))
def test_examples_run_when_copied(example):
    """Run examples without the names of the module, which doctest would provide by default."""
    printed = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=printed.append)
    assert not printed, "".join(printed)
