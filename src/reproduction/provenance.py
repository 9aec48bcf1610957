"""Hashes of code, so that the pipeline reruns exactly the jobs that an edit affects."""

from __future__ import annotations

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

__all__ = ["code_hash", "notebook_hash", "plugins_hash"]

_ROOT = Path(__file__).parents[1]
_PACKAGES = ("calibrated_metrics", "reproduction")
_PARTS_WITH_STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases")
_NO_RESULT = ("reproduction.joblog", "reproduction.settings")


def code_hash(*modules: str) -> str:
    """Return a hash of modules of the project and of all project modules that they import.

    Comments, docstrings and layout are ignored because they do not change results. The modules
    `settings` and `joblog` are ignored too: a job receives its settings as parameters.

    Parameters
    ----------
    *modules : str
        Dotted names, such as ``"reproduction.experiments.pi_sweep"``.

    Raises
    ------
    ValueError
        If a module does not exist.
    """
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(inner for inner in _read(module)[1] if inner not in _NO_RESULT)
    digest = hashlib.sha256()
    for module in sorted(found):
        digest.update(f"{module}:{_read(module)[0]};".encode())
    return digest.hexdigest()[:16]


def plugins_hash(paths) -> str:
    """Return a hash of plugin files and of the project modules that they import."""
    digest = hashlib.sha256()
    for path in paths:
        source = Path(path).read_bytes()
        digest.update(hashlib.sha256(source).digest())
        digest.update(code_hash(*_imports(ast.parse(source), "")).encode())
    return digest.hexdigest()[:16]


def notebook_hash(path) -> str:
    """Return a hash of the project modules that the code cells of a notebook import."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    codes = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return code_hash(*_imports(ast.parse("\n".join(codes)), ""))


@cache
def _read(module: str) -> tuple[str, tuple[str, ...]]:
    """Return the hash of one module, and the project modules that it imports."""
    path = _path(module)
    if path is None:
        raise ValueError(f"no module {module!r} in the packages {', '.join(_PACKAGES)}")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    imported = tuple(_imports(tree, package))
    return hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest(), imported


def _path(module: str) -> Path | None:
    """Return the file of a project module, None for any other module."""
    if module.partition(".")[0] not in _PACKAGES:
        return None
    base = _ROOT.joinpath(*module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def _imports(tree: ast.Module, package: str):
    """Yield the project modules that a module of `package` imports."""
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _path(alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                imported = next(filter(_path, (f"{base}.{alias.name}", base)), None)
                if imported:
                    yield _module_of(alias.name, imported)


def _module_of(name: str, module: str) -> str:
    """Return the module from which a package imports a name; any other module as it is."""
    path = _path(module)
    if path.stem == "__init__":
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and name in [alias.name for alias in node.names]:
                return node.module
    return module


def _statements(tree: ast.Module):
    """Yield a module, its statements at any depth, and their handlers, without expressions."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        for part in _PARTS_WITH_STATEMENTS:
            pending.extend(getattr(node, part, ()))


def _without_docstrings(tree: ast.Module) -> ast.Module:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in _statements(tree):
        if isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree
