"""Fingerprints of code, so that a pipeline reruns exactly what an edit concerns."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

__all__ = ["code_hash", "files_hash"]

_PACKAGE = __name__.partition(".")[0]
_ROOT = Path(__file__).parent


def code_hash(*modules: str) -> str:
    """Hash of modules of this package and of all modules of it that they import.

    Comments, docstrings and layout do not count: they change no result.

    Parameters
    ----------
    *modules : str
        Names relative to the package, such as ``"experiments.pi_sweep"``.

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
            waiting.extend(_read(module)[1])
    digest = hashlib.sha256()
    for module in sorted(found):
        digest.update(f"{module}:{_read(module)[0]};".encode())
    return digest.hexdigest()[:16]


def files_hash(paths) -> str:
    """Hash of files' bytes, in the given order."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return digest.hexdigest()[:16]


@cache
def _read(module: str) -> tuple[str, tuple[str, ...]]:
    """Fingerprint of one module, and the modules of this package that it imports."""
    path = _path(module)
    if path is None:
        raise ValueError(f"no module {module!r} in {_PACKAGE}")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = tuple(_imports(tree))
    return hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest(), imported


def _path(module: str) -> Path | None:
    base = _ROOT.joinpath(*module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def _imports(tree: ast.Module):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            package, _, module = node.module.partition(".")
            if package != _PACKAGE:
                continue
            for alias in node.names:
                inner = f"{module}.{alias.name}".lstrip(".")
                yield inner if _path(inner) else module


def _without_docstrings(tree: ast.Module) -> ast.Module:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree
