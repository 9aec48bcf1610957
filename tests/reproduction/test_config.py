"""An invalid configuration is refused with each offending key and the reason."""

import copy
import re
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from snakemake.utils import update_config

from calibrated_metrics import scores
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.config import ConfigError, load_config
from reproduction.data.simulator import simulate_transactions
from reproduction.metrics import Metric, TimesPrior
from reproduction.settings import Config, Fraud, KlSweep, PiSweep, read_metrics

CONFIG_FOLDER = Path(__file__).parents[2] / "config"
DEFAULTS = Config().model_dump(mode="json")
# Without `metrics`, whose sets have any name.
SECTIONS = ["", "pi_sweep", "kl_sweep", "heuristic", "fraud_prior_sweep"]
SECTIONS += ["fraud", "fraud.simulator", "figures"]


# -------------------------------------------------------------------------- walking a config


def nodes(value, path=()):
    """Every mapping, list and leaf below a value, with its path."""
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from nodes(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from nodes(inner, (*path, index))


def with_value(path, value):
    """The defaults with another value at a path."""
    raw = copy.deepcopy(DEFAULTS)
    holder = raw
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = value
    return raw


def at(path, value):
    """A mapping of mappings that holds a value at a dotted path of names."""
    for part in reversed(path.split(".")):
        value = {part: value}
    return value


def dotted(path):
    return ".".join(map(str, path))


OPTIONAL_LISTS = [("ranking", "local", "tasks")]
LEAVES = [
    path
    for path, value in nodes(DEFAULTS)
    if not isinstance(value, dict | list) and path not in OPTIONAL_LISTS
]
BRANCHES = [path for path, value in nodes(DEFAULTS) if isinstance(value, dict | list) and path]
OPTIONAL_TEXTS = {"path", "selection", "all", "imbalanced"}
OPTIONAL = {"pi0", "max_tasks", "other", *OPTIONAL_TEXTS}
OPTIONAL_ITEMS = {"pi0s"}  # lists whose items may be null


def refusal_or_none(raw):
    """Message for an invalid configuration, None for a valid one; other errors are raised."""
    try:
        load_config(raw)
    except ConfigError as error:
        return str(error)
    return None


def refusal(raw):
    message = refusal_or_none(raw)
    assert message is not None, "the configuration was not refused"
    return message


def metric_of(**spec):
    """The only metric of a set of its own, through the whole configuration."""
    config = load_config({"metrics": {"mine": [spec]}, "pi_sweep": {"metrics": "mine"}})
    (metric,) = read_metrics(config.metrics_of("pi_sweep"))
    return metric


# --------------------------------------------------------------------------------- defaults


def test_an_empty_configuration_is_the_defaults():
    assert load_config({}) == Config()


def test_the_defaults_spelled_out_are_the_defaults():
    assert load_config(DEFAULTS) == Config()


def test_the_defaults_are_those_of_the_paper():
    config = Config()
    assert (config.pi_sweep.n_samples, config.pi_sweep.n_runs) == (10**6, 30)
    assert (config.pi_sweep.mu1, config.pi_sweep.mu0) == (2.0, 1.8)
    assert (config.kl_sweep.n_samples, config.kl_sweep.n_runs) == (10**6, 30)
    assert (config.kl_sweep.lowest_prior, config.kl_sweep.highest_prior) == (0.001, 0.5)
    assert (config.heuristic.n_runs, config.heuristic.n_priors) == (1000, 20)
    assert config.fraud_prior_sweep.n_runs == 1000


def test_the_default_priors_are_the_authors_grid():
    thousandths = [*range(1, 10), *range(19, 50, 10), *range(149, 450, 100), 500]
    assert Config().pi_sweep.priors == [k / 1000 for k in thousandths]


def test_the_default_means_run_from_0_to_2_by_a_twentieth():
    assert Config().kl_sweep.mu0 == [k / 20 for k in range(41)]


def test_no_default_touches_the_network():
    assert Config().fraud.source == "simulated"
    assert Config().ranking.source == "local"


def test_conventions_differ_in_every_choice():
    corrected, published = Config().conventions.corrected, Config().conventions.as_published
    assert not set(corrected.model_dump().items()) & set(published.model_dump().items())


def test_conventions_name_a_set_of_metrics():
    message = refusal({"conventions": {"corrected": {"imbalanced_metrics": "papre"}}})
    assert "conventions.corrected.imbalanced_metrics: unknown set of metrics 'papre'" in message
    assert "did you mean 'paper'?" in message


def test_a_multiple_of_the_prior_must_suit_every_task():
    message = refusal({"ranking": {"metrics": "paper_imbalanced"}})
    assert "times the prior 0.5 of ranking must be below 1" in message


def test_local_models_are_thirty_at_most():
    assert "n_models must be at most 30 with source 'local', got 31" in refusal(
        {"ranking": {"n_models": 31}}
    )


def test_a_frozen_selection_takes_no_number_of_tasks():
    raw = {"ranking": {"openml": {"selection": "frozen.json", "max_tasks": 3}}}
    assert "max_tasks=3 conflicts with selection='frozen.json'" in refusal(raw)


def test_a_task_needs_as_many_runs_as_models():
    raw = {"ranking": {"source": "openml", "n_models": 50, "openml": {"runs_listed": 40}}}
    assert "openml.runs_listed=40 must not be below n_models=50" in refusal(raw)


def test_the_raw_configuration_is_not_changed():
    raw = with_value(("seed",), 7)
    before = copy.deepcopy(raw)
    load_config(raw)
    assert raw == before


def test_a_configuration_cannot_be_changed_after_the_check():
    with pytest.raises(ValueError, match="frozen"):
        Config().seed = 3


@pytest.mark.parametrize(
    "path",
    sorted(set(CONFIG_FOLDER.glob("*.yaml")) - {CONFIG_FOLDER / "validation.yaml"}),
    ids=lambda p: p.name,
)
def test_files_of_the_config_folder_are_usable(path):
    load_config(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ["paper", "smoke"])
def test_overlays_change_what_they_say_and_nothing_else(name):
    overlay = yaml.safe_load((CONFIG_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    merged = copy.deepcopy(DEFAULTS)
    update_config(merged, overlay)
    loaded = load_config(merged).model_dump(mode="json")
    assert loaded == merged
    assert loaded["results_dir"] == f"results/{name}"


def test_the_paper_overlay_takes_the_papers_own_data():
    overlay = yaml.safe_load((CONFIG_FOLDER / "paper.yaml").read_text(encoding="utf-8"))
    assert load_config(overlay).fraud.source in {"openml", "kaggle"}


# ------------------------------------------------------------------------------ unknown keys

KEYS = [
    (*path, key)
    for path, value in nodes(DEFAULTS)
    if isinstance(value, dict) and path[:1] != ("metrics",)
    for key in value
]


@pytest.mark.parametrize("path", KEYS, ids=dotted)
def test_an_unknown_key_is_refused_with_the_nearest_name(path):
    misspelt = (*path[:-1], f"{path[-1]}_")
    message = refusal(with_value(misspelt, 1))
    assert f"  {dotted(misspelt)}: unknown key (did you mean {path[-1]!r}?)" in message


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("key", ["zzz", "number", "0"])
def test_an_unknown_key_like_no_other_is_refused_with_what_is_allowed(section, key):
    path = f"{section}.{key}".lstrip(".")
    message = refusal(at(path, 1))
    assert re.search(rf"^  {re.escape(path)}: unknown key.*allowed: \[", message, re.M)


@pytest.mark.parametrize("key", [1, 2.5, None])
def test_a_key_that_is_not_text_is_refused(key):
    assert f"  {key}: " in refusal({key: 1})
    assert f"  pi_sweep.{key}: " in refusal({"pi_sweep": {key: 1}})


@pytest.mark.parametrize("set_name", ["sweep", "everywhere", "mine", "number", "multiple"])
@pytest.mark.parametrize(
    ("spec", "key", "nearest"),
    [
        ({"score": "roc_auc", "p0": 0.5}, "p0", "pi0"),
        ({"score": "roc_auc", "option": {}}, "option", "options"),
        ({"score": "roc_auc", "pi0": {"time_prior": 2}}, "pi0.time_prior", "times_prior"),
    ],
)
def test_an_unknown_key_of_a_metric_is_refused_with_the_nearest_name(set_name, spec, key, nearest):
    message = refusal({"metrics": {set_name: [spec]}})
    assert f"  metrics.{set_name}.0.{key}: unknown key (did you mean {nearest!r}?)" in message


@pytest.mark.parametrize(
    ("misspelt", "value", "nearest"),
    [
        ("plugin", ["my_metrics.py"], "plugins"),
        ("pluggins", [], "plugins"),
        ("everywere", [{"score": "roc_auc"}], "everywhere"),
        ("evrywhere", [{"score": "roc_auc"}], "everywhere"),
    ],
)
def test_a_misspelt_key_of_the_metrics_is_not_taken_for_a_set(misspelt, value, nearest):
    message = refusal({"metrics": {misspelt: value}})
    assert f"metrics.{misspelt}" in message
    assert f"did you mean {nearest!r}" in message


def test_a_set_that_an_experiment_uses_may_be_called_nearly_everywhere():
    sets = {"metrics": {"everywhere else": [{"score": "roc_auc"}]}}
    config = load_config({**sets, "kl_sweep": {"metrics": "everywhere else"}})
    assert read_metrics(config.metrics_of("kl_sweep")) == [Metric("roc_auc")]


def test_all_problems_are_named_at_once():
    raw = {"sed": 1, "pi_sweep": {"n_runs": 0, "mu1": "far"}, "figures": {"png_dpi": True}}
    message = refusal(raw)
    for key in ("sed", "pi_sweep.n_runs", "pi_sweep.mu1", "figures.png_dpi"):
        assert f"  {key}: " in message


def test_the_value_of_an_unknown_key_does_not_hide_its_name():
    assert "sed: unknown key (did you mean 'seed'?)" in refusal({"sed": True})


# ------------------------------------------------------------------------------- wrong values


def wrong_types(path, default):
    """Values of types that no setting at the path has; YAML knows dates too."""
    yield from (["a list"], {"a": "mapping"}, date(2020, 4, 27))
    if not isinstance(default, str):
        yield "no number"
    else:
        yield from (3, 2.5)
    if path[-1] not in OPTIONAL and not OPTIONAL_ITEMS.intersection(path):
        yield None


@pytest.mark.parametrize("path", LEAVES, ids=dotted)
def test_a_value_of_a_wrong_type_is_refused_by_the_name_of_its_key(path):
    default = dict(nodes(DEFAULTS))[path]
    if path[-1] in OPTIONAL_TEXTS:
        default = ""
    for wrong in wrong_types(path, default):
        assert re.search(
            rf"^  {re.escape(dotted(path))}[.:]", refusal(with_value(path, wrong)), re.M
        )


@pytest.mark.parametrize("path", OPTIONAL_LISTS, ids=dotted)
def test_an_optional_list_is_none_or_a_list(path):
    for wrong in ("iris_setosa", 3, {"a": "mapping"}, [3]):
        assert f"  {dotted(path)}" in refusal(with_value(path, wrong))


@pytest.mark.parametrize("path", BRANCHES, ids=dotted)
def test_no_section_or_list_may_be_a_single_value(path):
    for wrong in (3, "text", date(2020, 4, 27), *([] if path[-1] in OPTIONAL else [None])):
        assert f"  {dotted(path)}: " in refusal(with_value(path, wrong))


NUMBERS = [path for path in LEAVES if isinstance(dict(nodes(DEFAULTS))[path], int | float)]


@pytest.mark.parametrize("path", NUMBERS, ids=dotted)
def test_every_number_is_finite(path):
    for value in (float("nan"), float("inf"), -float("inf")):
        assert f"  {dotted(path)}: " in refusal(with_value(path, value)), value


def test_yes_and_no_are_no_numbers():
    taken = [
        (dotted(path), value)
        for path in NUMBERS
        for value in (True, False)
        if refusal_or_none(with_value(path, value)) is None
    ]
    assert not taken


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("seed", -1),
        ("seed", 1.5),
        ("results_dir", ""),
        ("resources_dir", ""),
        ("pi_sweep.n_samples", 99),
        ("pi_sweep.n_runs", 0),
        ("pi_sweep.runs_per_job", 0),
        ("pi_sweep.priors", []),
        ("pi_sweep.class_counts", "exactly"),
        ("kl_sweep.n_samples", 99),
        ("kl_sweep.n_runs", 0),
        ("kl_sweep.runs_per_job", 0),
        ("kl_sweep.mu0", []),
        ("kl_sweep.lowest_prior", 0),
        ("kl_sweep.highest_prior", 1),
        ("heuristic.n_runs", 1),
        ("heuristic.n_priors", 1),
        ("heuristic.highest_prior", 1.0),
        ("fraud_prior_sweep.n_runs", 1),
        ("fraud_prior_sweep.runs_per_job", 0),
        ("fraud_prior_sweep.n_priors", 1),
        ("fraud_prior_sweep.highest_prior", 0.0),
        ("fraud.source", "web"),
        ("fraud.simulator.n_customers", 0),
        ("fraud.simulator.n_terminals", 1),
        ("fraud.simulator.n_days", 0),
        ("fraud.simulator.radius", 0),
        ("fraud.simulator.train_start_day", -1),
        ("fraud.simulator.train_weeks", 0),
        ("fraud.simulator.delay_weeks", -1),
        ("fraud.simulator.test_weeks", 0),
        ("figures.png_dpi", 49),
        ("figures.png_dpi", 1201),
        ("metrics.plugins", [3]),
    ],
)
def test_a_value_out_of_range_is_refused_with_its_key_and_itself(path, value):
    message = refusal(at(path, value))
    shown = value if not value or not isinstance(value, list) else value[0]
    assert re.search(rf"^  {re.escape(path)}[.:].*got {re.escape(repr(shown))}$", message, re.M)


@pytest.mark.parametrize("prior", [0, 1, -0.1, 1.1])
def test_a_prior_of_a_grid_outside_0_and_1_is_refused_with_its_place(prior):
    message = refusal({"pi_sweep": {"priors": [0.5, prior]}})
    assert "  pi_sweep.priors.1: " in message
    assert message.endswith(f"got {prior!r}")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("seed", 0),
        ("seed", 2**64),
        ("pi_sweep.n_samples", 100),
        ("pi_sweep.mu1", -3),
        ("pi_sweep.class_counts", "bernoulli"),
        ("kl_sweep.lowest_prior", 0.5),
        ("heuristic.n_priors", 2),
        ("fraud.simulator.delay_weeks", 0),
        ("figures.png_dpi", 1200),
    ],
)
def test_the_ends_of_the_ranges_are_allowed(path, value):
    raw = at(path, value)
    if path == "pi_sweep.n_samples":
        raw["pi_sweep"]["priors"] = [0.5]
    dumped = load_config(raw).model_dump()
    for part in path.split("."):
        dumped = dumped[part]
    assert dumped == value


