"""Base classes of displays with one line, and of displays of precision and recall."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from calibrated_metrics import _checks, spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, CurveLike
from calibrated_metrics.confusion.data import as_curve
from calibrated_metrics.displays.drawing import (
    Band,
    at_prior,
    axes_of,
    below,
    draw_band,
    draw_legend,
    draw_line,
    guide_look,
    include,
    label_once,
    next_style,
    number,
    set_ylabel,
    shown,
)
from calibrated_metrics.displays.ranking import RankingDisplay
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.band import limits_at_recall
from calibrated_metrics.uncertainty.estimate import Scale, warn_of
from calibrated_metrics.uncertainty.interval import doubts_of, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["DASHED", "CurveDisplay", "LineDisplay", "RecallDisplay"]

DASHED: dict[str, Any] = {"linestyle": (0, (4, 3))}
_N_LIMITS = 500  # points of a band; 499 steps are a prime number, so few end at a vertex


@dataclass(eq=False, repr=False)
class LineDisplay(RankingDisplay):
    """A line of one model with its band and a chance level.

    The subclasses describe the parameters.
    """

    x: FloatArray
    y: FloatArray
    _: KW_ONLY
    pi0: float
    of_data: bool = False
    area: float | None = None
    band: Band | None = None

    METRIC: ClassVar[str]  # the metric that is the area under the line
    QUANTITIES: ClassVar[tuple[str, str]]
    NAME: ClassVar[str | None] = None  # in the legend, for a line without an area or a name
    LEGEND_BELOW: ClassVar[bool] = False  # if it would cover lines in every corner
    TOP: ClassVar[float] = 1.0  # the y axis includes 0 and this value; 0: no fixed top

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on, such as `ax_` of another display. None: a new figure.
        name : str, default=None
            Name of the model in the legend.
        plot_chance_level : bool, default=True
            Whether to draw the value of a random ranking, or of decisions without a model. With few
            positives, random rankings have a higher average precision than the line: see
            `baselines.chance_level`.
        **kwargs : keywords of ``Axes.plot`` for the line
        """
        ax = self.ax_ = axes_of(ax)
        self.figure_ = ax.figure
        ax.set_xlabel(self.QUANTITIES[0])
        quantity = self.QUANTITIES[1]  # right also if another prior is added
        set_ylabel(ax, at_prior(quantity, self.pi0, self.of_data), quantity)
        style = next_style(ax, {"label": self._label(name), **kwargs})
        self.line_ = draw_line(ax, self.x, self.y, style)
        self.band_ = None if self.band is None else draw_band(ax, self.band, self.line_)
        self.chance_level_ = self._draw_chance_level() if plot_chance_level else None
        include(ax, (self.x[0], 0), (self.x[-1], self.TOP))
        draw_legend(ax, **(below(ax) if self.LEGEND_BELOW else {}))
        return self

    def _label(self, name: str | None) -> str | None:
        if self.area is None:
            return self.NAME if name is None else shown(name)
        area = f"{Metric(self.METRIC).label} = {number(self.area)}"
        return area if name is None else shown(name, area)

    @abstractmethod
    def _draw_chance_level(self) -> Any: ...

    def _guide(self, x: Any, y: Any, label: str) -> Line2D:
        """Draw a dashed reference line."""
        look = {**guide_look(self.ax_), **DASHED, "label": label_once(self.ax_, label)}
        (line,) = self.ax_.plot(x, y, **look)
        return line


class CurveDisplay(LineDisplay):
    """A line through the vertices of a curve."""

    DEPENDS_ON_PRIOR: ClassVar[bool] = True

    @staticmethod
    @abstractmethod
    def _points(curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]: ...

    @classmethod
    def from_curve(
        cls,
        curve: CurveLike,
        *,
        pi0: float | None = None,
        pos_label: Any = None,
        confidence_level: float | None = 0.95,
        **options: Any,
    ) -> Self:
        """Plot a curve.

        Parameters
        ----------
        curve : ConfusionCurve or pair (y_true, y_score)
        pi0 : None or float in (0, 1), default=None
            Reference prior, also called prevalence. None: the prior of the curve.
        pos_label : scalar, default=None
            Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.
        confidence_level : float in (0, 1) or None, default=0.95
            Level of the pointwise band. None: no band.
        **options : arguments of `plot`
        """
        curve = as_curve("curve", curve, pos_label)
        curve = curve if pi0 is None else curve.at_prior(pi0)
        display = cls(
            *cls._points(curve),
            pi0=curve.prior,
            of_data=not (curve.prior_is_known and cls.DEPENDS_ON_PRIOR),
            area=Metric(cls.METRIC)(curve),
            band=None if confidence_level is None else cls._band_of(curve, confidence_level),
        )
        return display.plot(**options)

    @classmethod
    def _band_of(cls, curve: ConfusionCurve, confidence_level: float) -> Band:
        level = _checks.level("confidence_level", confidence_level)
        try:
            rows = rows_of(Metric(cls.METRIC), curve, "curve")
        except ValueError as error:
            raise ValueError(f"{error}; confidence_level=None draws no band") from None
        warn_of(doubts_of(rows))
        return Band(*cls._limits(curve, np.linspace(0, 1, _N_LIMITS), level), level)

    @classmethod
    @abstractmethod
    def _limits(
        cls, curve: ConfusionCurve, x: FloatArray, level: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Those of the abscissas `x` that have limits, and the limits."""


class RecallDisplay(CurveDisplay):
    """A line in a space of precision and recall, or of their gains."""

    SCALE: ClassVar[Scale] = Scale(0.0, 1.0)  # of errors of the ordinate

    @staticmethod
    @abstractmethod
    def _recall(x: FloatArray, pi0: float) -> FloatArray: ...

    @staticmethod
    @abstractmethod
    def _ordinate(recall: Any, fpr: Any, pi0: float) -> Any: ...

    @classmethod
    def _limits(
        cls, curve: ConfusionCurve, x: FloatArray, level: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        recall = cls._recall(x, curve.prior)
        x, recall = x[recall > 0], np.minimum(recall[recall > 0], 1.0)
        fpr = spaces.false_positives_at(curve, recall * curve.n_pos) / curve.n_neg
        return (x, *limits_at_recall(curve, recall, fpr, level, cls._ordinate, cls.SCALE))

    def _draw_chance_level(self) -> Line2D:
        level = self._ordinate(1.0, 1.0, self.pi0)
        label = label_once(self.ax_, f"chance level (many positives), {level:.3g}")
        return self.ax_.axhline(level, **guide_look(self.ax_), **DASHED, label=label)
