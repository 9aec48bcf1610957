"""What others read before they use the project: citation, changelog, issue forms and workflows."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

import calibrated_metrics

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


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
    found = [each["doi"] for each in citation["references"]]
    method, data = "10.1007/978-3-030-44584-3_36", "10.1109/SSCI.2015.33"
    assert found == [method, data, "10.1109/ACII.2013.47"]


def rows_of(path):
    """Cells of the rows of all tables of a page, without heads."""
    lines = [line for line in (ROOT / path).read_text("utf-8").splitlines() if line[:1] == "|"]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row, after in zip(rows, [*rows[1:], [""]], strict=True)
            if not {row[0], after[0]} & {"---"}]  # fmt: skip


def test_what_is_missing_is_listed_in_one_place():
    rows = rows_of("publishing/PUBLISHING.md")
    missing = {name.strip("`") for name, *rest in rows if len(rest) == 1}
    kinds = (".cff", ".md", ".toml", ".yaml")
    folders = (
        "",
        ".github",
        *(f"publishing/{each}" for each in ("", "paper", "recipe", "rescience")),
    )
    files = [path for each in folders for path in (ROOT / each).iterdir() if path.suffix in kinds]
    marked = {str(path.relative_to(ROOT)) for path in files if "FILL IN" in path.read_text("utf-8")}
    assert missing == marked - {"CONTRIBUTING.md", "publishing/PUBLISHING.md"}


def test_each_line_of_the_checklists_is_done_or_for_a_person():
    lines = [row for row in rows_of("publishing/PUBLISHING.md") if len(row) == 3]
    assert len(lines) > 40
    assert {state for _, state, _ in lines} == {"done", "person"}
    for line, state, where in lines:
        places = re.findall(r"`(\S+/\S+|\S+\.\w+|tests|notebooks|LICENSE)`", where)
        assert places or state == "person", line
        assert all((ROOT / place).exists() or place == "publish.yml" for place in places), where


def test_the_page_of_the_package_has_no_link_to_a_file_of_the_repository():
    command = [sys.executable, "-m", "hatch_fancy_pypi_readme"]
    page = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "![" not in page
    assert "*Figure 4" not in page  # the caption of the picture
    targets = re.findall(r"\]\(([^)]*)\)", page)
    assert targets
    assert all(target.startswith(("https://", "#")) for target in targets)  # "#": on the page
    assert "CITATION.cff" in page


def test_the_recipe_agrees_with_the_project():
    recipe = read("publishing/recipe/recipe.yaml")
    assert recipe["context"]["version"] == calibrated_metrics.__version__
    assert recipe["context"]["name"] == PROJECT["name"]
    assert recipe["context"]["python_min"] == PROJECT["requires-python"].removeprefix(">=")
    host, run = (recipe["requirements"][each] for each in ("host", "run"))
    assert host[0] == "python ${{ python_min }}.*"
    assert run[0] == "python >=${{ python_min }}"
    assert [each.replace(" ", "") for each in run[1:]] == PROJECT["dependencies"]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    assert [each.replace(" ", "") for each in host[2:]] == build["requires"]
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["license_file"] == PROJECT["license-files"][0]


def test_the_changelog_describes_this_version():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    first = re.findall(r"^## \[(\d\S*)\] - ", text, re.MULTILINE)[0]
    assert first == calibrated_metrics.__version__
    cite = (ROOT / "docs/reference/cite.md").read_text("utf-8")
    assert f"version = {{{first}}}," in cite
    notes = (ROOT / "docs/reference/releases.md").read_text("utf-8")
    assert re.findall(r"^## (\d\S*)$", notes, re.MULTILINE)[0] == ".".join(first.split(".")[:2])


def test_the_jobs_of_ci_run_all_tests_once():
    job = read(".github/workflows/ci.yml")["jobs"]["ci"]
    assert commands_of(job["steps"]) == [".ci/run ${{ matrix.part }}"]
    parts = dict(re.findall(r"^ +(\w+)\) tests=\((.+)\) ;;$", (ROOT / ".ci/run").read_text(), re.M))
    assert list(parts) == job["strategy"]["matrix"]["part"]
    listed = " ".join(parts.values()).split()
    folders = {f"tests/{path.parent.relative_to(ROOT / 'tests').parts[0]}"
               for path in ROOT.glob("tests/*/**/test_*.py")}  # fmt: skip
    assert sorted(listed) == sorted({*folders, "tests/test_*.py"})


def test_only_a_checked_package_is_published():
    steps = steps_of("publish")
    commands = commands_of(steps["build"])
    assert commands[1:3] == ["python -m build", "twine check --strict dist/*"]
    publish = read(".github/workflows/publish.yml")["jobs"]["publish"]
    assert publish["needs"] == "build"
    assert publish["permissions"] == {"id-token": "write"}  # no token is stored