# Drawn keys include those of the settings, so that a drawn mapping is often almost valid.
JSON_KEYS = st.one_of(
    st.sampled_from(sorted({key for path in KEYS for key in path if isinstance(key, str)})),
    st.sampled_from(["metrics", "score", "pi0", "options", "times_prior", "number", "multiple"]),
    st.text(max_size=3),
    st.integers(0, 3),
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["sweep", "fbeta", "average_precision", "file", "openml", "0.5"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(LEAVES + BRANCHES), JSON)
def test_any_value_anywhere_is_either_used_or_refused(path, value):
    message = refusal_or_none(with_value(path, value))
    assert message is None or re.search(r"\n  \S+: ", message)


@given(st.dictionaries(JSON_KEYS, JSON, max_size=3))
@example({"number": 1})
@example({"metrics": {"multiple": [{"scor": "roc_auc"}]}})
def test_any_mapping_is_either_used_or_refused(raw):
    message = refusal_or_none(raw)
    assert message is None or re.search(r"\n  \S+: ", message)


# ------------------------------------------------------------------------------------ metrics


def test_a_metric_is_ordinary_without_a_reference_prior():
    assert metric_of(score="average_precision") == Metric("average_precision")
    assert metric_of(score="average_precision", pi0=None).pi0 is None


@pytest.mark.parametrize("pi0", [0.001, 0.5, 0.999])
def test_a_reference_prior_is_a_number(pi0):
    assert metric_of(score="prg_auc", pi0=pi0) == Metric("prg_auc", pi0)


@pytest.mark.parametrize("factor", [0.5, 1, 1.01, 1.99])
def test_a_reference_prior_is_a_multiple_of_the_prior(factor):
    metric = metric_of(score="prg_auc", pi0={"times_prior": factor})
    assert metric == Metric("prg_auc", TimesPrior(factor))


def test_options_reach_the_score():
    curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    metric = metric_of(score="fbeta", pi0=0.5, options={"threshold": 0.75, "beta": 2})
    matrix = curve.at_prior(0.5).confusion_matrix(0.75)
    assert metric(curve) == scores.fbeta(matrix, beta=2.0)


@pytest.mark.parametrize(
    ("pi0", "key"),
    [
        (0, "pi0"),
        (1, "pi0"),
        (-0.5, "pi0"),
        (1.5, "pi0"),
        ("half", "pi0"),
        (True, "pi0"),
        ([0.5], "pi0"),
        (float("nan"), "pi0"),
        ({"times_prior": 0}, "pi0.times_prior"),
        ({"times_prior": -1}, "pi0.times_prior"),
        ({"times_prior": "twice"}, "pi0.times_prior"),
        ({"times_prior": True}, "pi0.times_prior"),
        ({"times_prior": float("inf")}, "pi0.times_prior"),
        ({}, "pi0.times_prior"),
    ],
)
def test_a_reference_prior_of_another_form_is_refused(pi0, key):
    message = refusal({"metrics": {"mine": [{"score": "prg_auc", "pi0": pi0}]}})
    assert f"  metrics.mine.0.{key}: " in message
    assert message.count("\n") == 1  # the other branch is not mentioned


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ({}, ["metrics.mine.1.score", "required"]),
        ({"score": 3}, ["metrics.mine.1.score", "got 3"]),
        ({"score": "averge_precision"}, ["metrics.mine.1", "did you mean 'average_precision'"]),
        ({"score": "fbeta"}, ["metrics.mine.1", "'threshold'"]),
        (
            {"score": "fbeta", "options": {"treshold": 1}},
            ["metrics.mine.1", "'treshold'", "did you mean 'threshold'"],
        ),
        (
            {"score": "fbeta", "options": {"threshold": "low"}},
            ["metrics.mine.1.options.threshold", "got 'low'"],
        ),
        (
            {"score": "fbeta", "options": {"threshold": float("inf")}},
            ["metrics.mine.1.options.threshold", "got inf"],
        ),
        ({"score": "roc_auc", "options": {"beta": 1}}, ["metrics.mine.1", "'beta'"]),
        ({"score": "best_fbeta", "options": {"beta": -1}}, ["metrics.mine.1", "beta", "-1"]),
        ({"score": "prg_auc"}, ["metrics.mine", "listed twice", "'prg_auc'"]),
    ],
)
def test_a_metric_that_cannot_be_computed_is_refused(spec, parts):
    message = refusal({"metrics": {"mine": [{"score": "prg_auc"}, spec]}})
    for part in parts:
        assert part in message


