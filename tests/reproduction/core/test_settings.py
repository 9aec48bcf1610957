"""An invalid configuration is refused with each offending key and the reason."""

import copy
import runpy
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

from reproduction.core import settings
from reproduction.core.metrics import Metric, TimesPrior, read_metrics

CONFIG = Path(__file__).parents[3] / "config"
DEFAULTS = settings.load({}).model_dump(mode="json")


def refusal(raw) -> str:
    with pytest.raises(SystemExit) as caught:
        settings.load(raw)
    return str(caught.value)


def sections(value, path=()):
    """Paths of the mappings below a value whose keys are settings."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from sections(inner, (*path, key))


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    else:
        yield path


def with_value(path, value):
    """The defaults with another value at a path."""
    raw = copy.deepcopy(DEFAULTS)
    inner = raw
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return raw


def test_the_file_of_defaults_is_generated():
    text = (CONFIG / "config.yaml").read_text(encoding="utf-8")
    assert text == runpy.run_path(str(CONFIG / "generate.py"))["text"](), (
        "run `python config/generate.py`"
    )
    assert settings.load(yaml.safe_load(text)) == settings.load({})


OVERLAYS = sorted(path for path in CONFIG.glob("*.yaml") if path.stem != "validation")


@pytest.mark.parametrize("path", OVERLAYS, ids=lambda path: path.name)
def test_the_overlays_are_valid(path):
    merged = copy.deepcopy(DEFAULTS)
    update_config(merged, yaml.safe_load(path.read_text(encoding="utf-8")))
    settings.load(merged)


@pytest.mark.parametrize("path", [p for p in sections(DEFAULTS) if p != ("metrics",)], ids=str)
def test_an_unknown_key_is_named_in_each_section(path):
    message = refusal(with_value((*path, "n_runz"), 3))
    assert f"{'.'.join((*path, 'n_runz'))}: unknown key" in message


@pytest.mark.parametrize("path", list(leaves(DEFAULTS)), ids=".".join)
def test_a_value_of_a_wrong_kind_is_named(path):
    assert f"  {'.'.join(path)}" in refusal(with_value(path, {"a": [1]})).replace(
        "\n  metrics: ", ""
    )


def test_an_unknown_key_comes_with_the_nearest_one():
    assert "(did you mean 'n_runs'?)" in refusal({"pi_sweep": {"n_runz": 3}})
    assert "(did you mean 'pi_sweep'?)" in refusal({"pi_sweeps": {}})
    misspelt = {"everywere": [{"score": "roc_auc"}]}
    assert "(did you mean 'everywhere'?)" in refusal({"metrics": misspelt})


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"score": "roc_aucc"}, "did you mean 'roc_auc'"),
        ({"score": "fbeta"}, "needs the option 'threshold'"),
        ({"score": "fbeta", "options": {"treshold": 1}}, "threshold"),
        ({"score": "roc_auc", "pi0": 1.0}, "less than 1"),
        ({"score": "roc_auc", "pi0": {"times_prior": 0}}, "greater than 0"),
        ({"score": "roc_auc", "pi_0": 0.5}, "did you mean 'pi0'"),
    ],
)
def test_an_unusable_metric_is_named(spec, reason):
    message = refusal({"metrics": {"mine": [spec]}})
    assert "metrics.mine" in message
    assert reason in message


def test_a_metric_listed_twice_is_named():
    message = refusal({"metrics": {"mine": [{"score": "roc_auc"}] * 2}})
    assert "metrics: mine must be distinct, got ['roc_auc', 'roc_auc']" in message


def test_metrics_of_the_configuration():
    specs = [{"score": "roc_auc", "pi0": {"times_prior": 2.0}}]
    everywhere = [{"score": "fbeta", "pi0": 0.5, "options": {"threshold": 0.1}}]
    loaded = settings.load({"metrics": {"mine": specs, "everywhere": everywhere}})
    assert read_metrics(loaded.metrics.described("mine")) == [
        Metric("roc_auc", TimesPrior(2)),
        Metric("fbeta", 0.5, {"threshold": 0.1}),
    ]
    with pytest.raises(ValueError, match=r"unknown set of metrics 'mien' \(did you mean 'mine'"):
        loaded.metrics.described("mien")


def test_the_configuration_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        settings.load({}).seed = 3


def test_texts_must_fit_into_figures():
    settings.load({"figures": {"width": 14.32, "font_size": 18}})
    message = refusal({"figures": {"width": 6.3, "font_size": 8}})
    assert "figures: font_size must be at most 7.92 at a width of 6.3" in message
    assert "figures.width: Input should be greater than or equal to 6" in refusal(
        {"figures": {"width": 3.3}}
    )


def test_runs_are_divided_into_jobs():
    sweep = settings.Sweep(n_runs=7, runs_per_job=3)
    assert sweep.blocks() == [(0, 3), (3, 6), (6, 7)]
    assert set(sweep.of_one_run()) == {"n_samples", "mu1"}


@pytest.mark.parametrize("path", ["sc <b>.csv", "{a}.csv", ""])
@pytest.mark.parametrize(
    "key", ["fraud.path", "monitoring.path", "ranking.local.files.0", "results_dir"]
)
def test_a_path_that_snakemake_would_not_read_as_one_is_refused(key, path):
    raw = path
    for part in reversed(key.split(".")):
        raw = [raw] if part == "0" else {part: raw}
    message = "must be a path without {, }, < and >, which have a meaning in Snakemake, got"
    assert f"  {key}: {message} {path!r}" in refusal(raw)
