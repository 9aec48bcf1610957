"""Plug-ins: Python files of users that register scores."""

from __future__ import annotations

import importlib.util
import sys
import zlib
from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

__all__ = ["PluginError", "load_plugins"]


class PluginError(Exception):
    """A plug-in could not be run."""


def load_plugins(paths: Iterable[str | Path]) -> None:
    """Run plug-ins. If a plug-in is run again, its new scores replace its old ones.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    PluginError
        If a file raises an error, which is the cause of this one.
    """
    for path in map(Path, paths):
        if not path.is_file():
            raise FileNotFoundError(f"no such file: {str(path)!r}")
        # Files of the same name in two folders are different modules.
        path_hash = zlib.crc32(str(path.resolve()).encode())
        module_name = f"calibrated_metrics_plugin_{path.stem}_{path_hash:08x}"
        loader = _Uncached(module_name, str(path))
        spec = importlib.util.spec_from_file_location(module_name, path, loader=loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            raise PluginError(f"{path}: {type(error).__name__}: {error}") from error


class _Uncached(SourceFileLoader):
    """Compile the file each time: cached bytecode would hide an edit within the same second."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)
