"""What `import calibrated_metrics` offers, and when the submodules are imported."""

import pkgutil
import subprocess
import sys

import pytest

import calibrated_metrics
from calibrated_metrics import comparison, confusion, functions, scores

SUBMODULES = {
    module.name
    for module in pkgutil.iter_modules(calibrated_metrics.__path__)
    if not module.name.startswith("_")
}
INTERNAL = {"binomial", "binormal", "codes", "drawn", "engines", "rows"}
NEEDS_AN_EXTRA = {"classifiers"}


def output_of(code, *arguments):
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_all_lists_the_submodules_and_the_names():
    names = {"ConfusionCurve", "ConfusionMatrix", "Metric", "register_score", *functions.__all__}
    names.add("classification_report")
    assert set(calibrated_metrics.__all__) == names | (SUBMODULES - INTERNAL - NEEDS_AN_EXTRA)
    assert len(calibrated_metrics.__all__) == len(set(calibrated_metrics.__all__))


def test_names_are_those_of_the_modules():
    assert calibrated_metrics.ConfusionCurve is confusion.ConfusionCurve
    assert calibrated_metrics.ConfusionMatrix is confusion.ConfusionMatrix
    assert calibrated_metrics.register_score is scores.register_score
    assert calibrated_metrics.Metric is scores.Metric
    assert calibrated_metrics.classification_report is comparison.classification_report
    for name in functions.__all__:
        assert getattr(calibrated_metrics, name) is getattr(functions, name)


USE_EACH = """
import sys
for name in sys.argv[1:]:
    for loaded in [each for each in sys.modules if each.startswith("calibrated_metrics")]:
        del sys.modules[loaded]
    import calibrated_metrics
    assert getattr(calibrated_metrics, name).__name__ == f"calibrated_metrics.{name}"
    assert "scipy.stats" not in sys.modules, name
"""


def test_a_submodule_is_imported_when_it_is_used():
    """And without `scipy.stats`, which takes longer to import than all of the library."""
    output_of(USE_EACH, *sorted(SUBMODULES - NEEDS_AN_EXTRA - {"binomial", "engines"}))


def test_submodules_that_few_need_are_not_imported_at_once():
    loaded = output_of("import sys, calibrated_metrics; print(*sys.modules)")
    few_need = SUBMODULES - INTERNAL - {"confusion", "functions", "scores", "spaces"}
    for name in few_need:
        assert f"calibrated_metrics.{name}" not in loaded
    assert "scipy.stats" not in loaded


def test_dir_lists_what_a_user_may_use_whether_imported_or_not():
    listed = output_of("import calibrated_metrics; print(*dir(calibrated_metrics))")
    assert set(listed) == {*calibrated_metrics.__all__, *NEEDS_AN_EXTRA, "__version__"}


def test_an_unknown_name_is_an_attribute_error():
    for name, room in (("choose_threshold", "thresholds"), ("log_loss", "probabilities")):
        with pytest.raises(AttributeError, match=rf"no attribute '{name}' \(use {room}\.{name}\)"):
            getattr(calibrated_metrics, name)
    with pytest.raises(AttributeError, match="'calibrated_metrics' has no attribute 'precison'"):
        calibrated_metrics.precison  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'precison'"):
        from calibrated_metrics import precison  # noqa: F401
