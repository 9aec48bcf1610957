"""Generate the defaults, the JSON schema and the documentation of the settings.

``python -m reproduction.config_docs [folder]`` writes ``config.yaml``, ``schema.json`` and
``README.md``. A test fails if the files differ from the settings.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import yaml
from pydantic import BaseModel

from reproduction.settings import Config, Metrics, MetricSpec

__all__ = ["documents"]

_NOTICE = (
    "generated from src/reproduction/settings.py by `python -m reproduction.config_docs`; "
    "do not edit"
)


def documents() -> dict[str, str]:
    """Text of each generated file, by its name."""
    return {
        "config.yaml": _defaults_yaml(),
        "schema.json": json.dumps(Config.model_json_schema(), indent=2, ensure_ascii=False) + "\n",
        "README.md": _readme(),
    }


# --------------------------------------------------------------------------- config.yaml


def _defaults_yaml() -> str:
    lines = [
        "# yaml-language-server: $schema=schema.json",
        f"# The defaults, {_NOTICE}.",
        "# To change settings, write an overlay: snakemake all --cores all --configfile my.yaml",
        *_yaml_lines(Config(), indent=0),
    ]
    return "\n".join(lines) + "\n"


def _yaml_lines(section: BaseModel, indent: int):
    pad = " " * indent
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if not indent:
            yield ""
        yield f"{pad}# {field.description}"
        if isinstance(value, BaseModel):
            yield f"{pad}{name}:"
            yield from _yaml_lines(value, indent + 2)
        elif _are_sections(value):
            yield f"{pad}{name}:"
            for each in value:
                yield f"{pad}  - {_flow(each.model_dump(exclude_defaults=True))}"
        else:
            yield f"{pad}{name}: {_flow(value)}"


def _are_sections(value) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], BaseModel)


def _flow(value) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10_000)
    return text.removesuffix("\n").removesuffix("\n...")


# ----------------------------------------------------------------------------- README.md


def _readme() -> str:
    parts = [
        "# Configuration",
        f"<!-- {_NOTICE} -->",
        "`config.yaml` holds all defaults and is always read. The files after `--configfile` "
        "(overlays) override it key by key, in the given order; a list is replaced as a whole. "
        "Write targets before `--configfile`, because it takes every word after it as a file:",
        "```\nsnakemake figures --cores all --configfile config/paper.yaml my.yaml\n```",
        "- `paper.yaml`: the paper's own fraud data and models, from OpenML\n"
        "- `smoke.yaml`: the whole pipeline at a small size, for tests",
        "`validation.yaml` is the configuration of `validation/Snakefile` alone.",
        "An unknown key stops the run before any job. The error message suggests the nearest key.",
        *_section_parts(Config(), "", level=2),
        "## A metric",
        f"Each set under `metrics` is a list of metrics. {MetricSpec.__doc__}",
        _table(MetricSpec.model_construct()),
    ]
    return "\n\n".join(parts) + "\n"


def _section_parts(section: BaseModel, path: str, level: int):
    sections = {name: value for name, value in section if isinstance(value, BaseModel)}
    if len(sections) < len(type(section).model_fields):
        yield _table(section)
    for name, inner in sections.items():
        yield f"{'#' * level} `{path}{name}`"
        yield type(section).model_fields[name].description
        yield from _section_parts(inner, f"{path}{name}.", level + 1)


def _table(section: BaseModel) -> str:
    schema = section.model_json_schema()["properties"]
    rows = [
        f"| `{name}` | {_kind(schema[name])} | {_default(section, name)} | {field.description} |"
        for name, field in type(section).model_fields.items()
        if not isinstance(getattr(section, name, None), BaseModel)
    ]
    if isinstance(section, Metrics):
        rows.append("| any name | list of metric | | Another set of metrics. |")
    return "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *rows])


def _kind(schema: dict) -> str:
    """Describe the allowed values of a JSON schema in words."""
    if "enum" in schema:
        return " or ".join(f"`{choice}`" for choice in schema["enum"])
    if "anyOf" in schema or "oneOf" in schema:
        return " or ".join(_kind(choice) for choice in schema.get("anyOf") or schema["oneOf"])
    if "$ref" in schema:
        return _NAMES[schema["$ref"].rpartition("/")[2]]
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    if schema.get("type") == "object":
        return "mapping"
    return _bounded(schema)


_NAMES = {
    "MetricSpec": "metric",
    "TimesPriorSpec": "`{times_prior: number > 0}`",
}
_SIGNS = {
    "exclusiveMinimum": ">",
    "minimum": "≥",
    "exclusiveMaximum": "<",
    "maximum": "≤",
}


def _bounded(schema: dict) -> str:
    bounds = ", ".join(f"{sign} {schema[key]:g}" for key, sign in _SIGNS.items() if key in schema)
    return f"{schema['type']} {bounds}".strip()


def _default(section: BaseModel, name: str) -> str:
    if not hasattr(section, name):
        return ""
    default = getattr(section, name)
    return "see `config.yaml`" if _are_sections(default) else f"`{_flow(default)}`"


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "config")
    for file_name, text in documents().items():
        (folder / file_name).write_text(text, encoding="utf-8")
