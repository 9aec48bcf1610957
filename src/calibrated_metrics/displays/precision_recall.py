"""Precision against recall at a reference prior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from calibrated_metrics import spaces
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.curve import CurveDisplay, Limits
from calibrated_metrics.displays.drawing import set_log_if_low
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.band import limits_at_recall
from calibrated_metrics.uncertainty.estimate import Scale

__all__ = ["PrecisionRecallDisplay"]


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(CurveDisplay):
    """Precision-recall curve at a reference prior, with a pointwise band.

    It has the constructors, arguments and attributes of scikit-learn's display. Other than there,
    the line is interpolated: between two thresholds, true and false positives grow together
    linearly (Davis & Goadrich, ICML 2006, doi:10.1145/1143844.1143874, section 3.2). The area in
    the legend is average precision (AP, AUC-PR), a sum of steps. The chance level is drawn, and
    thresholds inside a run of negatives are left out (``drop_intermediate=True``). The probability
    that the band contains the whole curve is lower than its level. The reference prior is that of
    Siblini et al., IDA 2020, doi:10.1007/978-3-030-44584-3_36. The artists are `line_`, `band_` and
    `chance_level_`, on the Axes `ax_` of `figure_`.

    Each of up to seven models has its own line style. The legend is below the axes. If the
    precision at a recall of 0.5 is below 0.05, the ordinate of new axes is logarithmic;
    ``ax_.set_yscale("linear")`` changes it.

    Parameters
    ----------
    precision, recall : ndarray of shape (n_thresholds + 1,), or list of ndarray
        As `precision_recall_curve` returns them, by descending recall. A list: several lines.
    average_precision : float or list of float, default=None
        For the legend.
    name : str or list of str, default=None
        Name of the model in the legend.
    pos_label : scalar, default=None
        Label of the positives.
    prevalence_pos_label : float or list of float, default=None
        Prior at which precision was computed: the chance level.
    pi0 : float in (0, 1) or list of float, default=None
        The same prior if it is a reference prior; a list of those of several lines if they differ.
        None: the prior of the data.
    band : Band or list of Band, default=None
        Pointwise limits: a tuple ``(recall, low, high, confidence_level)``.
    of_models : bool, default=False
        Whether several lines are those of models, each with a style and name of its own. False:
        the folds of one model.
    interpolated : tuple (recall, precision) of ndarray or list of it, default=None
        Points of the line. None: steps through `precision` and `recall`, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.displays import PrecisionRecallDisplay
    >>> y_true = np.arange(2000) < 200
    >>> y_score = np.random.default_rng(0).normal(2 * y_true)
    >>> display = PrecisionRecallDisplay.from_predictions(y_true, y_score, pi0=0.01, name="model")
    >>> display.line_.get_label()
    'model (AP = 0.34)'
    """

    precision: Any
    recall: Any
    _: KW_ONLY
    average_precision: float | list[float] | None = None
    prevalence_pos_label: float | list[float] | None = None
    interpolated: Any = None

    METRIC = "average_precision"
    FIELDS = "precision", "recall", "average_precision", "name", "prevalence_pos_label"
    X, Y, AREA_LABEL = "recall", "precision", "AP"
    QUANTITIES = "recall", "precision"

    @classmethod
    def _fields_of(cls, curve: ConfusionCurve, confidence_level: float | None) -> dict[str, Any]:
        recall, precision = spaces.recall_precision(curve)
        precision[0] = 1.0  # as in `precision_recall_curve`
        return {
            "precision": precision[::-1],
            "recall": recall[::-1],
            "average_precision": Metric(cls.METRIC)(curve),
            "prevalence_pos_label": curve.prior,
            "interpolated": spaces.recall_precision(spaces.interpolated(curve)),
            "band": cls._band_of(curve, confidence_level),
        }

    def _set_scale(self, of_field: Mapping[str, Any]) -> None:
        recalls, precisions = of_field["recall"], of_field["precision"]
        set_log_if_low(self.ax_, list(zip(recalls, precisions, strict=True)))

    def _points(self, of_field: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        if self.interpolated is None:
            return [
                (np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]) for x, y in super()._points(of_field)
            ]
        return self.interpolated if isinstance(self.interpolated, list) else [self.interpolated]

    @classmethod
    def _limits(cls, curve: ConfusionCurve, x: FloatArray, level: float) -> Limits:
        x = x[x > 0]
        return (x, *limits_at_recall(curve, x, level, _precision, Scale(0.0, 1.0)))


def _precision(recall: Any, fpr: Any, pi0: float) -> Any:
    return pi0 * recall / (pi0 * recall + (1 - pi0) * fpr)
