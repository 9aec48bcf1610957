"""Fingerprints of code, so that a pipeline reruns exactly what an edit concerns."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

__all__ = ["code_hash", "plugins_hash", "script_hash"]

_PACKAGE = __name__.partition(".")[0]
_ROOT = Path(__file__).parent
_NO_RESULT = ("joblog", "settings")


def code_hash(*modules: str) -> str:
    """Hash of modules of this package and of all modules of it that they import.

    Comments, docstrings and layout do not count: they change no result. Nor do the modules of
    settings and of logging: settings reach a job as parameters.

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
            waiting.extend(inner for inner in _read(module)[1] if inner not in _NO_RESULT)
    digest = hashlib.sha256()
    for module in sorted(found):
        digest.update(f"{module}:{_read(module)[0]};".encode())
    return digest.hexdigest()[:16]


def script_hash(script: str | Path) -> str:
    """`code_hash` of the modules that a workflow script imports.

    The script itself is Snakemake's to watch.
    """
    tree = ast.parse(Path(script).read_text(encoding="utf-8"))
    return code_hash(*(module for module in _imports(tree, "") if module not in _NO_RESULT))


def plugins_hash(paths) -> str:
    """Hash of users' files with scores, and of the modules of this package that they import."""
    digest = hashlib.sha256()
    for path in paths:
        source = Path(path).read_bytes()
        digest.update(hashlib.sha256(source).digest())
        digest.update(code_hash(*_imports(ast.parse(source), "")).encode())
    return digest.hexdigest()[:16]


@cache
def _read(module: str) -> tuple[str, tuple[str, ...]]:
    """Fingerprint of one module, and the modules of this package that it imports."""
    path = _path(module)
    if path is None:
        raise ValueError(f"no module {module!r} in {_PACKAGE}")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    imported = tuple(_imports(tree, package))
    return hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest(), imported


def _path(module: str) -> Path | None:
    base = _ROOT.joinpath(*filter(None, module.split(".")))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def _imports(tree: ast.Module, package: str):
    """Modules of this package that a module of `package` imports, relative to the root."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from filter(None, (_within(alias.name) for alias in node.names))
        elif isinstance(node, ast.ImportFrom):
            base = _within(node.module or "") if node.level == 0 else _up(package, node)
            if base is None:
                continue
            for alias in node.names:
                inner = f"{base}.{alias.name}".lstrip(".")
                yield inner if _path(inner) else base


def _within(module: str) -> str | None:
    """Name relative to this package, None outside it."""
    package, _, inner = module.partition(".")
    return inner if package == _PACKAGE else None


def _up(package: str, node: ast.ImportFrom) -> str:
    kept = package.split(".")[: len(package.split(".")) - node.level + 1] if package else []
    return ".".join(filter(None, [*kept, node.module]))


def _without_docstrings(tree: ast.Module) -> ast.Module:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree
