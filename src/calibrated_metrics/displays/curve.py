"""Base classes of displays with a line for each of one or more models, or folds of one model."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import ROUNDING, FloatArray
from calibrated_metrics.confusion import ConfusionCurve, CurveLike
from calibrated_metrics.confusion.data import as_curve
from calibrated_metrics.displays.constructors import RankingDisplay
from calibrated_metrics.displays.drawing import (
    Band,
    at_prior,
    draw_band,
    draw_legend,
    grow,
    guide_look,
    hide_spines,
    include,
    label_once,
    next_style,
    number,
    of_label,
    panels,
    set_ylabel,
    shown,
    style_of,
)
from calibrated_metrics.displays.folds import curves_of_folds, pooled_curve
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.estimate import warn_of
from calibrated_metrics.uncertainty.interval import doubts_of, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["DASHED", "CurveDisplay", "Limits", "LineDisplay"]

Limits: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]  # abscissas, lower and upper
DASHED: dict[str, Any] = {"linestyle": (0, (4, 3))}
_FOLDS: dict[str, Any] = {"alpha": 0.5, "linestyle": "--", "color": "blue"}  # as in scikit-learn
_N_LIMITS = 500  # points of a band; 499 steps are a prime number, so few end at a vertex


@dataclass(eq=False, repr=False, kw_only=True)
class LineDisplay(RankingDisplay):
    """Lines with bands and a chance level. Attributes are lists if there are several lines.

    The subclasses describe the parameters.
    """

    name: str | list[str] | None = None
    pos_label: Any = field(default=None, compare=False)
    pi0: float | list[float] | None = None
    band: Band | list[Band | None] | None = None
    of_models: bool = False

    NAME = "Classifier"  # of one model without a name, as in scikit-learn
    FIELDS: ClassVar[tuple[str, ...]]  # those that are lists if there are several lines
    X: ClassVar[str]
    Y: ClassVar[str]
    METRIC: ClassVar[str] = ""  # the area under the line, and its field
    AREA_LABEL: ClassVar[str] = ""
    LABEL: ClassVar[str | None] = None  # in the legend, for a line without an area or a name
    QUANTITIES: ClassVar[tuple[str, str]]
    AT_PRIOR: ClassVar[bool] = True  # whether the ordinate depends on the prior
    CHANCE: ClassVar[float | None] = None  # chance level, if the prior does not matter
    TOP: ClassVar[float] = 1.0  # the y axis includes 0 and this value; 0: no fixed top

    @classmethod
    def _of_models(
        cls, curve: Any, pi0: float | None, pos_label: Any, name: str | None, **options: Any
    ) -> Self:
        """A display of a curve, or of several by the names of their models."""
        if not isinstance(curve, Mapping):
            return cls._of([as_curve("curve", curve, pos_label)], pi0, options, name=name)
        if not curve or name is not None:
            raise ValueError(
                f"curve must hold at least one model, and name must be None, got {name!r}"
            )
        curves = [as_curve("curve", each, pos_label) for each in curve.values()]
        return cls._of(curves, pi0, options, name=list(map(str, curve)), of_models=True)

    @classmethod
    def _of(
        cls, curves: list[ConfusionCurve], pi0: float | None, options: Any, **more: Any
    ) -> Self:
        at = curves if pi0 is None else [each.at_prior(pi0) for each in curves]
        found = [cls._fields_of(each, **options) for each in at]
        fields = {key: _one_or_list([each[key] for each in found]) for key in found[0]}
        priors = _distinct([each.prior for each in at])
        prior = _one_or_list(priors) if all(each.prior_is_known for each in at) else None
        return cls(**fields, **more, pos_label=curves[0].pos_label, pi0=prior)

    @classmethod
    @abstractmethod
    def _fields_of(cls, curve: ConfusionCurve, confidence_level: float | None) -> dict[str, Any]:
        """The fields of a display of one curve."""

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | list[str] | None = None,
        curve_kwargs: Mapping[str, Any] | list[Mapping[str, Any]] | None = None,
        plot_chance_level: bool | None = None,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on, such as `ax_` of another display. A long legend takes room from these
            Axes: ``ax.legend(loc="best", fontsize=6)`` replaces it. None: a new figure, which grows
            with its legend.
        name : str or list of str, default=None
            Name of the model in the legend; a list for several models.
        curve_kwargs : dict or list of dict, default=None
            Keywords of ``Axes.plot`` for all lines, or for each. Folds have one entry in the
            legend, the mean and standard deviation of their areas, unless this is a list.
        plot_chance_level : bool, default=None
            Whether to draw the value of a random ranking, or of decisions without a model. None: if
            it is known. With few positives, random rankings have a higher average precision than
            the line: see `baselines.chance_level`.
        chance_level_kw : dict, default=None
            Keywords of ``Axes.plot`` for the chance level.
        despine : bool, default=False
            Whether to hide the upper and the right spine.
        **kwargs : deprecated as in scikit-learn, use `curve_kwargs`
        """
        fields = self._validate_plot_params(ax=ax, name=name)
        of_field = dict(zip(self.FIELDS, fields, strict=True))
        self._set_scale(of_field)
        looks = self._looks(len(fields[0] or ()), of_field, style_of(curve_kwargs, kwargs))
        self._label_axes()
        lines = self._points(of_field)
        drawn = [
            self.ax_.plot(*points, **next_style(self.ax_, look))[0]
            for points, look in zip(lines, looks, strict=True)
        ]
        levels = of_field["prevalence_pos_label"] if self.CHANCE is None else [self.CHANCE]
        levels = None if plot_chance_level is False else levels
        if plot_chance_level and levels is None:
            raise ValueError(_NO_PREVALENCE.format(name=type(self).__name__))
        chance = [] if levels is None else self._draw_chance_level(levels, chance_level_kw or {})
        bands = self.band if isinstance(self.band, list) else [self.band]
        some = [(band, line) for band, line in zip(bands, drawn, strict=False) if band is not None]
        self.line_ = _one_or_list(drawn)
        self.chance_level_ = _one_or_list(chance)
        self.band_ = _one_or_list([draw_band(self.ax_, *each) for each in some])
        x = np.concatenate([each[0] for each in lines])
        include(self.ax_, (x.min(), 0), (x.max(), self.TOP))
        if despine:
            hide_spines(self.ax_)
        draw_legend(self.ax_)
        if ax is None:
            grow([self.ax_])
        return self

    def _validate_plot_params(self, *, ax: Any, name: Any) -> list[list[Any] | None]:
        """The fields as lists of one length, None if there are none, and with this name."""
        (self.ax_,) = panels(ax, 1)
        self.figure_ = self.ax_.figure
        given = {each: getattr(self, each) for each in self.FIELDS}
        given["name"] = given["name"] if name is None else name
        found = {
            each: value if value is None or isinstance(value, list) else [value]
            for each, value in given.items()
        }
        sizes = {f"self.{each}": len(value) for each, value in found.items() if value is not None}
        if (n_names := sizes.pop("self.name", 1)) != 1:
            sizes["'name' (or self.name)"] = n_names
        if len(set(sizes.values())) > 1:
            *first, last = sizes
            raise ValueError(
                f"{', '.join(first)} and {last} from `{type(self).__name__}` initialization (or "
                "`plot`) must be lists of the same length. Got: "
                + ", ".join(f"{each}: {size}" for each, size in sizes.items())
            )
        return list(found.values())

    def _looks(self, n: int, of_field: Mapping[str, Any], given: Any) -> list[dict[str, Any]]:
        """The style of each line with its label. Folds have one style and one label."""
        names = of_field["name"] or [None]
        areas = of_field.get(self.METRIC) or [None] * n
        if isinstance(given, list) and len(given) != n:
            raise ValueError(
                f"`curve_kwargs` must be None, a dictionary or a list of length {n}. Got: {given}."
            )
        if n == 1 or self.of_models or isinstance(given, list):
            names = names * n if len(names) == 1 else names
            values = [None if area is None else number(area) for area in areas]
            labels = [self._label(*each) for each in zip(names, values, strict=True)]
            looks = given if isinstance(given, list) else [given] * n
            return [{"label": label, **look} for label, look in zip(labels, looks, strict=True)]
        if len(names) > 1:
            raise ValueError(
                "To avoid labeling individual curves that have the same appearance, curve_kwargs "
                f"must be a list of {n} dictionaries, or name a single string, got {names}"
            )
        value = None if None in areas else _mean_and_spread(areas)
        label = self._label(names[0], value)
        return [{"label": each, **_FOLDS, **given} for each in [label, *[None] * (n - 1)]]

    def _label(self, name: str | None, value: str | None) -> str | None:
        if value is None:
            return self.LABEL if name is None else shown(name)
        area = f"{self.AREA_LABEL} = {value}"
        return area if name is None else shown(name, area)

    def _label_axes(self) -> None:
        """Name the quantities, the label of the positives unless it is 1, and the prior."""
        x, y = self.QUANTITIES  # `y` is right also if another prior is added
        self.ax_.set_xlabel(of_label(x, self.pos_label))
        set_ylabel(self.ax_, at_prior(y, self.pi0 if self.AT_PRIOR else None), y)

    def _set_scale(self, of_field: Mapping[str, Any]) -> None:
        """Set the scale of the ordinate; linear by default."""

    def _points(self, of_field: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Abscissas and ordinates of each line."""
        return list(zip(of_field[self.X], of_field[self.Y], strict=True))

    def _draw_chance_level(self, levels: list[float], style: Mapping[str, Any]) -> list[Line2D]:
        """A horizontal line for each level; those of folds have one label."""
        distinct = _distinct(levels)
        levels = distinct if self.of_models or len(distinct) == 1 else levels
        ends = " to ".join(map(number, sorted({min(levels), max(levels)})))
        value = ends if self.of_models or len(levels) == 1 else _mean_and_spread(levels)
        look = self._look_of_guide(f"Chance level ({self.AREA_LABEL} = {value})", style)
        lines = [self.ax_.axhline(levels[0], **look)]
        return lines + [self.ax_.axhline(each, **look | {"label": None}) for each in levels[1:]]

    def _look_of_guide(self, label: str, style: Mapping[str, Any]) -> dict[str, Any]:
        """The style of a dashed reference line, with its label."""
        look = {**guide_look(self.ax_), **DASHED, "label": label_once(self.ax_, label)}
        return {**look, **style_of(style, {})}


_NO_PREVALENCE = (
    "You must provide prevalence_pos_label when constructing the {name} object in order to plot "
    "the chance level line. Alternatively, you may use {name}.from_estimator or "
    "{name}.from_predictions to automatically set prevalence_pos_label"
)  # as in scikit-learn


def _one_or_list(items: list[Any]) -> Any:
    return None if not items else items if len(items) > 1 else items[0]


def _mean_and_spread(values: Sequence[float]) -> str:
    """Mean and standard deviation, as scikit-learn shows them, with the decimals of the mean."""
    mean = number(np.mean(values))
    n_decimals = len(mean.partition(".")[2])
    return f"{mean} +/- {np.std(values):.{n_decimals}f}"


def _distinct(numbers: Sequence[float]) -> list[float]:
    """Numbers that differ by more than rounding, in their order."""
    found: list[float] = []
    for each in numbers:
        if not any(math.isclose(each, other, rel_tol=ROUNDING) for other in found):
            found.append(each)
    return found


class CurveDisplay(LineDisplay):
    """Lines through the vertices of curves."""

    pooled_: Self | None = None  # the display of the pooled curve of folds

    @classmethod
    def from_curve(
        cls,
        curve: CurveLike | Mapping[str, CurveLike],
        *,
        pi0: float | None = None,
        pos_label: Any = None,
        confidence_level: float | None = 0.95,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Plot a curve, or the curves of several models.

        Parameters
        ----------
        curve : ConfusionCurve or pair (y_true, y_score), or dict of str to them
            A model, or several models by their names.
        pi0 : None or float in (0, 1), default=None
            Reference prior, also called prevalence. None: the prior of the curve.
        pos_label : scalar, default=None
            Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.
        confidence_level : float in (0, 1) or None, default=0.95
            Level of the pointwise band. None: no band.
        name : str, default=None
            Name of a single model in the legend.
        **options : arguments of `plot`
        """
        display = cls._of_models(curve, pi0, pos_label, name, confidence_level=confidence_level)
        return display.plot(**options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: Any = None,
        pi0: float | None = None,
        pooled: bool = False,
        confidence_level: float | None = 0.95,
        name: str | list[str] | None = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Plot the curves of the folds of a cross-validation, and their pooled curve.

        Parameters
        ----------
        cv_results : dict
            Result of ``cross_validate`` with ``return_estimator=True, return_indices=True``.
        X, y, sample_weight, clusters
            The rows that were given to ``cross_validate``, their weights and their clusters.
        response_method, pos_label
            As for `from_estimator`.
        pi0, confidence_level
            As for `from_curve`; the band is that of the pooled curve.
        pooled : bool, default=False
            Whether to add the curve of all test rows together, each scored by the model of its
            fold: a display of its own, the attribute `pooled_`. Its interval is about the rows;
            the mean of the folds has none, and is too high with few positives.
        name, plot_chance_level, chance_level_kwargs
            As `name`, `plot_chance_level` and `chance_level_kw` of `plot`.
        **options : further arguments of `plot`
        """
        drawn = {"sample_weight": sample_weight, "clusters": clusters}
        label = response_method, pos_label, pi0 is not None
        curves = curves_of_folds(cv_results, X, y, drawn, *label)
        display = cls._of(curves, pi0, {"confidence_level": None}, name=name)
        options |= {"plot_chance_level": plot_chance_level, "chance_level_kw": chance_level_kwargs}
        display.plot(**options)
        if pooled:
            of_all = pooled_curve(cv_results, curves)
            look = {"color": np.ravel(display.line_)[0].get_color(), "linestyle": "-"}
            options = {"pi0": pi0, "confidence_level": confidence_level, "name": "pooled"}
            options |= {"ax": display.ax_, "curve_kwargs": look, "plot_chance_level": False}
            display.pooled_ = cls.from_curve(of_all, **options)
        return display

    @classmethod
    def _band_of(cls, curve: ConfusionCurve, confidence_level: float | None) -> Band | None:
        if confidence_level is None:
            return None
        level = _numbers.level("confidence_level", confidence_level)
        try:
            rows = rows_of(Metric(cls.METRIC), curve, "curve")
        except ValueError as error:
            raise ValueError(f"{error}; confidence_level=None draws no band") from None
        warn_of(doubts_of(rows))
        return Band(*cls._limits(curve, np.linspace(0, 1, _N_LIMITS), level), level)

    @classmethod
    @abstractmethod
    def _limits(cls, curve: ConfusionCurve, x: FloatArray, level: float) -> Limits:
        """Those of the abscissas `x` that have limits, and the limits."""