def test_the_sweep_is_each_metric_and_its_twin():
    metrics = read_metrics(Config().metrics_of("pi_sweep"))
    assert [metric.pi0 for metric in metrics] == [None, 0.5] * 3
    assert [metric.score for metric in metrics[::2]] == ["average_precision", "prg_auc", "fbeta"]
    assert dict(metrics[-1].options) == {"threshold": 0.5}


def test_the_papers_metrics_are_ten():
    specs = Config().metrics.sets()["paper"]
    metrics = [spec.metric() for spec in specs]
    assert len({metric.key for metric in metrics}) == 10
    assert [metric.score for metric in metrics[::3]] == [
        "average_precision",
        "prg_auc",
        "best_fbeta",
        "roc_auc",
    ]
    assert [metric.pi0 for metric in metrics[:3]] == [None, TimesPrior(1.01), 0.5]


@pytest.mark.parametrize("name", ["mine", "number", "multiple", "sets", "copy", "π ≤ ½", "0"])
def test_a_set_has_any_name(name):
    raw = {"metrics": {name: [{"score": "roc_auc"}]}}
    raw |= {key: {"metrics": name} for key in ("pi_sweep", "kl_sweep", "fraud_prior_sweep")}
    config = load_config(raw)
    for experiment in ("pi_sweep", "kl_sweep", "fraud_prior_sweep"):
        assert read_metrics(config.metrics_of(experiment)) == [Metric("roc_auc")]


