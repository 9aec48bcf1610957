"""The three lists of packages say the same: pyproject.toml, constraints.txt, environment.yml."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def _normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def _constraints():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    return {_normalised(name): version for name, version in (pin.split("==") for pin in pins)}


def _declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    requirements = [requirement for group in groups for requirement in group]
    return {_normalised(re.match(r"[\w.-]+", requirement)[0]) for requirement in requirements}


def _environment():
    packages = {}
    for entry in yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]:
        for pin in entry["pip"] if isinstance(entry, dict) else [entry]:
            name, version = re.split("==?", pin)
            packages[_normalised(name)] = version
    return packages


def test_every_declared_package_is_pinned():
    assert _declared() <= _constraints().keys()


def test_environment_names_the_declared_packages():
    assert _environment().keys() - {"python", "pip"} == _declared()


def test_environment_and_constraints_agree():
    pins = _constraints()
    environment = {
        name: version for name, version in _environment().items() if name not in {"python", "pip"}
    }
    assert environment == {name: pins[name] for name in environment}


def test_environment_python_is_allowed():
    allowed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert allowed == ">=3.11"
    assert tuple(map(int, _environment()["python"].split("."))) >= (3, 11)
