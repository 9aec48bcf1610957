"""`ConfusionMatrix`: the weights of the four outcomes of a decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _columns, _hints, _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics._results import html_table
from calibrated_metrics.rows import HoldsRows, Rows, same_labels

__all__ = ["ConfusionMatrix", "Values"]

Values: TypeAlias = float | FloatArray
"""A number of one confusion matrix, or an array with one number per matrix of a stack."""


class Outcomes(NamedTuple):
    """Numbers or weights of the four outcomes, each a number, or an array for a stack."""

    tp: Values
    fp: Values
    fn: Values
    tn: Values


_ALERT = 1.0  # score of an alert in rows that hold decisions
_RATES_ONLY = "give from_rates the numbers n_pos and n_neg of rows on which the rates were measured"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ConfusionMatrix(HoldsRows):
    """Weights of the four outcomes of a decision: one confusion matrix, or a stack of them.

    A stack has a length, and can be indexed and iterated. Matrices can be added. The matrices of a
    ranking are those of `ConfusionCurve.confusion_matrix`.

    Parameters
    ----------
    tp, fp, fn, tn : float >= 0, or array-like of shape (n_matrices,)
        True positives, false positives, false negatives and true negatives; not all 0 in a matrix.
        They are keywords, since ``sklearn.metrics.confusion_matrix(y_true, y_pred).ravel()`` has
        the order tn, fp, fn, tp.

    Attributes
    ----------
    n_pos, n_neg, prior : float or ndarray of shape (n_matrices,)
        Total weight of each class, ``tp + fn`` and ``fp + tn``, and the share of positives, also
        called prevalence. The outcomes are attributes as well; arrays are read-only.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.precision(matrix), scores.precision(matrix.at_prior(0.01))
    (0.666..., 0.153...)
    """

    _counts: Outcomes  # before the classes are weighted
    class_weight: tuple[Values, Values]
    prior_is_known: bool
    _rows: Rows | None
    _threshold: Values | None
    _without_rows: str | None  # why the counts are no numbers of rows, and have no errors
    tp: Values
    fp: Values
    fn: Values
    tn: Values
    _kind = "matrix"

    @plain_calls(
        "ConfusionMatrix takes keywords: ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn). scikit-learn "
        "has the order tn, fp, fn, tp = confusion_matrix(y_true, y_pred).ravel(). "
        "ConfusionMatrix.from_predictions(y_true, y_pred) counts the rows itself"
    )
    def __init__(self, *, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike):
        given = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        _columns.same_index(**given)
        outcomes = {name: _outcome(name, weights) for name, weights in given.items()}
        if len({np.shape(weights) for weights in outcomes.values()}) > 1:
            shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in outcomes.items())
            raise ValueError(f"tp, fp, fn and tn must have the same shape, got {shapes}")
        with np.errstate(over="ignore"):
            total = sum(outcomes.values())
        if not np.all(total > 0):
            raise ValueError("tp, fp, fn and tn must not all be 0")
        if not np.all(np.isfinite(total)):
            raise ValueError("tp, fp, fn and tn must have a finite sum in float64: it overflows")
        vars(self).update(vars(ConfusionMatrix._of(outcomes.values())))

    @classmethod
    def _of(
        cls,
        counts: Iterable[Values],
        class_weight: tuple[Values, Values] = (1.0, 1.0),
        prior_is_known: bool = False,
        rows: Rows | None = None,
        threshold: Values | None = None,
        without_rows: str | None = None,
    ) -> ConfusionMatrix:
        """A matrix of outcomes that need no checks. Arrays without dimensions become numbers."""
        counted = Outcomes(*(each if np.ndim(each) else float(each) for each in counts))
        weighted = zip(counted, 2 * class_weight, strict=True)
        outcomes = Outcomes(*(outcome * weight for outcome, weight in weighted))
        for each in (*counted, *outcomes):
            if isinstance(each, np.ndarray):
                each.flags.writeable = False
        matrix = cls.__new__(cls)
        vars(matrix).update(
            _counts=counted,
            class_weight=class_weight,
            prior_is_known=prior_is_known,
            _rows=rows,
            _threshold=threshold,
            _without_rows=without_rows,
            **outcomes._asdict(),
        )
        return matrix

    def _weighted(
        self, class_weight: tuple[Values, Values], prior_is_known: bool
    ) -> ConfusionMatrix:
        """The same counts with other weights of the classes."""
        source = self._rows, self._threshold, self._without_rows
        return ConfusionMatrix._of(self._counts, class_weight, prior_is_known, *source)

    @classmethod
    @plain_calls(
        "from_predictions takes y_true and y_pred by position, and the others by name",
        **_hints.LABEL_ERRORS,
    )
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> ConfusionMatrix:
        """Build the matrix of predicted labels.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_rows,)
            Binary labels of any type, and predictions of them. One class may be absent. Boolean
            predictions say whether a row is predicted positive, unless `pos_label` is 0.
        pos_label, sample_weight, counts, clusters, strata
            As for `ConfusionCurve.from_predictions`.

        Examples
        --------
        >>> from calibrated_metrics import ConfusionMatrix
        >>> ConfusionMatrix.from_predictions([1, 0, 1, 0, 0], [1, 0, 0, 0, 1])
        ConfusionMatrix(tp=1.0, fp=1.0, fn=1.0, tn=2.0)
        >>> ConfusionMatrix.from_predictions([1, 1, 0, 0], [1, 0, 1, 0], counts=[58, 7, 10, 190])
        ConfusionMatrix(tp=58.0, fp=10.0, fn=7.0, tn=190.0)
        """
        drawn: Any = {"sample_weight": sample_weight, "counts": counts}
        drawn |= {"clusters": clusters, "strata": strata}
        rows, _ = Rows.read(y_true, {"y_pred": y_pred}, pos_label=pos_label, **drawn)
        return cls._from_rows(rows, _ALERT)

    @classmethod
    def _from_rows(cls, rows: Rows, threshold: float) -> ConfusionMatrix:
        """The matrix of the decision ``score >= threshold``."""
        positive, alert = rows.positive, rows.has_alert(threshold)
        of_outcomes = positive & alert, ~positive & alert, positive & ~alert, ~(positive | alert)
        counts = map(rows.weight_of, of_outcomes)
        return cls._of(counts, rows.class_weight, rows.fixes_prior, rows, threshold)

    @classmethod
    @plain_calls(
        "from_rates takes keywords: from_rates(tpr=sensitivity, fpr=1 - specificity, "
        "prior=prevalence)"
    )
    def from_rates(
        cls,
        *,
        tpr: float | ArrayLike,
        fpr: float | ArrayLike,
        prior: float | ArrayLike | None = None,
        n_pos: float | None = None,
        n_neg: float | None = None,
    ) -> ConfusionMatrix:
        """Build the matrix of a decision from its rates, and a prior or the size of each class.

        Parameters
        ----------
        tpr, fpr : float in [0, 1], or array-like of shape (n_matrices,)
            True positive rate (sensitivity, recall) and false positive rate (1 - specificity). An
            array gives a stack of matrices.
        prior : float in (0, 1), or array-like of shape (n_matrices,), optional
            Share of positives, also called prevalence. The total weight is then 1.
        n_pos, n_neg : float > 0, optional, both or neither
            Numbers of rows on which the rates were measured. They are needed for intervals.

        Examples
        --------
        PPV and NPV of a test with a sensitivity of 90 %, a specificity of 95 %, and 1 % prevalence:

        >>> from calibrated_metrics import ConfusionMatrix, scores
        >>> matrix = ConfusionMatrix.from_rates(tpr=0.9, fpr=1 - 0.95, prior=0.01)
        >>> scores.precision(matrix), scores.npv(matrix)
        (0.153..., 0.998...)
        """
        sizes = [name for name, n in (("n_pos", n_pos), ("n_neg", n_neg)) if n is not None]
        if len(sizes) != (2 if prior is None else 0):
            given = ["prior"] * (prior is not None) + sizes
            raise ValueError(f"either prior, or n_pos and n_neg must be given, got {given}")
        _columns.same_index(tpr=tpr, fpr=fpr, prior=prior)
        rates = {
            "tpr": _numbers.one_or_more("tpr", tpr, _numbers.probabilities),
            "fpr": _numbers.one_or_more("fpr", fpr, _numbers.probabilities),
        }
        if prior is not None:
            pi = rates["prior"] = _numbers.one_or_more("prior", prior, _numbers.priors)
            totals = pi, 1 - pi
        else:
            n_pos = _numbers.positive_number("n_pos", n_pos)
            n_neg = _numbers.positive_number("n_neg", n_neg)
            totals = n_pos, n_neg
            if not np.isfinite(n_pos + n_neg):
                raise ValueError("n_pos and n_neg must have a finite sum in float64: it overflows")
        _columns.same_length(**{name: r for name, r in rates.items() if isinstance(r, np.ndarray)})
        tp, fp = totals[0] * rates["tpr"], totals[1] * rates["fpr"]
        fn, tn = totals[0] * (1 - rates["tpr"]), totals[1] * (1 - rates["fpr"])
        outcomes = np.broadcast_arrays(tp, fp, fn, tn)
        without_rows = None if prior is None else _RATES_ONLY
        return cls._of(map(np.array, outcomes), without_rows=without_rows)

    @property
    def threshold(self) -> float:
        """The threshold of the decision of one matrix that holds its rows."""
        assert isinstance(self._threshold, float)
        return self._threshold

    @property
    def _has_alert(self) -> NDArray[np.bool_]:
        """Whether each row is predicted positive, for one matrix that holds its rows."""
        return self.rows.has_alert(self.threshold)

    @property
    def _unweighted(self) -> ConfusionMatrix:
        """The matrix before its classes are weighted."""
        return self._weighted((1.0, 1.0), prior_is_known=False)

    @property
    def n_pos(self) -> Values:
        return self.tp + self.fn

    @property
    def n_neg(self) -> Values:
        return self.fp + self.tn

    @property
    def prior(self) -> Values:
        return self.n_pos / (self.n_pos + self.n_neg)

    def __len__(self) -> int:
        if not isinstance(self.tp, np.ndarray):
            raise TypeError("a single confusion matrix has no length")
        return len(self.tp)

    def __bool__(self) -> bool:
        return True  # although a single matrix has no length

    def __getitem__(self, index: int | slice | NDArray[Any]) -> ConfusionMatrix:
        """Return a matrix of the stack, or a stack of some of them."""
        if not isinstance(self.tp, np.ndarray):
            raise TypeError("a single confusion matrix has no index")
        of_pos, of_neg = self.class_weight
        weight = _items(of_pos, index), _items(of_neg, index)
        counts = (_items(each, index) for each in self._counts)
        at = None if self._threshold is None else _items(self._threshold, index)
        source = self._rows, at, self._without_rows
        return ConfusionMatrix._of(counts, weight, self.prior_is_known, *source)

    def __iter__(self) -> Iterator[ConfusionMatrix]:
        return (self[index] for index in range(len(self)))

    def at_prior(self, pi0: float | ArrayLike) -> ConfusionMatrix:
        """Return the matrix, or each matrix of the stack, calibrated to the prior `pi0`.

        As `ConfusionCurve.at_prior`; both classes need weight.

        Parameters
        ----------
        pi0 : float in (0, 1), or array-like of shape (n_priors,)
            Reference prior. An array returns a stack of matrices; it is not allowed for a stack.
        """
        if _columns.dimensions("pi0", pi0) == 0:
            target: Values = _numbers.open_unit("pi0", pi0)
        elif np.ndim(self.tp) == 0:
            target = _numbers.priors("pi0", pi0)
        else:
            raise ValueError("pi0 must be a number for a stack of matrices, got an array")
        if not (np.all(self.n_pos > 0) and np.all(self.n_neg > 0)):
            raise ValueError(
                "pi0 needs weight in both classes; pi0=None keeps the prior of the data"
            )
        factor = _negative_weight(self.n_pos, self.n_neg, target, self.prior)
        of_pos, of_neg = self.class_weight
        weight: tuple[Values, Values] = of_pos * np.ones_like(factor), of_neg * factor
        if np.ndim(factor) == 0:
            weight = float(of_pos), float(of_neg * factor)
        return self._weighted(weight, prior_is_known=True)

    def at_population(self, population: Mapping[Any, float]) -> ConfusionMatrix:
        """Return the matrix of a reference population, as `ConfusionCurve.at_population`.

        The matrix must hold its rows with their strata, so it must be built by `from_predictions`
        or be the matrix at one threshold of a curve.

        Parameters
        ----------
        population : mapping of stratum to share
            As for `ConfusionCurve.at_population`.
        """
        if self._rows is None or np.ndim(self.tp):
            raise ValueError(
                "population needs a matrix that holds its rows: one built by from_predictions, or "
                "of one threshold of a curve, with strata"
            )
        return ConfusionMatrix._from_rows(self._rows.at_population(population), self.threshold)

    def _with_rows(self, name: str) -> ConfusionMatrix:
        """The matrix with rows, needed to estimate errors: one row for each counted case.

        A stack, rates without numbers of rows, and counts that are not integers raise
        ``ValueError``.
        """
        if np.ndim(self.tp) != 0:
            raise ValueError(f"{name} must be a single confusion matrix, got a stack of them")
        if self._rows is not None:
            return self
        if self._without_rows is not None:
            raise ValueError(f"{name} must count rows, got {self!r}: {self._without_rows}")
        tp, fp, fn, tn = self._counts
        rows = Rows.from_counts(np.array([0.0, 1.0]), np.array([fn, tp]), np.array([tn, fp]))
        weights = self.class_weight, self.prior_is_known
        return ConfusionMatrix._of(self._counts, *weights, rows, threshold=0.5)

    def _of_rows(self, rows: Rows) -> ConfusionMatrix:
        """The matrix of the same decision on other rows, at the prior of this matrix if known."""
        matrix = ConfusionMatrix._from_rows(rows, self.threshold)
        return matrix.at_prior(self.prior) if self.prior_is_known else matrix

    def _of_more_rows(self, rows: Rows) -> ConfusionMatrix:
        """The matrix of these rows and some more, at the prior of this matrix, known or not."""
        matrix = ConfusionMatrix._from_rows(rows, self.threshold).at_prior(self.prior)
        return matrix._weighted(matrix.class_weight, self.prior_is_known)

    def _collapsed(self) -> ConfusionMatrix:
        """The matrix itself, which has no rows to merge."""
        return self

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        """Return the matrix of the rows of both, each with its weight.

        Equal labels of clusters, or of strata, are one. If the rows cannot be joined, for example
        if only one matrix has clusters, or for stacks, the sum has values, but no intervals.
        """
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if self.has_rows and other.has_rows:
            same_labels("data that are added", self.rows, other.rows)
        sums = {each: getattr(self, each) + getattr(other, each) for each in Outcomes._fields}
        total = ConfusionMatrix(**sums)
        if self._is_of_counts and other._is_of_counts:
            return total
        try:
            rows = self._decisions() + other._decisions()
        except ValueError as error:
            of_stacks = "it is a sum of stacks; add single matrices" if np.ndim(total.tp) else None
            reason = self._without_rows or other._without_rows or of_stacks or str(error)
            return ConfusionMatrix._of(total._counts, without_rows=reason)
        matrix = ConfusionMatrix._from_rows(rows, _ALERT)
        both_known = self.prior_is_known and other.prior_is_known
        known = matrix.prior_is_known or (both_known and rows.weight is None)
        return matrix._weighted(matrix.class_weight, known)

    @property
    def _is_of_counts(self) -> bool:
        """Whether the outcomes are numbers that were given, without weights of the classes."""
        is_of_rows = self.has_rows or self._without_rows is not None
        return not is_of_rows and all(
            np.ndim(each) == 0 and each == 1 for each in self.class_weight
        )

    def _decisions(self) -> Rows:
        """The rows with their weights and with scores that are 1 for an alert, otherwise 0."""
        matrix = self._with_rows("the matrix")
        of_pos, of_neg = (float(weight) for weight in self.class_weight)
        score = matrix._has_alert.astype(np.float64)
        rows = replace(matrix.rows, score=score, dtype=np.float64, cells=None)
        return rows.with_class_weight((of_pos, of_neg))

    def __repr__(self) -> str:
        outcomes = ", ".join(f"{name}={_shown(getattr(self, name))}" for name in Outcomes._fields)
        return f"ConfusionMatrix({outcomes})"

    def _repr_html_(self) -> str | None:
        if np.ndim(self.tp):
            return None  # a notebook shows the text
        rows = [
            ["true label: negative", _shown(self.tn), _shown(self.fp)],
            ["true label: positive", _shown(self.fn), _shown(self.tp)],
        ]
        return html_table(rows, ["", "predicted: negative", "predicted: positive"])

    def __reduce__(self) -> tuple[Any, ...]:
        source = self._rows, self._threshold, self._without_rows
        return ConfusionMatrix._of, (self._counts, self.class_weight, self.prior_is_known, *source)


def _negative_weight(n_pos: Values, n_neg: Values, pi0: Values, prior: Values) -> Values:
    """Factor on the weight of the negatives that gives the prior `pi0`."""
    with np.errstate(over="ignore"):
        # Exactly 1 at the matrix's own prior, which is itself rounded.
        factors = np.where(np.equal(pi0, prior), 1.0, n_pos / n_neg * ((1.0 - pi0) / pi0))
        expressible = (factors * n_neg > 0) & np.isfinite(factors * n_neg)
    if not expressible.all():
        worst = np.broadcast_to(pi0, factors.shape)[~expressible]
        raise ValueError(f"pi0={worst[0]} gives weights outside the range of float64")
    return factors[()]  # a number of an array without dimensions


def _shown(values: Values) -> str:
    """A number without the last digits of float64, in which sums and products round."""
    if isinstance(values, np.ndarray):
        return repr(values)
    return repr(float(f"{values:.14g}"))


def _items(values: Values, index: Any) -> Values:
    """Some of the values of a stack; a number is that of all its matrices."""
    if not isinstance(values, np.ndarray):
        return values
    items = np.array(values[index])
    return items if items.ndim else float(items)


def _outcome(name: str, weights: Any) -> Values:
    """Non-negative finite weights: a number, or a copy of a vector."""
    if _columns.dimensions(name, weights) == 0:
        return _numbers.at_least_zero(name, weights)
    array = _numbers.finite_vector(name, weights).copy()
    _numbers.not_negative(name, array)
    return array