def test_a_set_of_the_defaults_can_be_replaced():
    config = load_config({"metrics": {"sweep": [{"score": "roc_auc"}]}})
    assert read_metrics(config.metrics_of("kl_sweep")) == [Metric("roc_auc")]


def test_the_description_of_metrics_is_plain():
    description = Config().metrics_of("pi_sweep")
    assert yaml.safe_load(yaml.safe_dump(description)) == description


@pytest.mark.parametrize("experiment", ["pi_sweep", "kl_sweep", "fraud_prior_sweep"])
def test_an_experiment_must_name_a_set_that_exists(experiment):
    message = refusal({experiment: {"metrics": "swep"}})
    assert f"{experiment}.metrics" in message
    assert "'swep' (did you mean 'sweep'?)" in message


def test_an_experiment_may_not_measure_nothing():
    assert "metrics.sweep" in refusal({"metrics": {"sweep": []}})


@pytest.mark.parametrize("name", ["plugins", "everywhere"])
def test_keys_that_are_no_sets_cannot_be_measured(name):
    assert f"pi_sweep.metrics: unknown set of metrics {name!r}" in refusal(
        {"pi_sweep": {"metrics": name}}
    )


# ------------------------------------------------------------------------------- `everywhere`


def test_a_metric_everywhere_reaches_every_set():
    extra = {"score": "recall", "options": {"threshold": 0.25}}
    config = load_config({"metrics": {"everywhere": [extra], "mine": [{"score": "roc_auc"}]}})
    sets = config.metrics.sets()
    assert set(sets) == {"sweep", "paper", "paper_imbalanced", "mine"}
    for specs in sets.values():
        assert specs[-1].metric() == Metric("recall", options={"threshold": 0.25})
    assert [len(sets[name]) for name in ("sweep", "paper", "mine")] == [7, 11, 2]


