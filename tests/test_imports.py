"""Imports go down only, and the library stays free of what it does not need."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import calibrated_metrics

SOURCE = Path(calibrated_metrics.__file__).parent
PACKAGE = "calibrated_metrics"

# What each module of the core may import of the package.
CORE = {
    "_checks": set(),
    "_sources": {"_checks"},
    "confusion": {"_checks", "_sources"},
    "scores": {"_checks", "confusion", "spaces"},
    "spaces": {"_checks", "confusion"},
    "metrics": {"_checks", "confusion", "scores", "spaces"},
    "dominance": {"confusion", "spaces"},
    "tuning": {"confusion"},
    "label_free": {"_checks", "_sources", "confusion", "metrics"},
    "registry": {"_checks", "confusion", "scores"},
    "undersampling": {"_checks", "confusion", "scores"},
}
PLOTTING = {"matplotlib", "seaborn"}


def _modules() -> dict[str, Path]:
    """Path by dotted name within the package; the package itself is ''."""
    modules = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        modules[".".join(part for part in parts if part != "__init__")] = path
    return modules


MODULES = _modules()


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
                here = [PACKAGE, *name.split(".")] if name else [PACKAGE]
                if path.name != "__init__.py":
                    here = here[:-1]
                anchor = here[: len(here) - node.level + 1]
                base = ".".join([*anchor, *filter(None, [base])])
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
    """Modules of the package that a module imports."""
    found = set()
    for imported in _imports(name):
        if imported == PACKAGE or imported.startswith(PACKAGE + "."):
            within = imported.removeprefix(PACKAGE).removeprefix(".")
            while within not in MODULES:  # a function or class: the module that holds it
                within = within.rpartition(".")[0]
            found.add(within)
    return found - {name}


def _external(name: str) -> set[str]:
    roots = {imported.partition(".")[0] for imported in _imports(name)}
    return roots - {PACKAGE} - set(sys.stdlib_module_names)


def _part(name: str) -> str:
    """The subpackage or module at the top of the package that a module belongs to."""
    return name.partition(".")[0]


def _in(*parts: str) -> list[str]:
    return [name for name in MODULES if _part(name) in parts]


def test_the_core_is_where_it_should_be():
    assert set(CORE) <= set(MODULES)


@pytest.mark.parametrize("name", CORE)
def test_imports_of_the_core_go_down_only(name):
    assert _internal(name) <= CORE[name]


@pytest.mark.parametrize("name", CORE)
def test_the_core_needs_numpy_and_scipy_only(name):
    assert _external(name) <= {"numpy", "scipy"}


def test_the_package_exports_the_core_only():
    assert _internal("") <= {*CORE, "displays"}


def test_nothing_imports_in_a_circle():
    graph = {name: _internal(name) - {""} for name in MODULES if name}
    tuple(graphlib.TopologicalSorter(graph).static_order())


def test_modules_do_not_import_the_whole_package():
    """That would tie them to everything it exports."""
    used_by = [name for name in MODULES if name and "" in _internal(name)]
    assert used_by == []


@pytest.mark.parametrize("name", MODULES)
def test_the_library_never_imports_snakemake(name):
    assert not {root for root in _external(name) if root.startswith("snakemake")}


def test_experiments_never_plot():
    for name in _in("experiments"):
        assert not _external(name) & PLOTTING, name
        assert not {_part(other) for other in _internal(name)} & {"figures", "displays"}, name


def test_figures_never_compute():
    """They know neither the experiments nor what the experiments use to fetch and fit."""
    for name in _in("figures"):
        assert "experiments" not in {_part(other) for other in _internal(name)}, name
        assert not _external(name) & {"sklearn", "requests"}, name


def test_only_figures_and_displays_plot():
    for name in MODULES:
        if _part(name) not in ("figures", "displays"):
            assert not _external(name) & PLOTTING, name


def test_data_knows_neither_experiments_nor_figures():
    for name in _in("data"):
        parts = {_part(other) for other in _internal(name)}
        assert not parts & {"experiments", "figures", "displays"}, name


def test_no_library_module_reaches_up():
    """What a user imports on its own knows no data, no experiment, no figure."""
    for name in _in(*CORE, "comparison", "uncertainty", "displays"):
        parts = {_part(other) for other in _internal(name)}
        assert not parts & {"data", "experiments", "figures", "config", "files", "settings"}, name


def test_only_data_talks_to_the_network():
    for name in MODULES:
        if _part(name) != "data":
            assert not _external(name) & {"requests", "httpx", "openml", "kagglehub"}, name
            assert not {i for i in _imports(name) if i.startswith("urllib.request")}, name


def test_importing_the_package_is_light():
    code = f"import sys, {PACKAGE}; print(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"matplotlib", "seaborn", "pandas", "sklearn", "snakemake", "requests", "pydantic"}
    assert not heavy & set(loaded)
    assert PACKAGE in loaded
