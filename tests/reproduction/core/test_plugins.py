"""Plug-ins: their scores are usable, an edit replaces them, and an error names the file."""

import pytest

from calibrated_metrics import ConfusionCurve, scores
from reproduction.core import settings
from reproduction.core.metrics import Metric, TimesPrior, read_metrics

LIFT = """
from calibrated_metrics import register_score

SHARE = 0.1


@register_score(label="lift at {share:g}", range=(0, 20))
def lift(curve, share=SHARE):
    return float(curve.tp[1] + curve.fp[1]) + share * (SHARE / SHARE)
"""


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions([0, 1, 0, 0, 1], [9, 8, 8, 7, 6])


@pytest.fixture
def run(tmp_path, own_registry):
    def write_and_run(text, name="my_metrics.py", metrics=()):
        path = tmp_path / name
        path.write_text(text)
        return read_metrics({"plugins": [str(path)], "metrics": list(metrics)})

    return write_and_run


def test_a_score_of_a_plugin_is_usable_and_calibrated_too(run, curve):
    metrics = run(LIFT, metrics=[{"score": "lift"}, {"score": "lift", "pi0": {"times_prior": 2.0}}])
    assert metrics[0](curve) == pytest.approx(1.1)
    assert metrics[1] == Metric("lift", TimesPrior(2))
    assert metrics[1](curve) == pytest.approx(curve.at_prior(0.8).fp[1] + 0.1)


def test_an_edited_plugin_replaces_its_scores(run, curve):
    run(LIFT)
    run(LIFT.replace("+ share", "+ 5 + share"))
    assert Metric("lift")(curve) == pytest.approx(6.1)


def test_an_error_of_a_score_names_the_metric_once(run, tmp_path):
    run(LIFT.replace("SHARE / SHARE", "1 / 0"))
    everywhere = {"plugins": [str(tmp_path / "my_metrics.py")], "everywhere": [{"score": "lift"}]}
    with pytest.raises(SystemExit) as error:
        settings.load({"metrics": everywhere})
    line = "  metrics.everywhere.0: lift: the metric is undefined: it divides by 0"
    assert str(error.value).splitlines()[1:] == [line]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("def lift(curve:\n", "SyntaxError"),
        ("import a_module_that_is_not_there", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "SystemExit"),
        (LIFT.replace("label=", "lable="), "TypeError"),
        (LIFT.replace("def lift", "def roc_auc"), "'roc_auc' is already registered"),
    ],
)
def test_a_file_that_cannot_be_run_is_named(run, curve, text, cause):
    with pytest.raises(ValueError, match=rf"plug-in .*my_metrics\.py: .*{cause}"):
        run(text)
    assert Metric("roc_auc")(curve) == scores.roc_auc(curve)


def test_a_missing_plugin_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.py"):
        read_metrics({"plugins": [str(tmp_path / "absent.py")], "metrics": []})