def test_a_metric_everywhere_is_not_doubled_where_it_is_already():
    config = load_config({"metrics": {"everywhere": [{"score": "roc_auc"}]}})
    keys = [spec.metric().key for spec in config.metrics.sets()["paper"]]
    assert keys == [spec.metric().key for spec in Config().metrics.sets()["paper"]]
    assert len(config.metrics.sets()["sweep"]) == 7


def test_no_set_holds_two_metrics_of_one_name():
    """Tables tell metrics apart by their keys, which print six digits."""
    near = {"score": "average_precision", "pi0": 0.50000001}
    try:
        sets = load_config({"metrics": {"everywhere": [near]}}).metrics.sets()
    except ConfigError:
        return
    for specs in sets.values():
        keys = [spec.metric().key for spec in specs]
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"score": "no_such_score"}, "no_such_score"),
        ({"score": "fbeta"}, "threshold"),
        ({"score": "fbeta", "options": {"treshold": 0.5}}, "treshold"),
    ],
)
def test_an_unusable_metric_everywhere_is_named_by_its_own_key(spec, reason):
    message = refusal({"metrics": {"everywhere": [{"score": "roc_auc"}, spec]}})
    assert "metrics.everywhere.1" in message
    assert reason in message
    assert not re.search(r"metrics\.(sweep|paper)\.\d", message)  # the user wrote no such key


