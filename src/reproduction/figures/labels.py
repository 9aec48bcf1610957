"""Labels that figures and the report share. The report needs them without matplotlib."""

from __future__ import annotations

from dataclasses import replace

from reproduction.core.metrics import Metric

__all__ = ["COMPUTATIONS", "METRICS", "TITLES", "calibrated_label"]

COMPUTATIONS = {
    "labels": "drawn labels",
    "scores": "scores alone",
    "distribution": "distribution",
}
METRICS = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "F1"}
_AREAS = (Metric("average_precision"), Metric("average_precision", 0.5))
TITLES = {**METRICS, **{area.key: area.label for area in _AREAS}}


def calibrated_label(metric: Metric, pi0: float) -> str:
    """Label of the calibrated twin, with two digits of its reference prior."""
    return replace(metric, pi0=float(f"{pi0:.2g}")).label
