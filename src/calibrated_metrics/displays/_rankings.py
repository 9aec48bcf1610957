"""Constructors of the displays that show one ranking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from calibrated_metrics.displays._inputs import Ranking, scores_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["OfRanking"]


class OfRanking(ABC):
    """A display of one ranking, built from labelled scores, an estimator or a curve."""

    @classmethod
    @abstractmethod
    def _drawn(cls, ranking: Ranking, *, pi0: Any, name: str | None, **options: Any) -> Self:
        """Compute and plot the display."""

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pi0: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Plot labelled scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels of any type, both present.
        y_score : array-like of shape (n_samples,)
            Finite scores; a higher score is more likely positive.
        pi0 : None or float in (0, 1), default=None
            Reference prior, also called prevalence. None is the prior of the data.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a new figure.
        pos_label : scalar, default=1
            Label of the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; samples of weight 0 are dropped. A row is one observation
            whatever its weight.
        **options
            Further arguments of `from_curve`.

        Returns
        -------
        The display, which has been plotted.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            As `ConfusionCurve.from_predictions` and `from_curve`.
        """
        ranking = Ranking.of_predictions(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
        )
        return cls._drawn(ranking, pi0=pi0, name=name, ax=ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pi0: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        pos_label: Any = 1,
        response_method: str = "auto",
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Plot the scores of a fitted binary classifier.

        Parameters
        ----------
        estimator : fitted classifier
            With the attribute ``classes_``, as in scikit-learn; also a pipeline or a search.
        X : array-like of shape (n_samples, n_features)
            Input of the estimator.
        y : array-like of shape (n_samples,)
            Binary labels of any type, both present.
        pi0 : None or float in (0, 1), default=None
            Reference prior, also called prevalence. None is the prior of the data.
        name : str, default=None
            Name of the model in the legend; None is the class of the estimator.
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a new figure.
        pos_label : scalar, default=1
            Label of the positive class.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Method of the estimator that returns the scores. "auto" takes ``predict_proba`` if the
            estimator has it.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        **options
            Further arguments of `from_curve`.

        Returns
        -------
        The display, which has been plotted.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            As `from_predictions`, and for an estimator that is not a fitted binary classifier.
        """
        return cls.from_predictions(
            y,
            scores_of(estimator, X, pos_label, response_method),
            pi0=pi0,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            pos_label=pos_label,
            sample_weight=sample_weight,
            **options,
        )
