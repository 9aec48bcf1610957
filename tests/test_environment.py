"""The lists of packages agree: pyproject.toml, constraints.txt, environment.yml."""

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ENVIRONMENT = "environment.yml"
EXECUTES_NOTEBOOKS = ROOT / "workflow/scripts/execute_notebook.py"  # in the environment of people
LIBRARY = ROOT / "src/calibrated_metrics"
READS_TABLES = {*LIBRARY.glob("engines/*.py"), LIBRARY / "tables.py"}  # of databases, not of jobs


def _normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def _names(requirements):
    names = {_normalised(re.match(r"[\w.-]+", requirement)[0]) for requirement in requirements}
    return names - {_normalised(PROJECT["name"])}  # an extra may include other extras


def _needed_by(*extras):
    """Packages of the library and of extras, with the extras that these include."""
    requirements = list(PROJECT["dependencies"])
    pending = list(extras)
    while pending:
        added = PROJECT["optional-dependencies"][pending.pop()]
        requirements += added
        for requirement in added:
            included = re.match(rf"{PROJECT['name']}\[(.*)\]", requirement)
            pending += included[1].split(",") if included else []
    return _names(requirements)


def _pinned_in(text):
    """Version of each package of a constraints file or a pip section."""
    pins = dict(re.findall(r"^[ -]*([\w.-]+)(?:\[\w+\])?==(\S+)$", text, re.MULTILINE))
    return {_normalised(name): version for name, version in pins.items()}


CONSTRAINTS = _pinned_in((ROOT / "constraints.txt").read_text())


def _at_the_constraints(names):
    return {name: CONSTRAINTS[name] for name in names}


def _code_of_jobs():
    """Code of the library, the reproduction and the scripts, without notebooks and databases."""
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("workflow/scripts/*.py")]:
        if path != EXECUTES_NOTEBOOKS and path not in READS_TABLES:
            yield path.read_text(encoding="utf-8")


def _code_of_notebooks():
    yield EXECUTES_NOTEBOOKS.read_text(encoding="utf-8")
    for path in ROOT.glob("notebooks/*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                yield "".join(cell["source"])


def _imported_by(codes):
    """Packages that pieces of code import, without the standard library and the project."""
    roots = set()
    for code in codes:
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                roots |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                roots.add(node.module.partition(".")[0])
    roots -= {*sys.stdlib_module_names, "calibrated_metrics", "reproduction"}
    distributions = packages_distributions()
    return {_normalised(distributions.get(root, [root])[0]) for root in roots}


def test_all_declared_packages_are_pinned():
    assert _needed_by(*PROJECT["optional-dependencies"]) <= CONSTRAINTS.keys()


def test_the_environment_holds_all_declared_packages():
    declared = _needed_by(*PROJECT["optional-dependencies"])
    assert _pinned_in((ROOT / ENVIRONMENT).read_text()) == _at_the_constraints(declared)


def test_the_environment_has_the_pinned_versions_of_what_its_packages_need():
    (of_pip,) = [
        entry["pip"]
        for entry in yaml.safe_load((ROOT / ENVIRONMENT).read_text())["dependencies"]
        if isinstance(entry, dict)
    ]
    assert "-c constraints.txt" in of_pip


def _installed_requirements(names):
    """Names of the packages, and of all that they need here; one that is missing needs nothing."""
    found, pending = set(), [(name, "") for name in names]
    while pending:
        name, extra = pending.pop()
        if (name, extra) in found:
            continue
        found.add((name, extra))
        try:
            lines = requires(name) or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, lines):
            if not requirement.marker or requirement.marker.evaluate({"extra": extra}):
                extras = {"", *requirement.extras}
                pending += [(_normalised(requirement.name), each) for each in extras]
    return {name for name, _ in found}


def test_what_the_declared_packages_need_is_pinned():
    declared = _needed_by(*PROJECT["optional-dependencies"])
    assert _installed_requirements(declared) - CONSTRAINTS.keys() == set()


def test_the_reproduction_needs_the_packages_of_its_jobs_and_snakemake():
    of_pandas = {"pyarrow"}  # for parquet files
    imported = _imported_by(_code_of_jobs())
    assert _needed_by("reproduction", "kaggle") == imported | of_pandas | {"snakemake"}


def test_the_notebooks_import_packages_of_their_extra():
    assert _imported_by(_code_of_notebooks()) <= _needed_by("notebooks")
