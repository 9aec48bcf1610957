"""Precision, recall, F-beta and AUC-PR calibrated to a reference class prior.

A `ConfusionMatrix` contains the four outcomes of a decision. A `ConfusionCurve` contains the
confusion matrices of a ranking. ``at_prior`` calibrates either of them to a reference prior. Each
metric is a function of one of them. The method is that of Siblini, Fréry, He-Guelton, Oblé and
Wang, *Master your Metrics with Calibration*, IDA 2020, doi:10.1007/978-3-030-44584-3_36.

The submodules are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from calibrated_metrics import functions
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.functions import *  # noqa: F403
from calibrated_metrics.scores import Metric, register_score
from calibrated_metrics.scores.facts import known_name

if TYPE_CHECKING:
    from calibrated_metrics import (
        audit,
        baselines,
        classifiers,  # noqa: F401
        comparison,
        confusion,
        datasets,
        displays,
        label_errors,
        label_free,
        multiclass,
        planning,
        probabilities,
        scorers,
        scores,
        spaces,
        tables,
        thresholds,
        uncertainty,
    )
    from calibrated_metrics.comparison import classification_report

__version__ = "0.2.0"
__all__ = [
    "ConfusionCurve",
    "ConfusionMatrix",
    "Metric",
    "audit",
    "baselines",
    "classification_report",
    "comparison",
    "confusion",
    "datasets",
    "displays",
    "functions",
    "label_errors",
    "label_free",
    "multiclass",
    "planning",
    "probabilities",
    "register_score",
    "scorers",
    "scores",
    "spaces",
    "tables",
    "thresholds",
    "uncertainty",
    *functions.__all__,
]
# Not in `__all__`: ``from calibrated_metrics import *`` imports its names, and this module imports
# scikit-learn.
_OPTIONAL = ["classifiers"]
_ROOMS = ["uncertainty", "thresholds", "comparison", "label_free", "probabilities", "planning"]


if not TYPE_CHECKING:  # so that type checkers report a misspelt name

    def __getattr__(name):
        if name == "classification_report":
            return import_module(f"{__name__}.comparison").classification_report
        if name in __all__ or name in _OPTIONAL:
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_hint_at(name)}")


def _hint_at(name: str) -> str:
    """What to write instead, for a synonym of a metric or a name of a submodule."""
    for room in () if name.startswith("_") else _ROOMS:
        if name in import_module(f"{__name__}.{room}").__all__:
            return f" (use {room}.{name})"
    metric = known_name(name) if name.endswith("_score") else None
    return f" (use {metric}_score)" if f"{metric}_score" in functions.__all__ else ""


def __dir__() -> list[str]:
    return sorted([*__all__, *_OPTIONAL, "__version__"])