def test_a_metric_listed_twice_everywhere_is_refused():
    message = refusal(
        {"metrics": {"everywhere": [{"score": "recall", "options": {"threshold": 1}}] * 2}}
    )
    assert "listed twice" in message


# ----------------------------------------------------------------------------------- plug-ins

PLUGIN = """
from calibrated_metrics import register_score


@register_score(label="share of positives in front")
def share_in_front(curve, depth=0.5):
    return depth * curve.n_pos
"""


@pytest.fixture
def plugin(tmp_path, own_registry):
    path = tmp_path / "my_metrics.py"
    path.write_text(PLUGIN, encoding="utf-8")
    return path


def with_plugin(path, **spec):
    return {
        "metrics": {"plugins": [str(path)], "everywhere": [{"score": "share_in_front", **spec}]}
    }


def test_a_plugin_adds_a_score(plugin):
    config = load_config(with_plugin(plugin, pi0=0.5, options={"depth": 0.25}))
    metric = read_metrics(config.metrics_of("kl_sweep"))[-1]
    assert metric(ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])) == 0.5
    assert metric.label == "calibrated share of positives in front (π$_0$=0.5)"


def test_a_plugin_is_found_from_the_working_folder(plugin, monkeypatch):
    monkeypatch.chdir(plugin.parent)
    load_config(with_plugin(plugin.name))


def test_a_job_loads_the_plugins_itself(plugin, monkeypatch):
    description = load_config(with_plugin(plugin)).metrics_of("pi_sweep")
    monkeypatch.setattr("calibrated_metrics.scores.metric._NAMES", {})
    with pytest.raises(ValueError, match="unknown metric"):
        read_metrics({**description, "plugins": []})


