"""The source distribution, and the wheel built from it, installed beside NumPy and SciPy alone."""

import json
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest

import calibrated_metrics

ROOT = Path(__file__).parents[1]

OF_THE_PROJECT = ("CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "pyproject.toml")


def _run(*command, **options):
    command = list(map(str, command))
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """Folder of the source distribution and of the wheel, built from files without a repository."""
    project = tmp_path_factory.mktemp("project")
    for path in filter(Path.is_file, ROOT.iterdir()):
        shutil.copy2(path, project)
    ignored = shutil.ignore_patterns("*.egg-info", "__pycache__", "_build")
    for name in ("docs", "src", "tests"):
        shutil.copytree(ROOT / name, project / name, ignore=ignored)
    _run(sys.executable, "-m", "build", "--no-isolation", project)
    return project / "dist"


@pytest.fixture(scope="module")
def wheel(distributions):
    (built,) = distributions.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Python of an environment into which pip has installed the wheel, without network.

    NumPy and SciPy are those of this environment. Any other dependency would fail to install.
    """
    folder = tmp_path_factory.mktemp("environment")
    _run(sys.executable, "-m", "venv", "--without-pip", folder)
    site_packages = Path(
        sysconfig.get_path("purelib", "venv", vars={"base": folder, "platbase": folder})
    )
    for name in ("numpy", "scipy"):
        package = distribution(name)
        for part in {file.parts[0] for file in package.files} - {"..", "__pycache__"}:
            (site_packages / part).symlink_to(package.locate_file(part))
    python = folder / "bin" / "python"
    _run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", wheel)
    return python


def test_the_source_distribution_holds_the_library_and_what_its_tests_read(distributions):
    name = f"calibrated_metrics-{calibrated_metrics.__version__}"
    with tarfile.open(distributions / f"{name}.tar.gz") as content:
        names = {path.removeprefix(f"{name}/") for path in content.getnames()}
    expected = {
        path
        for pattern in ("src/calibrated_metrics/**/*.py", "tests/library/**/*.py", "docs/**/*.md")
        for path in ROOT.glob(pattern)
    }
    expected |= {ROOT / "tests/conftest.py", *map(ROOT.joinpath, OF_THE_PROJECT)}
    assert {str(path.relative_to(ROOT)) for path in expected} <= names
    others = [each for each in names if each.startswith(("src/reproduction", "tests/reproduction"))]
    assert not others


def test_the_wheel_holds_the_library_and_nothing_else(wheel):
    with ZipFile(wheel) as content:
        names = set(content.namelist())
    source = ROOT / "src"
    modules = {str(path.relative_to(source)) for path in source.glob("calibrated_metrics/**/*.py")}
    library = {name for name in names if ".dist-info/" not in name}
    assert library == modules | {"calibrated_metrics/py.typed"}


def test_the_library_needs_numpy_and_scipy_only(installed):
    listed = _run(sys.executable, "-m", "pip", "--python", installed, "list", "--format", "json")
    names = {package["name"] for package in json.loads(listed)}
    assert names == {"calibrated-metrics", "numpy", "scipy"}


IMPORT_EVERY_MODULE = """
import importlib, pkgutil, calibrated_metrics
for module in pkgutil.walk_packages(calibrated_metrics.__path__, "calibrated_metrics."):
    if module.name != "calibrated_metrics.classifiers":  # needs scikit-learn
        print(importlib.import_module(module.name).__file__)
"""


def test_all_modules_are_imported_beside_numpy_and_scipy_alone(installed, tmp_path):
    """`.ci/versions library` runs the examples of their docstrings in such an environment."""
    files = _run(installed, "-I", "-c", IMPORT_EVERY_MODULE, cwd=tmp_path).splitlines()
    assert len(files) > 50
    assert all(Path(file).is_relative_to(installed.parents[1]) for file in files)
