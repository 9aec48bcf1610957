"""Hashes of code, so that an edit reruns exactly the jobs that use the edited code."""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import grimp

from calibrated_metrics._hints import nearest

_PROJECT = ("calibrated_metrics", "reproduction")

_JOB = "reproduction.core.job"  # the module that calls the function


def of_function(function: str) -> str:
    """Hash of the module of a function, and of all modules of the project that it imports."""
    module, _, name = function.rpartition(".")
    if module not in _graph().modules:
        raise SystemExit(f"{function}: no module {module}{nearest(module, _graph().modules)}")
    body = ast.parse(_file(module).read_bytes()).body
    defined = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    if name not in defined:
        raise SystemExit(f"{function}: {module} defines no function {name}{nearest(name, defined)}")
    return of_modules(module, _JOB)


def of_modules(*modules: str) -> str:
    """Hash of modules and of all modules of the project that they import.

    Comments, docstrings and layout do not change the hash. A package that re-exports names depends
    on all its modules, so import a name from the module that defines it.
    """
    found = set(modules).union(*map(_graph().find_upstream_modules, modules))
    return _digest(f"{module} {_hash(_file(module))}" for module in sorted(found))


def of_files(paths: Iterable[str | Path]) -> str:
    """Hash of Python files of users, without the modules that they import."""
    return _digest(_hash(Path(path)) for path in paths)


@cache
def _graph() -> grimp.ImportGraph:
    graph = grimp.build_graph(*_PROJECT, cache_dir=None, exclude_type_checking_imports=True)
    # The style only affects figures, and each module that draws one imports it directly.
    for module in ("io", "job"):
        importer = f"reproduction.core.{module}"
        graph.remove_import(importer=importer, imported="reproduction.core.look")
    return graph


@cache
def _hash(path: Path) -> str:
    tree = ast.parse(path.read_bytes())
    _drop_docstrings(tree)
    return _digest([ast.dump(tree)])


def _drop_docstrings(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        del node.body[0]
    for each in node.body:  # a walk over all nodes takes as long as the parser
        if isinstance(each, ast.ClassDef | ast.FunctionDef):
            _drop_docstrings(each)


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def _file(module: str) -> Path:
    package, *rest = module.split(".")
    base = Path(find_spec(package).origin).parent.joinpath(*rest)
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
