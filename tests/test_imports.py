"""Imports go down only: workflow, reproduction, library; the library needs NumPy and SciPy."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
LIBRARY, REPRODUCTION = "calibrated_metrics", "reproduction"

# What each module of the library may import of the library.
CORE = {
    "_checks": set(),
    "_optional": set(),
    "_warnings": set(),
    "binormal": {"_checks"},
    "sample": {"_checks"},
    "confusion": {"confusion.curve", "confusion.matrix", "confusion.vertices"},
    "confusion.curve": {
        *("_checks", "binormal", "confusion.matrix", "confusion.vertices", "sample"),
    },
    "confusion.matrix": {"_checks", "sample"},
    "confusion.vertices": {"_checks", "sample"},
    "scores": {
        *("scores._undefined", "scores.areas", "scores.points", "scores.rates", "scores.summaries"),
    },
    "scores._undefined": {"_checks", "_warnings", "confusion"},
    "scores.areas": {"_checks", "confusion", "spaces"},
    "scores.points": {"_checks", "confusion", "scores.rates"},
    "scores.rates": {"_checks", "confusion", "scores._undefined"},
    "scores.summaries": {"_checks", "confusion", "scores._undefined"},
    "spaces": {"_checks", "confusion"},
    "metrics": {
        *("metrics.areas", "metrics.curves", "metrics.points", "metrics.rates"),
        *("metrics.summaries", "scores"),
    },
    "metrics._arguments": {"_checks", "_warnings", "confusion", "scores"},
    "metrics.areas": {"confusion", "metrics._arguments", "scores"},
    "metrics.curves": {"_checks", "confusion", "metrics._arguments", "spaces"},
    "metrics.points": {"confusion", "metrics._arguments", "scores"},
    "metrics.rates": {"confusion", "metrics._arguments", "scores"},
    "metrics.summaries": {"confusion", "metrics._arguments", "scores"},
    "dominance": {"_checks", "confusion", "spaces"},
    "_thresholds": set(),
    "_thresholds.certification": {"_checks", "confusion"},
    "_thresholds.priors": {"_checks", "_intervals.estimate"},
    "_thresholds.rates": {"_checks", "_thresholds.certification"},
    "_thresholds.goals": {
        *("_checks", "_thresholds.certification", "_thresholds.priors", "_thresholds.rates"),
        *("confusion", "scores"),
    },
    "thresholds": {
        *("_checks", "_thresholds.certification", "_thresholds.goals", "_thresholds.priors"),
        *("_thresholds.rates", "confusion"),
    },
    "probabilities": {"_checks", "_intervals.estimate"},
    "_label_free": set(),
    "_label_free.em": {"_checks"},
    "_label_free.histograms": {"_checks"},
    "_label_free.results": {"_intervals.estimate"},
    "_label_free.samples": {
        *("_checks", "_intervals.estimate", "_intervals.samples", "_label_free.em"),
        *("_label_free.histograms", "_label_free.results", "confusion"),
    },
    "_label_free.values": {"_checks", "_intervals.draws", "_warnings", "confusion", "scores"},
    "_label_free.from_probabilities": {
        *("_checks", "_intervals.asked", "_intervals.estimate", "_label_free.values"),
        *("confusion", "registry"),
    },
    "_label_free.under_label_shift": {
        *("_checks", "_intervals.asked", "_intervals.curves", "_intervals.estimate"),
        *("_intervals.limits", "_intervals.problems", "_intervals.results", "confusion"),
        *("_label_free.histograms", "_label_free.results", "_label_free.samples"),
        *("_label_free.values", "probabilities"),
    },
    "label_free": {
        *("_checks", "_intervals.asked", "_intervals.estimate", "_intervals.results"),
        *("_label_free.from_probabilities", "_label_free.results", "_label_free.samples"),
        *("_label_free.under_label_shift", "confusion", "registry"),
    },
    "registry": {"_checks", "confusion", "scores"},
    "scorers": {
        *("_checks", "_optional", "confusion", "metrics", "metrics._arguments", "registry"),
        "scores",
    },
    "_intervals": set(),
    "_intervals.limits": {"_checks"},
    "_intervals.estimate": {"_checks", "_intervals.limits", "confusion"},
    "_intervals.draws": {"_checks", "confusion"},
    "_intervals.influence": {"_checks", "confusion", "scores"},
    "_intervals.samples": {
        *("_checks", "_intervals.influence", "_intervals.limits", "confusion"),
    },
    "_intervals.bands": {"_checks", "_intervals.limits", "_intervals.samples", "spaces"},
    "_intervals.asked": {"_checks", "_intervals.limits", "confusion", "registry", "scores"},
    "_intervals.results": {
        *("_checks", "_intervals.asked", "_intervals.estimate", "_intervals.limits"),
        "_warnings",
    },
    "_intervals.curves": {
        *("_checks", "_intervals.asked", "_intervals.draws", "_intervals.influence"),
        *("_intervals.limits", "_intervals.results", "_intervals.samples", "confusion", "scores"),
        "_thresholds.certification",
    },
    "_intervals.matrices": {
        *("_checks", "_intervals.asked", "_intervals.limits", "_intervals.results"),
        *("_intervals.samples", "confusion", "scores._undefined"),
    },
    "_intervals.differences": {
        *("_checks", "_intervals.asked", "_intervals.limits", "_intervals.results"),
        "_intervals.samples",
    },
    "_intervals.problems": {
        *("_intervals.asked", "_intervals.curves", "_intervals.limits", "_intervals.matrices"),
        *("_intervals.results", "_intervals.samples", "confusion"),
    },
    "_intervals.changes": {
        *("_checks", "_intervals.asked", "_intervals.curves", "_intervals.estimate"),
        *("_intervals.limits", "_intervals.matrices", "_intervals.results"),
    },
    "uncertainty": {
        *("_checks", "_intervals.asked", "_intervals.differences", "_intervals.estimate"),
        *("_intervals.problems", "_intervals.results", "_intervals.samples", "confusion"),
    },
    "_comparison": set(),
    "_comparison.frames": set(),
    "_comparison.groups": {
        *("_checks", "_comparison.frames", "_intervals.asked", "_intervals.problems"),
        *("_intervals.results", "_intervals.samples", "confusion", "registry"),
    },
    "_comparison.changes": {
        *("_checks", "_comparison.groups", "_intervals.asked", "_intervals.changes"),
        *("_intervals.curves", "_intervals.estimate", "_intervals.matrices"),
        *("_intervals.problems", "_intervals.results", "_intervals.samples", "confusion"),
    },
    "displays": {
        *("displays._curves", "displays.achievable", "displays.change"),
        *("displays.precision_recall", "displays.precision_recall_gain"),
        *("displays.prior_sweep", "displays.threshold"),
    },
    "displays._axes": {"_checks", "_optional"},
    "displays._inputs": {
        *("_checks", "_intervals.asked", "_intervals.bands", "_intervals.estimate"),
        *("_intervals.problems", "_intervals.results", "_intervals.samples", "confusion"),
        "spaces",
    },
    "displays._rankings": {"displays._inputs"},
    "displays._curves": {
        *("_checks", "confusion", "displays._axes", "displays._inputs", "displays._rankings"),
    },
    "displays.achievable": {
        *("confusion", "displays._axes", "displays._inputs", "displays._rankings", "scores"),
        *("spaces", "thresholds"),
    },
    "displays._sweeps": {"_checks", "_intervals.asked", "confusion", "registry"},
    "displays._tables": {"_checks", "registry"},
    "displays.change": {
        *("_checks", "_comparison.changes", "_intervals.asked"),
        *("comparison", "displays._axes", "displays._tables", "uncertainty"),
    },
    "displays.precision_recall": {
        *("_checks", "confusion", "displays._axes", "displays._curves", "displays._inputs"),
        *("scores", "spaces"),
    },
    "displays.precision_recall_gain": {
        *("_checks", "confusion", "displays._axes", "displays._curves", "displays._inputs"),
        *("scores", "spaces"),
    },
    "displays.prior_sweep": {
        *("_checks", "_intervals.asked", "confusion", "displays._axes", "displays._inputs"),
        "displays._sweeps",
    },
    "displays.threshold": {
        *("_checks", "_intervals.asked", "_intervals.estimate", "_thresholds.priors", "confusion"),
        *("displays._axes", "displays._curves", "displays._inputs", "displays._rankings"),
        *("registry", "scores", "thresholds"),
    },
    "_tables": set(),
    "_tables.reading": {"_optional"},
    "_tables.rounding": {"_checks"},
    "_tables.counting": {
        *("_checks", "_tables.reading", "_tables.rounding", "confusion", "sample"),
    },
    "_tables.groups": {
        *("_checks", "_comparison.frames", "_comparison.groups", "_tables.counting"),
        *("_tables.reading", "_tables.rounding"),
    },
    "_tables.extremes": {"_checks", "_intervals.asked", "confusion", "sample", "scores"},
    "tables": {
        *("_comparison.groups", "_intervals.asked", "_tables.counting", "_tables.extremes"),
        *("_tables.groups", "_tables.rounding", "confusion"),
    },
    "comparison": {
        *("_checks", "_comparison.changes", "_comparison.groups", "_intervals.asked"),
        *("_intervals.results", "_tables.counting", "_tables.groups", "_tables.reading"),
    },
}
# Packages that a module imports when they are needed.
OPTIONAL = {
    "_tables.counting": {"ibis"},
    "_tables.reading": {"duckdb", "ibis"},
    "_tables.rounding": {"ibis"},
    "displays._axes": {"matplotlib"},
    "displays.prior_sweep": {"matplotlib"},
    "scorers": {"sklearn"},
}
PLOTTING = {"matplotlib", "seaborn"}


def _name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = {_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


def _imports(name: str) -> set[str]:
    """Absolute dotted names that a module imports anywhere, type-checking blocks aside.

    ``from a import b`` yields ``a.b``: b may be a module.
    """
    path = MODULES[name]
    found = set()
    for node in _outside_type_checking(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
                base = ".".join([*here[: len(here) - node.level + 1], *filter(None, [base])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
    return found


def _outside_type_checking(tree):
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending.extend(node.orelse)
        else:
            pending.extend(ast.iter_child_nodes(node))


def _internal(name: str) -> set[str]:
    """Modules of the project that a module imports."""
    found = set()
    for imported in _imports(name):
        if imported.partition(".")[0] in (LIBRARY, REPRODUCTION):
            while imported not in MODULES:  # a function or class: the module that holds it
                imported = imported.rpartition(".")[0]
            found.add(imported)
    return found - {name}


def _external(name: str) -> set[str]:
    roots = {imported.partition(".")[0] for imported in _imports(name)}
    return roots - {LIBRARY, REPRODUCTION} - set(sys.stdlib_module_names)


def _in(*packages: str) -> list[str]:
    return [name for name in MODULES if any(f"{name}.".startswith(f"{each}.") for each in packages)]


def _parts_used(name: str) -> set[str]:
    """Parts of the reproduction (its subpackages and modules) that a module imports."""
    within = (other.split(".") for other in _internal(name))
    return {parts[1] for parts in within if parts[0] == REPRODUCTION and len(parts) > 1}


def test_every_module_of_the_library_has_its_place():
    assert {name.removeprefix(f"{LIBRARY}.") for name in _in(LIBRARY)} - {LIBRARY} == set(CORE)


@pytest.mark.parametrize("name", CORE)
def test_imports_of_the_library_go_down_only(name):
    assert _internal(f"{LIBRARY}.{name}") <= {f"{LIBRARY}.{below}" for below in CORE[name]}


@pytest.mark.parametrize("name", CORE)
def test_the_library_needs_numpy_and_scipy_only(name):
    assert _external(f"{LIBRARY}.{name}") <= {"numpy", "scipy"} | OPTIONAL.get(name, set())


def test_nothing_imports_in_a_circle():
    graph = {name: _internal(name) for name in MODULES if name != LIBRARY}
    tuple(graphlib.TopologicalSorter(graph).static_order())


def test_modules_do_not_import_the_whole_library():
    """That would tie them to everything it exports."""
    assert [name for name in MODULES if LIBRARY in _internal(name)] == []


@pytest.mark.parametrize("name", MODULES)
def test_source_never_imports_snakemake(name):
    assert not {root for root in _external(name) if root.startswith("snakemake")}


def test_experiments_never_plot():
    for name in _in("reproduction.experiments"):
        assert not _external(name) & PLOTTING, name
        assert "figures" not in _parts_used(name), name


def test_figures_never_compute():
    """They know neither the experiments nor what the experiments use to fetch and fit."""
    for name in _in("reproduction.figures"):
        assert "experiments" not in _parts_used(name), name
        assert not _external(name) & {"sklearn", "requests"}, name


def test_only_figures_plot():
    for name in set(_in(REPRODUCTION)) - set(_in("reproduction.figures")):
        assert not _external(name) & PLOTTING, name


def test_data_knows_neither_experiments_nor_figures():
    for name in _in("reproduction.data"):
        assert not _parts_used(name) & {"experiments", "figures"}, name


def test_only_data_talks_to_the_network():
    for name in set(MODULES) - set(_in("reproduction.data")):
        assert not _external(name) & {"requests", "httpx", "openml", "kagglehub"}, name
        assert not {i for i in _imports(name) if i.startswith("urllib.request")}, name


def test_importing_the_library_loads_numpy_and_scipy_only():
    code = f"import sys, {LIBRARY}; print(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"matplotlib", "seaborn", "pandas", "sklearn", "snakemake", "requests", "pydantic"}
    assert not (heavy | {REPRODUCTION}) & set(loaded)
    assert LIBRARY in loaded
