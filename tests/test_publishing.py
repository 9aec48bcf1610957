"""What others read before they use the project: citation, changelog, issue forms and workflows."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FORMS = [
    path for path in sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yml")) if path.stem != "config"
]


def read(path):
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def steps_of(workflow):
    jobs = read(f".github/workflows/{workflow}.yml")["jobs"]
    return {name: job["steps"] for name, job in jobs.items()}


def commands_of(steps):
    return [step["run"].strip() for step in steps if "run" in step]


def test_the_citation_agrees_with_the_project():
    citation = read("CITATION.cff")
    assert citation["title"] == PROJECT["name"]
    assert citation["keywords"] == PROJECT["keywords"]
    assert citation["license"] == PROJECT["license"]
    assert "version" not in citation  # `calibrated_metrics.__version__` is the only place
    assert [each["doi"] for each in citation["references"]] == ["10.1007/978-3-030-44584-3_36"]


def test_the_changelog_has_the_form_of_keep_a_changelog():
    headings = re.findall(r"^#+ .*", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[:2] == ["# Changelog", "## [Unreleased]"]
    for heading in headings[2:]:
        assert re.fullmatch(
            r"## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d"
            r"|### (Added|Changed|Deprecated|Removed|Fixed|Security)",
            heading,
        )


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_an_issue_needs_a_minimal_example(path):
    fields = {field["attributes"]["label"]: field for field in read(path)["body"]}
    assert fields["Minimal example"]["validations"]["required"]


def test_there_are_issue_forms():
    assert len(FORMS) == 3


def test_ci_runs_the_script_of_the_project():
    assert commands_of(steps_of("ci")["ci"]) == [".ci/run"]


def test_only_a_checked_package_is_published():
    steps = steps_of("publish")
    commands = commands_of(steps["build"])
    assert commands[1:3] == ["python -m build", "twine check --strict dist/*"]
    publish = read(".github/workflows/publish.yml")["jobs"]["publish"]
    assert publish["needs"] == "build"
    assert publish["permissions"] == {"id-token": "write"}  # no token is stored
