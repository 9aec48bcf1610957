"""Plug-ins: they are run, run again, and an error names the file."""

import os
import re
import sys
import textwrap

import pytest

from calibrated_metrics import ConfusionCurve, scores
from reproduction.core.metrics import Metric, TimesPrior
from reproduction.plugins import PluginError, load_plugins


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions(
        [0, 1, 0, 0, 1, 0, 1, 0, 0, 0], [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
    )


LIFT = """
from calibrated_metrics import register_score


@register_score(label="lift at {share:g}", range=(0, 20))
def lift(curve, share=0.1):
    fp, tp = curve.fp, curve.tp
    return float(tp[1] + fp[1]) + share
"""

FALSE_DISCOVERIES = """
from calibrated_metrics import register_score


@register_score(label="false discovery rate", of="matrix")
def false_discoveries(matrix):
    return matrix.fp / (matrix.tp + matrix.fp)
"""


@pytest.fixture
def plugin(tmp_path, own_registry):
    def write(text, name="my_metrics.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write


def test_a_plugin_is_usable_at_once_and_calibrated_too(curve, plugin):
    with pytest.raises(ValueError, match="unknown metric 'lift'"):
        Metric("lift")
    load_plugins([plugin(LIFT)])
    assert Metric("lift")(curve) == 1.1
    assert Metric("lift", 0.5)(curve) == pytest.approx(curve.at_prior(0.5).fp[1] + 0.1)
    assert Metric("lift", TimesPrior(2), {"share": 0.25}).label == (
        "calibrated lift at 0.25 (π$_0$=2π)"
    )
    assert Metric("lift", 0.5).key == "lift@pi0=0.5"
    with pytest.raises(ValueError, match="did you mean 'lift'"):
        Metric("lfit")
    with pytest.raises(ValueError, match="did you mean 'share'"):
        Metric("lift", options={"shar": 1})


def test_a_plugin_may_register_a_score_of_a_matrix(curve, plugin):
    load_plugins([plugin(FALSE_DISCOVERIES)])
    assert Metric("false_discoveries", options={"threshold": 6})(curve) == 3 / 5


def test_plugins_are_named_by_strings_or_paths_and_may_be_loaded_again(plugin, curve):
    path = plugin(LIFT)
    load_plugins([str(path)])
    load_plugins([path, path])
    assert Metric("lift")(curve) == 1.1
    load_plugins([])


def test_an_edit_within_a_second_is_seen(plugin, curve, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = plugin(LIFT)
    os.utime(path, (1e9, 1e9))
    load_plugins([path])
    plugin(LIFT.replace("tp[1] + fp[1]", "tp[2] + fp[2]"))
    os.utime(path, (1e9, 1e9))
    load_plugins([path])
    assert Metric("lift")(curve) == curve.tp[2] + curve.fp[2] + 0.1


def test_plugins_of_one_name_in_two_folders(plugin, curve):
    one = plugin(LIFT, "a/metrics.py")
    other = plugin(LIFT.replace("def lift", "def drop"), "b/metrics.py")
    load_plugins([one, other])
    assert Metric("lift")(curve) == Metric("drop")(curve)


def test_a_missing_plugin_is_named(tmp_path):
    for missing in (tmp_path / "absent.py", tmp_path):
        with pytest.raises(FileNotFoundError, match=re.escape(str(missing))):
            load_plugins([missing])


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("def lift(curve:\n", SyntaxError),
        ("import a_module_that_is_not_there", ModuleNotFoundError),
        ("raise SystemExit(3)", SystemExit),
        (LIFT.replace("label=", "lable="), TypeError),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_file_that_cannot_be_run_is_named(plugin, text, cause):
    path = plugin(text)
    with pytest.raises(PluginError, match=re.escape(f"{path}: {cause.__name__}")) as caught:
        load_plugins([path])
    assert isinstance(caught.value.__cause__, cause)


def test_a_library_score_cannot_be_replaced(plugin, curve):
    path = plugin(LIFT.replace("def lift", "def roc_auc"))
    with pytest.raises(PluginError, match="'roc_auc' is already registered"):
        load_plugins([path])
    assert Metric("roc_auc")(curve) == scores.roc_auc(curve)


def test_two_plugins_cannot_share_a_score(plugin):
    load_plugins([plugin(LIFT, "one.py")])
    with pytest.raises(PluginError, match="'lift' is already registered"):
        load_plugins([plugin(LIFT, "other.py")])


def test_the_last_score_of_a_name_in_a_plugin_counts(plugin, curve):
    load_plugins([plugin(LIFT + LIFT.replace("share=0.1", "share=0.2"))])
    assert Metric("lift")(curve) == 1.2
