"""Check a configuration: return its settings, or raise an error that says what to change."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from calibrated_metrics._checks import nearest, shown
from reproduction.plugins import PluginError, load_plugins
from reproduction.settings import PI0_BRANCHES, Config, Metrics, MetricSpec

__all__ = ["ConfigError", "load_config", "refuse_unless_default"]


class ConfigError(ValueError):
    """The configuration is invalid. The message names each offending key."""


def load_config(raw: Mapping[str, Any]) -> Config:
    """Check a raw configuration, with its plug-ins and metrics, and return the settings.

    Raises
    ------
    ConfigError
        The message names each offending key, its value and the allowed values. For an unknown key
        it names the nearest valid key.
    """
    problems = list(_misspelt_sets(raw))
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        problems += sorted({_explain(problem) for problem in error.errors()})
    else:
        problems += _unusable_metrics(config)
    if problems:
        raise ConfigError("\n".join(["the configuration is invalid:", *problems]))
    return config


def refuse_unless_default(config: Config, target: str) -> None:
    """Raise `ConfigError` if a setting that changes results differs from its default."""
    folders = {"results_dir", "resources_dir"}
    default = Config().model_dump(exclude=folders)
    changed = [
        name for name, value in config.model_dump(exclude=folders).items() if value != default[name]
    ]
    if changed:
        raise ConfigError(
            f"{target} copies the figures of the default configuration only, but this run changes "
            f"{', '.join(changed)}; run it without --configfile"
        )


def _misspelt_sets(raw: Mapping[str, Any]):
    """Yield a message for each set that no experiment uses and that resembles another key."""
    names = raw["metrics"] if isinstance(raw.get("metrics"), Mapping) else {}
    sections = [section for section in raw.values() if isinstance(section, Mapping)]
    named = [section.get("metrics") for section in sections]
    used = {name for name in named if isinstance(name, str)}
    for name in sorted(set(map(str, names)) - set(Metrics.model_fields) - used):
        close = difflib.get_close_matches(name, ["plugins", "everywhere"], n=1, cutoff=0.75)
        if close:
            yield f"  metrics.{name}: unknown key (did you mean {close[0]!r}?)"


def _unusable_metrics(config: Config):
    try:
        load_plugins(config.metrics.plugins)
    except (OSError, PluginError) as error:
        yield f"  metrics.plugins: {error}"
        return
    for name, specs in {**config.metrics.listed(), "everywhere": config.metrics.everywhere}.items():
        keys = []
        for index, spec in enumerate(specs):
            try:
                metric = spec.metric()
                metric.of_library.check_options()
                keys.append(metric.key)
            except (TypeError, ValueError) as error:
                yield f"  metrics.{name}.{index}: {error}"
        repeated = {key for key in keys if keys.count(key) > 1}
        if repeated:
            yield f"  metrics.{name}: listed twice: {sorted(repeated)}"


def _explain(problem: Mapping[str, Any]) -> str:
    location = [part for part in problem["loc"] if part not in PI0_BRANCHES]
    where = ".".join(map(str, location)) or "config"
    if problem["type"] == "extra_forbidden":
        known = _fields_at(location[:-1])
        return f"  {where}: unknown key{nearest(location[-1], known)}; allowed: {sorted(known)}"
    message = problem["msg"].removeprefix("Value error, ")
    if isinstance(problem["input"], Mapping):
        return f"  {where}: {message}"
    return f"  {where}: {message}, got {shown(problem['input'])}"


def _fields_at(location: list) -> list[str]:
    model: type[BaseModel] = Config
    for part in location:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part)
        model = MetricSpec if field is None else _model_in(field.annotation)
    return list(model.model_fields)


def _model_in(annotation) -> type[BaseModel]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)