def test_loading_a_plugin_again_is_harmless(plugin):
    assert load_config(with_plugin(plugin)) == load_config(with_plugin(plugin))


def test_an_option_that_a_plugin_does_not_have_is_refused(plugin):
    message = refusal(with_plugin(plugin, options={"dept": 1}))
    assert "did you mean 'depth'" in message


def test_a_plugin_that_is_missing_is_named(own_registry):
    message = refusal({"metrics": {"plugins": ["no_such_file.py"]}})
    assert "metrics.plugins" in message
    assert "no_such_file.py" in message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def broken(:\n", "SyntaxError"),
        ("import no_such_package_anywhere\n", "no_such_package_anywhere"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("raise SystemExit('bye')\n", "bye"),
    ],
)
def test_a_plugin_that_fails_is_named(tmp_path, own_registry, text, reason):
    path = tmp_path / "failing.py"
    path.write_text(text, encoding="utf-8")
    message = refusal({"metrics": {"plugins": [str(path)]}})
    assert "metrics.plugins" in message
    assert "failing.py" in message
    assert reason in message


def test_a_plugin_may_not_replace_a_score_of_the_library(tmp_path, own_registry):
    path = tmp_path / "own_roc.py"
    path.write_text(PLUGIN.replace("share_in_front", "roc_auc"), encoding="utf-8")
    assert "'roc_auc'" in refusal({"metrics": {"plugins": [str(path)]}})


# --------------------------------------------------------------------------------- cross-checks


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        (
            {"kl_sweep": {"lowest_prior": 0.6}},
            ["kl_sweep", "lowest_prior=0.6", "highest_prior=0.5"],
        ),
        ({"fraud": {"source": "file"}}, ["fraud", "path"]),
        ({"fraud": {"source": "file", "path": ""}}, ["fraud.path"]),
        ({"fraud": {"simulator": {"n_days": 163}}}, ["fraud.simulator", "n_days=163", "164"]),
        (
            {"fraud": {"simulator": {"train_start_day": 135}}},
            ["fraud.simulator", "n_days=183", "184"],
        ),
    ],
)
def test_settings_that_do_not_go_together_are_refused(raw, parts):
    message = refusal(raw)
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ({"pi_sweep": {"n_samples": 100, "priors": [0.5, 0.001]}}, "pi_sweep"),
        ({"pi_sweep": {"mu1": 30.0}}, "pi_sweep"),
        ({"kl_sweep": {"mu0": [2.0, 30.0]}}, "kl_sweep"),
        ({"metrics": {"sweep": [{"score": "roc_auc", "pi0": {"times_prior": 10}}]}}, "metrics"),
    ],
)
def test_what_would_fail_in_a_job_is_refused_before(raw, key):
    """No positive in a sample, means too far apart, a reference prior of 10 × 0.5."""
    assert key in refusal(raw)


def test_a_simulation_that_is_just_long_enough_is_allowed():
    load_config({"fraud": {"simulator": {"n_days": 164}}})


def test_a_path_is_allowed_with_another_source():
    assert load_config({"fraud": {"path": "creditcard.csv"}}).fraud.source == "simulated"


def test_the_smallest_simulation_allowed_can_be_simulated():
    smallest = Config.model_json_schema()["$defs"]["Simulator"]["properties"]
    sizes = {name: smallest[name]["minimum"] for name in ("n_customers", "n_terminals")}
    simulate_transactions(**sizes, n_days=3, radius=150.0, seed=0)


@pytest.mark.parametrize(
    ("section", "settings"),
    [
        (PiSweep, {"priors": [0.5, 0.25], "class_counts": "bernoulli"}),
        (KlSweep, {"mu0": [0.0, 1.0]}),
        (Fraud, {"source": "file", "path": "x.csv"}),
    ],
)
def test_a_job_reads_its_section_back_from_plain_settings(section, settings):
    whole = section(**settings)
    assert section(**yaml.safe_load(yaml.safe_dump(whole.model_dump()))) == whole


@pytest.mark.parametrize(
    "raw",
    [
        {"pi_sweep": {"priors": [0.5, 0.5]}},
        {"kl_sweep": {"mu0": [1.0, 1.0]}},
        {"results_dir": "res{x}"},
    ],
)
def test_what_would_count_twice_or_confuse_snakemake_is_refused(raw):
    assert next(iter(raw)) in refusal(raw)
