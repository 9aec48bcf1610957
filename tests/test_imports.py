"""Imports go down only: workflow, reproduction, library; the library needs NumPy and SciPy."""

import ast
import functools
import graphlib
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
LIBRARY, REPRODUCTION = "calibrated_metrics", "reproduction"

# A module imports only from rooms above its own, or from its own. A room is a module or package.
ROOMS = [
    *("_hints", "_messages", "_arguments", "_columns", "_numbers", "_labels"),
    *("_estimators", "_results", "binormal"),
    *("codes", "drawn", "rows", "confusion"),
    *("spaces", "scores", "baselines", "binomial", "functions", "scorers"),
    *("uncertainty", "label_errors", "thresholds", "engines", "comparison", "tables"),
    *("audit", "planning", "multiclass", "probabilities", "classifiers", "datasets"),
    *("label_free", "displays"),
]
# Packages that a module imports when they are needed.
OPTIONAL = {
    "_estimators": {"sklearn"},
    "_messages": {"tqdm"},
    "classifiers": {"sklearn"},
    "comparison.frames": {"pandas"},
    "comparison.report": {"pandas"},
    "datasets": {"pandas"},
    "displays.drawing": {"matplotlib"},
    "displays.prior_sweep": {"matplotlib"},
    "multiclass": {"pandas"},
    "scorers": {"sklearn"},
    "engines.counting": {"ibis"},
    "engines.reading": {"duckdb", "ibis", "pyarrow"},
}
PLOTTING = {"matplotlib", "seaborn"}


def _name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = {_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


@functools.cache
def _imports(name: str, at_once: bool = False) -> set[str]:
    """Absolute dotted names that a module imports anywhere, type-checking blocks aside.

    Those that it imports `at_once` are not in its functions.

    ``from a import b`` yields ``a.b``: b may be a module.
    """
    path = MODULES[name]
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in _outside_type_checking(tree, (ast.FunctionDef,) if at_once else ()):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
                base = ".".join([*here[: len(here) - node.level + 1], *filter(None, [base])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
    return found


def _outside_type_checking(tree, left_out):
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending.extend(node.orelse)
        elif not isinstance(node, left_out):
            pending.extend(ast.iter_child_nodes(node))


def _internal(name: str, at_once: bool = False) -> set[str]:
    """Modules of the project that a module imports."""
    found = set()
    for imported in _imports(name, at_once):
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


OF_LIBRARY = sorted(name.removeprefix(f"{LIBRARY}.") for name in _in(LIBRARY) if name != LIBRARY)


def test_every_room_of_the_library_has_its_place():
    assert {name.partition(".")[0] for name in OF_LIBRARY} == set(ROOMS)


def test_imports_of_the_library_go_down_only():
    for name in OF_LIBRARY:
        room = name.partition(".")[0]
        used = {each.split(".")[1] for each in _internal(f"{LIBRARY}.{name}")}
        assert used <= set(ROOMS[: ROOMS.index(room) + 1]), name


def test_no_room_uses_the_private_modules_of_another():
    for name in OF_LIBRARY:
        parts = (each.split(".")[1:] for each in _internal(f"{LIBRARY}.{name}"))
        private = {each[0] for each in parts if each[-1].startswith("_") and len(each) > 1}
        assert private <= {name.partition(".")[0]}, name


def test_the_library_needs_numpy_and_scipy_only():
    for name in OF_LIBRARY:
        allowed = {"numpy", "scipy"} | OPTIONAL.get(name, set())
        assert _external(f"{LIBRARY}.{name}") <= allowed, name


def test_nothing_imports_in_a_circle():
    graph = {name: _internal(name) for name in MODULES if name != LIBRARY}
    tuple(graphlib.TopologicalSorter(graph).static_order())


def test_modules_do_not_import_the_whole_library():
    """That would tie them to everything it exports."""
    assert [name for name in MODULES if LIBRARY in _internal(name)] == []


def test_source_never_imports_snakemake():
    for name in MODULES:
        assert not any(root.startswith("snakemake") for root in _external(name)), name


def test_only_figures_plot():
    for name in _in(REPRODUCTION):
        may_plot = name.endswith((".figure", ".matrices", ".panels", ".look"))
        assert may_plot or not _external(name) & PLOTTING, name


def test_figures_never_compute():
    """They must not import the packages that experiments use to download data and fit models."""
    for name in _in(REPRODUCTION):
        if name.endswith(".figure"):
            assert not _external(name) & {"sklearn", "requests"}, name


def test_the_core_knows_no_room():
    for name in _in(f"{REPRODUCTION}.core"):
        assert _parts_used(name) <= {"core"}, name


NETWORK = {"requests", "httpx", "openml", "kagglehub", "pooch"}


def test_only_readers_of_data_talk_to_the_network():
    readers = {*_in(f"{REPRODUCTION}.openml"), "reproduction.fraud.download"}
    for name in set(MODULES) - readers:
        assert not _external(name) & NETWORK, name
        assert not {i for i in _imports(name) if i.startswith("urllib.request")}, name


def test_only_jobs_of_openml_import_its_package():
    """It makes folders in HOME, and its import takes a second."""
    importers = [name for name in MODULES if "openml" in _external(name)]
    assert importers == ["reproduction.openml.client", "reproduction.openml.lists"]
    loading = {*importers}
    while more := {name for name in MODULES if _internal(name, at_once=True) & loading} - loading:
        loading |= more
    assert loading == {*importers, "reproduction.openml.fetch"}


def test_importing_the_library_loads_numpy_and_scipy_only():
    code = f"import sys, {LIBRARY}; print(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"matplotlib", "seaborn", "pandas", "sklearn", "snakemake", "requests", "pydantic"}
    assert not (heavy | {REPRODUCTION}) & set(loaded)
    assert LIBRARY in loaded
