"""Hashes of code, so that the pipeline reruns exactly the jobs that an edit affects."""

from __future__ import annotations

import ast
import atexit
import hashlib
import json
import platform
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["code_hash", "notebook_hash", "plugins_hash", "remember"]

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
        digest.update(code_hash(*_imported(_outline(source), "")).encode())
    return digest.hexdigest()[:16]


def notebook_hash(path) -> str:
    """Return a hash of the project modules that the code cells of a notebook import."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    codes = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return code_hash(*_imported(_outline("\n".join(codes).encode()), ""))


def remember(path: str | Path) -> None:
    """Keep in a file what was found in sources, so that a later process need not parse them again.

    A source is recognised by its SHA-256. The file is read at once, and written when the process
    ends, if there were other sources. It needs no temporary name: a file that was cut is not used.

    Parameters
    ----------
    path : path
        A JSON file. If it is missing, damaged, or of another version of Python or of this module,
        all sources are parsed.
    """
    path = Path(path).absolute()
    maker = f"{platform.python_version()} {hashlib.sha256(Path(__file__).read_bytes()).hexdigest()}"
    with suppress(OSError, ValueError, TypeError, KeyError):
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["maker"] == maker:
            _REMEMBERED.update(content["outlines"])

    @atexit.register
    def write():
        if _OUTLINES.keys() - _REMEMBERED.keys():
            with suppress(OSError):
                path.write_text(json.dumps({"maker": maker, "outlines": _OUTLINES}))


class _Outline(NamedTuple):
    """What counts of a source.

    code: hash of its code, without comments and docstrings. imports: level, module and names of
    each import, without names for `import module`.
    """

    code: str
    imports: list[tuple[int, str, list[str]]]


# Both by the SHA-256 of the source.
_REMEMBERED: dict[str, list] = {}
_OUTLINES: dict[str, _Outline] = {}


def _outline(source: bytes) -> _Outline:
    name = hashlib.sha256(source).hexdigest()
    if name not in _OUTLINES:
        known = _REMEMBERED.get(name)
        _OUTLINES[name] = _Outline(*known) if known else _parsed(source)
    return _OUTLINES[name]


def _parsed(source: bytes) -> _Outline:
    tree = ast.parse(source)
    imports = list(_imports(tree))
    return _Outline(
        hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest(), imports
    )


def _imports(tree: ast.Module) -> Iterator[tuple[int, str, list[str]]]:
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or "", [alias.name for alias in node.names]


@cache
def _read(module: str) -> tuple[str, tuple[str, ...]]:
    """Return the hash of one module, and the project modules that it imports."""
    path = _path(module)
    if path is None:
        raise ValueError(f"no module {module!r} in the packages {', '.join(_PACKAGES)}")
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    outline = _outline(path.read_bytes())
    return outline.code, tuple(_imported(outline, package))


def _path(module: str) -> Path | None:
    """Return the file of a project module, None for any other module."""
    if module.partition(".")[0] not in _PACKAGES:
        return None
    base = _ROOT.joinpath(*module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def _imported(outline: _Outline, package: str) -> Iterator[str]:
    """Yield the project modules that a module of `package` imports."""
    for level, base, names in outline.imports:
        if level:
            above = package.split(".")[: len(package.split(".")) - level + 1]
            base = ".".join([*above, *filter(None, [base])])
        if not names and _path(base):
            yield base
        for name in names:
            imported = next(filter(_path, (f"{base}.{name}", base)), None)
            if imported:
                yield _module_of(name, imported)


def _module_of(name: str, module: str) -> str:
    """Return the module from which a package imports a name; any other module as it is."""
    path = _path(module)
    if path.stem == "__init__":
        for _level, base, names in _outline(path.read_bytes()).imports:
            if name in names:
                return base
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
