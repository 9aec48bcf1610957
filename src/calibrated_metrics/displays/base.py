"""What displays have in common: Axes, the style of their lines, spines and legends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

from calibrated_metrics.displays.drawing import draw_legend, grow, hide_spines, panels, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Display"]


class Display(ABC):
    """A display that is drawn on one Axes, or on two of them below each other."""

    def plot(
        self,
        ax: Axes | Sequence[Axes] | NDArray[Any] | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        despine: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes or pair of them, default=None
            Axes to draw on, such as `ax_` or `axes_` of another display. A single Axes shows no
            alerts and no parts of changes, which are drawn on the second one. Long legends take
            room from these Axes: ``ax.legend(loc="best", fontsize=6)`` replaces one. None: a new
            figure, which grows with its legends.
        name : str, default=None
            Name of a single model in the legend.
        curve_kwargs : dict, default=None
            Keywords of ``Axes.plot`` for the lines, or for the dots of values.
        despine : bool, default=False
            Whether to hide the upper and the right spine.
        **kwargs : deprecated as in scikit-learn, use `curve_kwargs`
        """
        if name is not None and self._n_names > 1:
            raise ValueError(f"name must be None for several models or priors, got {name!r}")
        style = style_of(curve_kwargs, kwargs)
        self.axes_ = panels(ax, self._n_panels, self._height)
        self.ax_ = self.axes_[0]
        self.figure_ = self.ax_.figure
        self._draw(name, style)
        for axes in self.axes_:
            if despine:
                hide_spines(axes)
            draw_legend(axes, self._title_of_legend)
        if ax is None:
            grow(self.axes_)
        return self

    @property
    def _n_names(self) -> int:
        """Number of entries of the legend that have a name."""
        return 1

    @property
    def _n_panels(self) -> int:
        return 1

    @property
    def _height(self) -> float | None:
        """Height of a new figure in inches, None for that of the style."""
        return None

    @property
    def _title_of_legend(self) -> str | None:
        return None

    @abstractmethod
    def _draw(self, name: str | None, style: dict[str, Any]) -> None:
        """Draw all but the legends, with a style that the user gave."""
