"""The generated files of the config folder agree with the settings."""

import copy
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from reproduction.config import ConfigError, load_config
from reproduction.config_docs import documents
from reproduction.settings import Config

FOLDER = Path(__file__).parents[2] / "config"
COMMAND = "python -m reproduction.config_docs"
DEFAULTS = Config().model_dump(mode="json")


@pytest.fixture(scope="module")
def generated():
    return documents()


@pytest.fixture(scope="module")
def schema(generated):
    content = json.loads(generated["schema.json"])
    Draft202012Validator.check_schema(content)
    return Draft202012Validator(content)


def sections(content, path=()):
    """Paths of the sections of the configuration, starting with the whole configuration."""
    yield path
    for key, value in content.items():
        if isinstance(value, dict):
            yield from sections(value, (*path, key))


def settings():
    """Paths of all settings that are not sections."""
    for path in sections(DEFAULTS):
        inner = value_at(DEFAULTS, path)
        yield from ((*path, key) for key in inner if not isinstance(inner[key], dict))


def value_at(content, path):
    for part in path:
        content = content[part]
    return content


def with_value(path, value):
    content = copy.deepcopy(DEFAULTS)
    value_at(content, path[:-1])[path[-1]] = value
    return content


def model_refuses(content):
    try:
        load_config(content)
    except ConfigError:
        return True
    return False


@pytest.mark.parametrize("name", ["config.yaml", "schema.json", "README.md"])
def test_the_files_of_the_config_folder_are_up_to_date(generated, name):
    assert (FOLDER / name).read_text(encoding="utf-8") == generated[name], (
        f"config/{name} differs from reproduction/settings.py: run `{COMMAND}`"
    )


def test_the_command_writes_all_files_into_a_folder(generated, tmp_path):
    subprocess.run([sys.executable, *COMMAND.split()[1:], str(tmp_path)], check=True)
    written = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert written == generated


def test_every_generated_file_names_the_command():
    for name in ("config.yaml", "README.md"):
        assert COMMAND in (FOLDER / name).read_text(encoding="utf-8")


def test_the_yaml_is_the_defaults(generated):
    raw = yaml.safe_load(generated["config.yaml"])
    assert load_config(raw) == Config()
    assert list(raw) == list(DEFAULTS)


def test_the_yaml_spells_every_setting_out(generated):
    raw = yaml.safe_load(generated["config.yaml"])
    assert set(sections(DEFAULTS)) == set(sections(raw))
    for path in settings():
        value_at(raw, path)


def test_every_setting_is_explained_above_it(generated):
    lines = generated["config.yaml"].splitlines()
    explained = 0
    for above, line in itertools.pairwise(lines):
        key = line.strip().partition(":")[0]
        if line.strip() and not line.strip().startswith(("#", "-")):
            assert above.strip().startswith("# "), f"{key} is not explained"
            explained += 1
    assert explained == len(list(settings())) + len(list(sections(DEFAULTS))) - 1


def test_every_setting_is_in_the_readme(generated):
    parts = generated["README.md"].split("\n## ")
    tables = {}
    for part in parts:
        for subsection in part.split("\n### "):
            tables[subsection.partition("\n")[0].strip("`")] = subsection
    for *section, key in settings():
        table = tables[".".join(section) or "# Configuration"]
        assert f"\n| `{key}` |" in table


def test_the_readme_names_the_defaults_of_named_conventions(generated):
    for name, defaults in DEFAULTS["conventions"].items():
        table = generated["README.md"].partition(f"### `conventions.{name}`")[2].partition("###")[0]
        for key, default in defaults.items():
            assert re.search(rf"^\| `{key}` \| [^|]+ \| `{default}` \|", table, re.MULTILINE)


def test_the_readme_explains_a_metric(generated):
    metric = generated["README.md"].partition("\n## A metric\n")[2]
    for key in ("score", "pi0", "options", "times_prior"):
        assert key in metric


@pytest.mark.parametrize(
    "path",
    sorted(set(FOLDER.glob("*.yaml")) - {FOLDER / "validation.yaml"}),
    ids=lambda path: path.name,
)
def test_the_schema_allows_the_files_of_the_folder(schema, path):
    schema.validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_the_schema_allows_own_sets_and_every_form_of_reference_prior(schema):
    specs = [{"score": "roc_auc", "pi0": pi0} for pi0 in (None, 0.5, {"times_prior": 1.01})]
    schema.validate({"metrics": {"mine": specs}})


@pytest.mark.parametrize("path", list(sections(DEFAULTS)), ids=lambda path: ".".join(path) or "top")
def test_the_schema_refuses_an_unknown_key(schema, path):
    assert not schema.is_valid(with_value((*path, "no_such_key"), 1))


@pytest.mark.parametrize(
    "metric",
    [
        {},
        {"score": 3},
        {"score": "roc_auc", "prior": 0.5},
        {"score": "roc_auc", "pi0": 0},
        {"score": "roc_auc", "pi0": 1},
        {"score": "roc_auc", "pi0": "half"},
        {"score": "roc_auc", "pi0": {"times_prior": 0}},
        {"score": "roc_auc", "pi0": {"times": 1}},
    ],
)
def test_the_schema_refuses_a_wrong_metric(schema, metric):
    assert not schema.is_valid({"metrics": {"mine": [metric]}})


def test_what_the_schema_refuses_the_model_refuses(schema):
    values = (None, True, False, -1, 0, 0.5, 1, 1e9, "text", [], ["text"], [True], {}, {"a": 1})
    disagreements = [
        (".".join(path), value)
        for path in settings()
        for value in values
        if not schema.is_valid(content := with_value(path, value)) and not model_refuses(content)
    ]
    assert not disagreements
