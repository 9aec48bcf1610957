"""Samples behind a curve: variances of scores from influence functions, and bootstrap draws."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.influence import Influence
from calibrated_metrics._intervals.limits import Rate
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["CurveSample", "Information", "RowSample", "check_rows"]


class Information(NamedTuple):
    """Numbers of independent samples that hold as much information, and degrees of freedom."""

    n_pos: float
    n_neg: float
    df: float


class Drawn(Protocol):
    """Where a curve comes from: independent samples, or rows with weights and groups."""

    curve: ConfusionCurve

    @property
    def df_of_rarer_class(self) -> float: ...

    def variance(self, influence: Influence) -> float: ...

    def information(self, influence: Influence) -> Information: ...

    def draw(self, pi0: float, generator: np.random.Generator) -> ConfusionCurve: ...


def check_rows(curve: ConfusionCurve, name: str) -> None:
    """Raise ``ValueError`` unless the curve counts rows, perhaps with a weight for each class."""
    sample = curve.sample
    if sample is not None and sample.without_errors is not None:
        raise ValueError(f"{name} must count rows, but {sample.without_errors}")
    if sample is not None and sample.weight is not None:
        raise ValueError(
            f"{name} must count rows, but its weights differ within a class; for weighted rows, "
            "use interval_from_predictions"
        )


class CurveSample:
    """Independent samples that are known only by their curve."""

    def __init__(self, curve: ConfusionCurve, name: str = "curve_or_matrix"):
        check_rows(curve, name)
        own = curve.counted
        self.curve = curve
        self.pos = _whole_numbers(name, "positives", np.diff(own.tp))
        self.neg = _whole_numbers(name, "negatives", np.diff(own.fp))
        self.n_pos, self.n_neg = own.n_pos, own.n_neg

    @property
    def df_of_rarer_class(self) -> float:
        return max(min(self.n_pos, self.n_neg) - 1, 1)

    def variance(self, influence: Influence) -> float:
        return sum(
            _variance_of_mean((counts * influence_of**2).sum(), n)
            for counts, influence_of, n in (
                (self.pos, influence.pos, self.n_pos),
                (self.neg, influence.neg, self.n_neg),
            )
        )

    def information(self, influence: Influence) -> Information:
        return Information(self.n_pos, self.n_neg, max(self.n_pos - 1, 1))

    def draw(self, pi0: float, generator: np.random.Generator) -> ConfusionCurve:
        """Curve of a sample of the same size per class, drawn with replacement."""
        tp, fp = next(self._rooms)
        for counts_above, steps in zip((tp, fp), self._steps, strict=True):
            counts_above[0] = 0
            counts_above[1:] = steps.drawn(1, generator)
        return ConfusionCurve(self.curve.thresholds, tp, fp).at_prior(pi0)

    def draw_rates(
        self, n_draws: int, generator: np.random.Generator
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """TPR and FPR at the end of each step of such samples, shape (n_at_once, n_steps) each."""
        at_once = max(int(_MOST_AT_ONCE / (self.n_pos + self.n_neg)), 1)
        for first in range(0, n_draws, at_once):
            n = min(at_once, n_draws - first)
            tp, fp = (steps.drawn(n, generator) for steps in self._steps)
            yield tp / self.n_pos, fp / self.n_neg

    @cached_property
    def _steps(self) -> tuple[_Steps, _Steps]:
        return _Steps(self.pos), _Steps(self.neg)

    @cached_property
    def _rooms(self) -> Iterator[FloatArray]:
        """Memory for the counts of one curve after another, without end.

        It is taken for several curves at once: arrays of one curve would be returned to the
        system and taken again at each draw, which costs as much as the draw.
        """
        n_vertices = len(self.pos) + 1
        while True:
            yield from np.empty((max(_NUMBERS_AT_ONCE // (2 * n_vertices), 1), 2, n_vertices))


class RowSample:
    """Rows with their scores, weights and groups.

    The rows of one group may depend on each other; rows of different groups are independent.
    """

    def __init__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        name: str = "y_score",
    ):
        _checks.same_index(
            **{"y_true": y_true, name: y_score, "sample_weight": sample_weight, "groups": groups}
        )
        labels = _checks.vector("y_true", y_true)
        scores = _checks.real_vector(name, y_score)
        self._dtype = _checks.float_dtype(y_score)
        weight = None if sample_weight is None else _checks.weights("sample_weight", sample_weight)
        group = None if groups is None else _checks.group_numbers("groups", groups)
        _checks.same_length(
            **{"y_true": labels, name: scores, "sample_weight": weight, "groups": group}
        )
        if weight is not None:
            kept = weight > 0
            labels, scores, weight = labels[kept], scores[kept], weight[kept]
            if group is not None:
                group = _checks.group_numbers("groups", group[kept])
        self.positive = _checks.is_positive(labels, pos_label)
        self.scores = _checks.finite_vector(name, scores)
        self.weight = np.ones(len(scores)) if weight is None else weight
        self.group = group
        self.curve = ConfusionCurve.from_predictions(
            self.positive, scores.astype(self._dtype), sample_weight=weight
        )

    def predicted(self, threshold: float) -> NDArray[np.bool_]:
        return self.scores >= float(_checks.in_dtype(np.array([threshold]), self._dtype)[0])

    # ------------------------------------------------------------------ variance and covariance

    def contributions(self, influence: Influence) -> FloatArray:
        """Contribution of each row to the error of the score, shape (n_rows,)."""
        step = self._step
        by_row = np.where(self.positive, influence.pos[step], influence.neg[step])
        return by_row * self._share

    def contributions_to_rate(self, predicted: NDArray[np.bool_], of_positives: bool) -> FloatArray:
        """Contribution of each row to the error of the share of a class predicted positive."""
        in_class = self.positive == of_positives
        share = float((self._share * in_class * predicted).sum())
        return np.where(in_class, predicted - share, 0.0) * self._share

    def covariance(self, first: FloatArray, second: FloatArray) -> float:
        """Covariance of two estimates from the contributions of the rows to their errors."""
        if self.group is not None:
            sums = [np.bincount(self.group, weights=each) for each in (first, second)]
            n_groups = len(sums[0])
            return float((sums[0] * sums[1]).sum()) * n_groups / (n_groups - 1)
        products = first * second
        return sum(
            _variance_of_mean(float(products[of_class].sum()) * n**2, n)
            for of_class, n in ((self.positive, self.n_pos), (~self.positive, self.n_neg))
        )

    def correlation(self, first: FloatArray, second: FloatArray) -> float:
        """Correlation of two estimates from the contributions of the rows to their errors."""
        variances = self.covariance(first, first) * self.covariance(second, second)
        if not 0 < variances < math.inf:
            return 0.0
        return float(np.clip(self.covariance(first, second) / math.sqrt(variances), -1, 1))

    def variance(self, influence: Influence) -> float:
        contributions = self.contributions(influence)
        return self.covariance(contributions, contributions)

    def information(self, influence: Influence) -> Information:
        if self.group is None:
            return Information(self.n_pos, self.n_neg, max(self.n_pos - 1, 1))
        excess = self._excess(self.contributions(influence))
        return Information(self.n_pos / excess, self.n_neg / excess, self.df)

    @property
    def class_in_one_group(self) -> str | None:
        """Name of a class whose rows are all in one group, if there is one."""
        if self.group is not None:
            for name, of_class in (("positives", self.positive), ("negatives", ~self.positive)):
                groups = self.group[of_class]
                if (groups == groups[0]).all():
                    return name
        return None

    @property
    def df(self) -> float:
        """Degrees of freedom: the number of groups with positives, less one."""
        if self.group is None:
            return math.inf
        return max(len(np.unique(self.group[self.positive])) - 1, 1)

    @property
    def df_of_rarer_class(self) -> float:
        """Rows of the rarer class, or groups of the class that is in fewer groups, less one."""
        if self.group is None:
            return max(min(self.n_pos, self.n_neg) - 1, 1)
        of_classes = (self.group[of_class] for of_class in (self.positive, ~self.positive))
        return max(min(len(np.unique(groups)) for groups in of_classes) - 1, 1)

    def rate(self, predicted: NDArray[np.bool_], of_positives: bool) -> Rate:
        """Share of a class that is predicted positive, with its effective number of rows."""
        in_class = self.positive == of_positives
        share = float((self._share * in_class * predicted).sum())
        n = self.n_pos if of_positives else self.n_neg
        if self.group is None:
            return Rate(min(share, 1.0), n)
        if 0 < share < 1:
            excess = self._excess(self.contributions_to_rate(predicted, of_positives))
            return Rate(share, n / excess)
        # Without variation the groups' correlation is unknown: each counts as one sample.
        return Rate(min(share, 1.0), len(np.unique(self.group[in_class])))

    def _excess(self, contributions: FloatArray) -> float:
        """Design effect: variance with groups over the variance of independent rows, at least 1."""
        independent = float((contributions**2).sum())
        if independent == 0:
            return 1.0
        return max(self.covariance(contributions, contributions) / independent, 1.0)

    @cached_property
    def n_pos(self) -> float:
        return _effective_number(self.weight[self.positive])

    @cached_property
    def n_neg(self) -> float:
        return _effective_number(self.weight[~self.positive])

    @cached_property
    def _share(self) -> FloatArray:
        """Share of each row in the weight of its class."""
        total = np.bincount(self.positive, weights=self.weight)
        return self.weight / total[self.positive.astype(np.intp)]

    @cached_property
    def _step(self) -> NDArray[np.intp]:
        """Step of the curve on which each row is counted."""
        thresholds = self.curve.thresholds[1:]
        found: NDArray[np.intp] = np.searchsorted(-thresholds, -self.scores)
        # The curve has no vertex for the lowest scores if their weight is lost in the sum.
        return np.minimum(found, len(thresholds) - 1)

    # -------------------------------------------------------------------------------- draws

    def draw(self, pi0: float, generator: np.random.Generator) -> ConfusionCurve:
        """Curve of rows of each class, or of whole groups, drawn with replacement."""
        weight = (self._drawn_counts(generator) * self.weight)[self._order]
        positive = self.positive[self._order]
        tp = np.cumsum(np.where(positive, weight, 0.0))[self._last_of_ties]
        fp = np.cumsum(np.where(positive, 0.0, weight))[self._last_of_ties]
        thresholds = self.scores[self._order][self._last_of_ties]
        return ConfusionCurve(
            np.append(np.inf, thresholds), np.append(0.0, tp), np.append(0.0, fp)
        ).at_prior(pi0)

    def _drawn_counts(self, generator: np.random.Generator) -> NDArray[np.int64]:
        """Number of times that each row is drawn."""
        if self.group is not None:
            n_groups = int(self.group.max()) + 1
            drawn = generator.integers(n_groups, size=n_groups)
            return np.bincount(drawn, minlength=n_groups)[self.group]
        counts = np.empty(len(self.scores), dtype=np.int64)
        for of_class in (self.positive, ~self.positive):
            n = np.count_nonzero(of_class)
            counts[of_class] = np.bincount(generator.integers(n, size=n), minlength=n)
        return counts

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        order: NDArray[np.intp] = np.argsort(-self.scores, kind="stable")
        return order

    @cached_property
    def _last_of_ties(self) -> NDArray[np.intp]:
        ordered = self.scores[self._order]
        return np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1)


def _variance_of_mean(sum_of_squares: float, n: float) -> float:
    return sum_of_squares / (n * (n - 1)) if n > 1 else math.inf


def _effective_number(weight: FloatArray) -> float:
    """Number of equal weights with the same variance of the mean (Kish)."""
    share = weight / weight.max()  # so that squares neither overflow nor vanish
    return float(share.sum() ** 2 / (share**2).sum())


class _Steps:
    """Numbers of samples of a class, in steps of descending threshold."""

    def __init__(self, counts: NDArray[np.int64]):
        self.counts = counts
        self.up_to = np.cumsum(counts)
        self.n = int(self.up_to[-1])

    def drawn(self, n_draws: int, generator: np.random.Generator) -> NDArray[np.int64]:
        """Number of samples up to each step if they are drawn with replacement.

        Shape (n_draws, n_steps). NumPy's multinomial draws once per step and is the faster way if
        the steps are few. Otherwise each sample is drawn.
        """
        if _SAMPLES_PER_STEP * len(self.counts) < self.n:
            drawn = generator.multinomial(self.n, self.counts / self.n, size=n_draws)
            return np.cumsum(drawn, axis=1)
        n_numbers = self.n + 1  # 0, which none has, and the samples
        samples = generator.integers(1, n_numbers, size=(n_draws, self.n))
        if n_draws > 1:
            samples += n_numbers * np.arange(n_draws)[:, np.newaxis]
        times = np.bincount(samples.ravel(), minlength=n_draws * n_numbers)
        return np.cumsum(times.reshape(n_draws, n_numbers), axis=1).take(self.up_to, axis=1)


_MOST_AT_ONCE = 3e4  # samples that are drawn together, to limit the memory
_NUMBERS_AT_ONCE = 2**19  # float64 numbers of several curves
_SAMPLES_PER_STEP = 25  # above this ratio, the multinomial draw is faster


def _whole_numbers(name: str, of: str, steps: FloatArray) -> NDArray[np.int64]:
    """Numbers of samples. Rates that were rounded give whole numbers within 1e-6."""
    whole = np.rint(steps)
    if np.abs(steps - whole).max() > 1e-6:
        raise ValueError(
            f"{name} must count whole samples, but some weights of its {of} are not "
            "whole numbers; for weighted rows, use interval_from_predictions"
        )
    return whole.astype(np.int64)
